//! Electronic invoices (`/api/admin/orders/{id}/nfe`, `/api/admin/nfe`).

use serde_json::{Value, json};
use shop_core::order::{Order, OrderStatus};

use super::TestServer;
use super::client::Client;
use crate::core::nfe::{CPF, paid, sold};

pub(super) async fn emit(admin: &Client, order: &Order) -> Value {
    let path = format!("/api/admin/orders/{}/nfe/emitir", order.id);
    admin.post(&path, &json!({ "cpf": CPF })).await.expect(200)
}

pub(super) fn path(order: &Order, rest: &str) -> String {
    format!("/api/admin/orders/{}/nfe{rest}", order.id)
}

#[tokio::test]
async fn an_invoice_is_issued_shown_printed_and_cancelled() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    let issued = emit(&admin, &order).await;
    let key = issued["chave"].as_str().expect("a key").to_owned();
    let expected = json!({ "status": "autorizada", "chave": key.clone(), "numero": 1, "serie": 1 });
    assert_eq!(issued, expected);
    // A repeat needs no CPF any more, nor a body.
    let again = admin.send(hyper::Method::POST, &path(&order, "/emitir"), &[], "").await;
    assert_eq!(again.expect(200), expected);

    let shown = admin.get(&path(&order, "")).await.expect(200);
    assert_eq!(
        (&shown["status"], &shown["ambiente"]),
        (&json!("autorizada"), &json!("homologacao"))
    );
    assert_eq!((&shown["chave"], &shown["codigo"]), (&json!(key), &json!(100)));
    assert_eq!(shown["valor"], json!(order.total));
    assert_eq!(shown["orderNumber"], json!(order.order_number));

    let danfe = admin.get(&path(&order, "/danfe")).await;
    assert_eq!(
        (danfe.status.as_u16(), danfe.header("content-type")),
        (200, Some("application/pdf"))
    );
    let name = format!("attachment; filename=danfe-{}.pdf", order.id);
    assert_eq!(danfe.header("content-disposition"), Some(&*name));
    assert!(danfe.body.starts_with(b"%PDF-"));

    let xml = admin.get(&path(&order, "/xml")).await;
    assert_eq!(xml.header("content-type"), Some("application/xml; charset=utf-8"));
    let name = format!("attachment; filename={key}-procNFe.xml");
    assert_eq!(xml.header("content-disposition"), Some(&*name));
    assert!(String::from_utf8_lossy(&xml.body).contains(&format!("<chNFe>{key}</chNFe>")));

    let correction = json!({ "text": "Número correto do endereço: 86" });
    let correction = admin.post(&path(&order, "/correcao"), &correction).await.expect(200);
    assert_eq!((&correction["numero"], &correction["status"]), (&json!(1), &json!("registrada")));
    assert_eq!(admin.get(&path(&order, "")).await.expect(200)["correcoes"], json!([correction]));
    let pdf = admin.get(&path(&order, "/correcao/1/pdf")).await;
    let name = format!("attachment; filename=cce-{}-1.pdf", order.id);
    assert_eq!(pdf.header("content-disposition"), Some(&*name));
    assert!(pdf.body.starts_with(b"%PDF-"));
    for none in ["/correcao/2/pdf", "/correcao/x/pdf"] {
        assert_eq!(admin.get(&path(&order, none)).await.refused(404).1, "invoice_not_found");
    }
    let short = admin.post(&path(&order, "/correcao"), &json!({ "text": "curta" })).await;
    assert!(short.wrong_fields()["text"].is_array());

    let why = json!({ "justificativa": "Cliente desistiu da compra" });
    let cancelled = admin.post(&path(&order, "/cancelar"), &why).await.expect(200);
    assert_eq!((&cancelled["status"], &cancelled["numero"]), (&json!("cancelada"), &json!(1)));
    let again = admin.send(hyper::Method::POST, &path(&order, "/cancelar"), &[], "").await;
    assert_eq!(again.expect(200), cancelled);
    let disabled = admin.send(hyper::Method::POST, &path(&order, "/inutilizar"), &[], "").await;
    let (text, code) = disabled.refused(409);
    assert!(text.contains("foi cancelada"), "{text}");
    assert_eq!(code, "invoice_cancelled");
}

