//! The catalogue as a file over HTTP: out, and in again.

use hyper::Method;
use serde_json::json;

use super::TestServer;
use super::client::{Answer, Client};

async fn import(admin: &Client, query: &str, file: &str) -> Answer {
    let body = format!(
        "--limite\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\
         Content-Type: text/csv\r\n\r\n{file}\r\n--limite--\r\n"
    );
    let multipart = [("content-type", "multipart/form-data; boundary=limite")];
    let path = format!("/api/admin/products/import{query}");
    admin.send(Method::POST, &path, &multipart, body).await
}

#[tokio::test]
async fn a_file_adds_and_changes_products_and_the_export_is_such_a_file() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let file = "sku,name,price,stock\nV,Vela,10,5\n";
    let made = import(&admin, "", file).await.expect(200);
    assert_eq!((&made["created"], &made["written"]), (&json!(1), &json!(true)));

    let file = "sku,price\nV,\"12,50\"\n";
    let dry = import(&admin, "?dryRun=true", file).await.expect(200);
    assert_eq!((&dry["updated"], &dry["written"]), (&json!(1), &json!(false)));
    let change = json!([{
        "line": 2, "outcome": "changed", "slug": "vela", "variant": null,
        "changes": [{ "column": "price", "before": "10,00", "after": "12,50" }]
    }]);
    assert_eq!(dry["changes"], change);
    let left = import(&admin, "?only=new", file).await.expect(200);
    assert_eq!((&left["leftOut"], &left["products"]), (&json!(1), &json!(0)));
    let done = import(&admin, "", file).await.expect(200);
    assert_eq!((&done["updated"], &done["changes"]), (&json!(1), &json!([])));

    let export = admin.get("/api/admin/products/export").await;
    assert_eq!(export.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = String::from_utf8(export.body.to_vec()).expect("UTF-8");
    assert!(text.contains(";12,50;"), "{text}");
    let same = import(&admin, "", &text).await.expect(200);
    assert_eq!((&same["products"], &same["updated"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn a_bad_file_is_told_cell_by_cell_and_writes_nothing() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let file = "name,price\nVela,10\nCara,x\n";
    let bad = import(&admin, "", file).await.expect(200);
    assert_eq!((&bad["written"], &bad["bad"]), (&json!(false), &json!(1)));
    let cell = &bad["badRows"][0];
    assert_eq!((&cell["line"], &cell["column"]), (&json!(3), &json!("price")));
    let some = import(&admin, "?skipBad=true", file).await.expect(200);
    assert_eq!((&some["created"], &some["written"]), (&json!(1), &json!(true)));
    for open in ["name,price\nMel,10\nCera,\"5\nLuz,6\n", "name,price\nMel,10\n\"Cera\"x,5\n"] {
        let refused = import(&admin, "?skipBad=true", open).await;
        let told = json!(["Linha longa demais, ou aspas que não fecham: 3"]);
        assert_eq!(refused.wrong_fields()["file"], told);
    }
    let shopify = import(&admin, "?from=shopify", file).await;
    assert_eq!(shopify.status.as_u16(), 400);
    let unknown = import(&admin, "?from=magento", file).await;
    assert_eq!(unknown.status.as_u16(), 400);
    let large = import(&admin, "", &"x".repeat(17 << 20)).await;
    assert_eq!(large.status.as_u16(), 413);
}

#[tokio::test]
async fn a_change_beside_an_import_is_refused_and_says_when_to_come_again() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let made = import(&admin, "", "sku,name,price,stock\nV,Vela,10,5\n").await.expect(200);
    assert_eq!(made["written"], json!(true));
    server.test.raw_sql(
        "INSERT INTO product_import (slot, id, actor, keep_stock, decided, until, products, variants,
                                     updated, left_out)
         VALUES (1, 'outra', 'SYSTEM', 0, 1, 9000000000000000, 0, 0, 0, '[]')",
    );
    let new = json!({ "name": "Velas", "slug": "velas" });
    let refused = admin.post("/api/admin/categories", &new).await;
    assert_eq!(refused.header("retry-after"), Some("10"));
    let refused = refused.expect(409);
    assert_eq!(refused["code"], json!("import_under_way"));
    let text = "Uma importação de produtos está em andamento. Tente novamente quando ela terminar";
    assert_eq!(refused["error"], json!(text));
    server.test.raw_sql("DELETE FROM product_import");
    admin.post("/api/admin/categories", &new).await.expect(201);
}