#[tokio::test]
async fn what_stands_in_the_way_is_said() {
    let server = TestServer::start().await;
    let (buyer, admin) = (server.test.buyer("ana").await, server.admin().await);
    let vela = server.test.product("vela", 10, 4990).await;
    let order = server.test.buy(&buyer, &vela, 1).await.expect("placed");
    let emit_path = path(&order, "/emitir");
    let refused =
        async |path: &str, body: Value, status| admin.post(path, &body).await.refused(status).1;
    assert_eq!(refused(&emit_path, json!({}), 400).await, "order_not_paid");
    for rest in ["", "/danfe", "/xml"] {
        assert_eq!(admin.get(&path(&order, rest)).await.refused(404).1, "invoice_not_found");
    }
    for rest in ["/cancelar", "/inutilizar"] {
        assert_eq!(refused(&path(&order, rest), json!({}), 404).await, "invoice_not_found");
    }
    assert_eq!(refused("/api/admin/orders/x/nfe/emitir", json!({}), 404).await, "order_not_found");
    server.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let wrong = admin.post(&emit_path, &json!({ "cpf": "123" })).await.wrong_fields();
    assert_eq!(wrong["cpf"], json!(["CPF inválido"]));
    emit(&admin, &order).await;
    let short = admin.post(&path(&order, "/cancelar"), &json!({ "justificativa": "curta" })).await;
    assert!(short.wrong_fields()["justificativa"].is_array());
    let disable = refused(&path(&order, "/inutilizar"), json!({}), 409).await;
    assert_eq!(disable, "invoice_authorized");
    let orders = server.test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Shipped, None).await.expect("shipped");
    assert_eq!(refused(&path(&order, "/cancelar"), json!({}), 409).await, "goods_left");
    orders.set_status(&order.id, OrderStatus::Processing, None).await.expect("back");
    server.test.advance_hours(25);
    let late = admin.post(&path(&order, "/cancelar"), &json!({})).await;
    let (text, code) = late.refused(400);
    assert_eq!(code, "nfe_rejected");
    assert!(text.starts_with("SEFAZ 501: ") && text.contains("Prazo de Cancelamento"), "{text}");
}

#[tokio::test]
async fn a_number_that_is_another_documents_is_said_so_and_made_invalid_where_it_is_free() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    // The sandbox has an invoice with this number already.
    server.test.raw_sql(
        "INSERT INTO sandbox_nfe (number_key, access_key, created_at)
         VALUES ('11222333000181-001-000000001', 'x', 0)",
    );
    let taken = admin.post(&path(&order, "/emitir"), &json!({ "cpf": CPF })).await;
    assert!(taken.refused(400).0.starts_with("SEFAZ 539: "));
    assert_eq!(admin.get(&path(&order, "")).await.expect(200)["status"], "ocupada");
    assert_eq!(emit(&admin, &order).await["numero"], 2);

    let buyer = server.test.buyer("bia").await;
    let vela = server.test.product("vela-2", 10, 4990).await;
    let order = paid(&server.test, &buyer, &vela, 1).await;
    emit(&admin, &order).await;
    server.test.raw_sql("UPDATE nfe SET status = 'REJECTED' WHERE number = 3");
    server.test.raw_sql("DELETE FROM sandbox_nfe WHERE number_key LIKE '%-000000003'");
    let why = json!({ "justificativa": "Pedido cancelado pelo cliente" });
    let disabled = admin.post(&path(&order, "/inutilizar"), &why).await.expect(200);
    assert_eq!((&disabled["status"], &disabled["numero"]), (&json!("inutilizada"), &json!(3)));
}

#[tokio::test]
async fn invoices_are_listed_and_a_month_is_an_archive() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    emit(&admin, &order).await;
    let list = admin.get("/api/admin/nfe?status=autorizada&from=2026-11-21T00:00:00Z").await;
    let list = list.expect(200);
    assert_eq!(list["pagination"]["total"], 1);
    assert_eq!(list["data"][0]["orderId"], json!(order.id));
    assert_eq!(admin.get("/api/admin/nfe?status=cancelada").await.expect(200)["data"], json!([]));
    assert!(admin.get("/api/admin/nfe?status=nenhum").await.wrong_fields()["status"].is_array());
    let archive = admin.get("/api/admin/nfe/export?month=2026-11").await;
    assert_eq!(archive.header("content-type"), Some("application/zip"));
    let name = "attachment; filename=nfe-2026-11.zip";
    assert_eq!(archive.header("content-disposition"), Some(name));
    assert!(archive.body.starts_with(b"PK"));
    for wrong in ["", "?month=11/2026"] {
        let answer = admin.get(&format!("/api/admin/nfe/export{wrong}")).await;
        assert!(answer.wrong_fields()["month"].is_array(), "{wrong}");
    }
}

#[tokio::test]
async fn staff_says_what_invoices_say_of_a_product() {
    let server = TestServer::start().await;
    let (vela, admin) = (server.test.product("vela", 1, 4990).await, server.admin().await);
    let path = format!("/api/admin/products/{vela}/fiscal");
    let empty = admin.get(&path).await;
    let etag = empty.header("etag").expect("an ETag").to_owned();
    let null = Value::Null;
    assert_eq!((&empty.expect(200)["ncm"], &empty.json()["production"]), (&null, &null));
    let json_with = |etag: &str| {
        [
            ("content-type".to_owned(), "application/json".to_owned()),
            ("if-match".to_owned(), etag.to_owned()),
        ]
    };
    let patch = async |body: Value, etag: &str| {
        let headers = json_with(etag);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (&**n, &**v)).collect();
        admin.send(hyper::Method::PATCH, &path, &headers, body.to_string()).await
    };
    // As the table of the law prints it.
    let dotted = json!({ "ncm": "3307.49.00", "production": "resale" });
    let set = patch(dotted, &etag).await.expect(200);
    assert_eq!((&set["ncm"], &set["production"]), (&json!("33074900"), &json!("resale")));
    assert_eq!(patch(json!({ "origin": 1 }), &etag).await.refused(412).1, "changed_meanwhile");
    let wrong =
        json!({ "ncm": "1", "cest": "1", "gtin": "1", "origin": 9, "unit": "?", "csosn": "101" });
    let wrong = admin.patch(&path, &wrong).await.wrong_fields();
    for field in ["ncm", "cest", "gtin", "origin", "unit", "csosn"] {
        assert!(wrong[field].is_array(), "{field}: {wrong}");
    }
    let shown = admin.get(&path).await.expect(200);
    assert_eq!(shown["effective"]["ncm"], json!({ "value": "33074900", "from": "product" }));
    assert_eq!(shown["effective"]["csosn"], json!({ "value": "102", "from": "company" }));
    let wrong = admin.patch(&path, &json!({ "csosn": "500" })).await.wrong_fields();
    assert_eq!(wrong["cest"], json!(["CSOSN 500 exige o CEST do produto"]));
    let category = admin.post("/api/admin/categories", &json!({ "name": "Velas" })).await;
    let category = category.expect(201)["id"].as_str().expect("an id").to_owned();
    let of_category = format!("/api/admin/categories/{category}/fiscal");
    let set = admin.patch(&of_category, &json!({ "ncm": "34060000" })).await.expect(200);
    let from_category = json!({ "value": "34060000", "from": "category" });
    assert_eq!((&set["ncm"], &set["effective"]["ncm"]), (&json!("34060000"), &from_category));
    assert_eq!(admin.get(&of_category).await.expect(200), set);
    let nothing = "/api/admin/categories/nothing/fiscal";
    assert_eq!(admin.get(nothing).await.refused(404).1, "category_not_found");
    let nothing = "/api/admin/products/nothing/fiscal";
    assert_eq!(admin.get(nothing).await.refused(404).1, "product_not_found");
    assert_eq!(admin.patch(nothing, &json!({})).await.refused(404).1, "product_not_found");
}

#[tokio::test]
async fn what_would_be_refused_is_told_before_anything_is_issued() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    let check = path(&order, "/check");
    let good = admin.get(&check).await.expect(200);
    assert_eq!(good["orderNumber"], json!(order.order_number));
    assert_eq!(good["problems"], json!([]));
    let fiscal = format!("/api/admin/products/{}/fiscal", order.items[0].product_id);
    admin.patch(&fiscal, &json!({ "ncm": "77000000" })).await.expect(200);
    let wrong = &admin.get(&check).await.expect(200)["problems"];
    let words = "Rejeição: Informado NCM inexistente [nItem: 1]";
    let expected = json!([{ "code": 778, "text": words, "source": "MOC 7.0, Anexo I, I05-20",
        "field": null }]);
    assert_eq!(*wrong, expected);
    let (refused, _) = admin.post(&path(&order, "/emitir"), &json!({})).await.refused(400);
    assert_eq!(refused, format!("SEFAZ 778: {words}"));
    server.test.raw_sql(
        "UPDATE orders SET address = replace(replace(address, 'São Paulo',
        'Nenhures'), '01001000', '20010020')",
    );
    let missing = &admin.get(&check).await.expect(200)["problems"];
    assert_eq!((&missing[0]["field"], &missing[0]["code"]), (&json!("address.city"), &Value::Null));
    let buyer = server.test.buyer("bia").await;
    let vela = server.test.product("vela-2", 10, 4990).await;
    let unpaid = server.test.buy(&buyer, &vela, 1).await.expect("placed");
    assert_eq!(admin.get(&path(&unpaid, "/check")).await.refused(400).1, "order_not_paid");
    assert_eq!(server.test.count("SELECT count(*) FROM nfe"), 1, "looking takes no number");
}
