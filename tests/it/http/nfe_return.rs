//! Invoices of goods that come back (`/api/admin/orders/{id}/nfe/devolucao`), and the customer's
//! copies of invoices (`/api/orders/{id}/nfe`).

use serde_json::json;

use super::TestServer;
use super::nfe::{emit, path};
use crate::core::nfe::sold;

#[tokio::test]
async fn goods_that_come_back_have_invoices_of_their_own() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    let returns = path(&order, "/devolucao");
    assert_eq!(admin.post(&returns, &json!({})).await.refused(404).1, "invoice_not_found");
    emit(&admin, &order).await;
    let item = |units: i64| json!([{ "orderItemId": order.items[0].id, "quantity": units }]);
    let wrong = admin.post(&returns, &json!({ "items": item(3) })).await.wrong_fields();
    assert!(wrong["items[0].quantity"].is_array(), "{wrong}");
    let wrong = json!({ "items": [{ "orderItemId": "x", "quantity": 1 }] });
    assert!(admin.post(&returns, &wrong).await.wrong_fields()["items[0].orderItemId"].is_array());
    let keyed = [("content-type", "application/json"), ("idempotency-key", "volta-1")];
    let part = json!({ "items": item(1), "ground": "DEFECT", "reason": "Chegou quebrada" });
    let send = async || {
        admin.send(hyper::Method::POST, &returns, &keyed, part.to_string()).await.expect(201)
    };
    let back = send().await;
    assert_eq!(
        (&back["tipo"], &back["status"], &back["numero"]),
        (&json!("devolucao"), &json!("autorizada"), &json!(2))
    );
    assert_eq!((&back["valor"], &back["shipping"]), (&json!(49.9), &json!(0.0)));
    assert_eq!(back["items"][0]["productId"], json!(order.items[0].product_id));
    assert_eq!(send().await, back);
    let rest = admin.send(hyper::Method::POST, &returns, &[], "").await.expect(201);
    assert_eq!(rest["items"][0]["quantity"], json!(1));
    let refused = admin.post(&returns, &json!({})).await;
    assert_eq!(refused.refused(400).1, "nothing_to_return");
    let list = admin.get(&path(&order, "/devolucoes")).await.expect(200);
    assert_eq!(list, json!([rest, back]));
    // The sale's invoice is what it was, and stands as long as goods of it are back.
    assert_eq!(admin.get(&path(&order, "")).await.expect(200)["tipo"], json!("venda"));
    let held = admin.post(&path(&order, "/cancelar"), &json!({})).await;
    assert_eq!(held.refused(409).1, "invoice_returned");

    let one = format!("/api/admin/nfe/devolucoes/{}", back["id"].as_str().expect("an id"));
    assert_eq!(admin.get(&one).await.expect(200), back);
    let danfe = admin.get(&format!("{one}/danfe")).await;
    assert_eq!(danfe.header("content-type"), Some("application/pdf"));
    let xml = admin.get(&format!("{one}/xml")).await;
    assert!(String::from_utf8_lossy(&xml.body).contains("ART. 18 DA LEI 8.078/1990"));
    let again = admin.send(hyper::Method::POST, &format!("{one}/emitir"), &[], "").await;
    assert_eq!(again.expect(200), back);
    let used = admin.post(&format!("{one}/inutilizar"), &json!({})).await;
    assert_eq!(used.refused(409).1, "invoice_authorized");
    let cancelled = admin.post(&format!("{one}/cancelar"), &json!({})).await.expect(200);
    assert_eq!((&cancelled["status"], &cancelled["numero"]), (&json!("cancelada"), &json!(2)));
    let numbers = async |kind: &str| {
        let list = admin.get(&format!("/api/admin/nfe?tipo={kind}")).await.expect(200);
        list["pagination"]["total"].clone()
    };
    assert_eq!((numbers("devolucao").await, numbers("venda").await), (json!(2), json!(1)));
    for rest in ["", "/danfe", "/xml"] {
        let nothing = format!("/api/admin/nfe/devolucoes/nothing{rest}");
        assert_eq!(admin.get(&nothing).await.refused(404).1, "invoice_not_found");
    }
    // A sale's invoice is none of a return.
    let sale = admin.get(&path(&order, "")).await.expect(200);
    let sale = format!("/api/admin/nfe/devolucoes/{}", sale["id"].as_str().expect("an id"));
    assert_eq!(admin.get(&sale).await.refused(404).1, "invoice_not_found");
}

#[tokio::test]
async fn a_return_and_its_invoice_name_each_other() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    let ana = server.anonymous().with_token(server.test.log_in("ana").await);
    emit(&admin, &order).await;
    let asked = json!({ "kind": "DEFECT", "reason": "Trincou",
                        "items": [{ "orderItemId": order.items[0].id, "quantity": 1 }] });
    let own = format!("/api/orders/{}/returns", order.id);
    let asked = ana.post(&own, &asked).await.expect(201);
    assert_eq!(asked["invoices"], json!([]));
    let invoices = path(&order, "/devolucao");
    let of = json!({ "returnId": asked["id"] });
    let early = admin.post(&invoices, &of).await.refused(409);
    assert_eq!(early.1, "return_state", "nobody decided yet");
    let staff = |act: &str| {
        let id = asked["id"].as_str().expect("an id");
        format!("/api/admin/returns/{id}{act}")
    };
    admin.post(&staff("/approve"), &json!({})).await.expect(200);
    let unknown = json!({ "returnId": "nothing" });
    assert_eq!(admin.post(&invoices, &unknown).await.refused(404).1, "return_not_found");
    let freight = json!({ "returnId": asked["id"], "refundShipping": true });
    let wrong = admin.post(&invoices, &freight).await.wrong_fields();
    assert_eq!(wrong["refundShipping"], json!(["A devolução já diz isto"]));
    let ground = json!({ "returnId": asked["id"], "ground": "WITHDRAWAL" });
    assert!(admin.post(&invoices, &ground).await.wrong_fields()["ground"].is_array());
    let more = json!({ "returnId": asked["id"],
                       "items": [{ "orderItemId": order.items[0].id, "quantity": 2 }] });
    let wrong = admin.post(&invoices, &more).await.wrong_fields();
    assert_eq!(wrong["items[0].quantity"], json!(["Unidades que ainda podem ser devolvidas: 1"]));
    let back = admin.post(&invoices, &of).await.expect(201);
    assert_eq!((&back["returnId"], &back["ground"]), (&asked["id"], &json!("DEFECT")));
    assert_eq!((&back["valor"], &back["items"][0]["quantity"]), (&asked["amount"], &json!(1)));
    let named = json!([{ "id": back["id"], "numero": 2, "serie": 1, "chave": back["chave"],
                         "status": "autorizada", "ambiente": "homologacao", "valor": 49.9 }]);
    let detail = admin.get(&staff("")).await.expect(200);
    assert_eq!((&detail["invoices"], &detail["items"][0]["invoiced"]), (&named, &json!(1)));
    assert_eq!(ana.get(&own).await.expect(200)[0]["invoices"], named);
    // The other unit is still with the customer.
    assert_eq!(admin.post(&invoices, &of).await.expect(201), back);
    let more = admin.post(&invoices, &more).await.refused(400);
    let text = "Não há unidades a devolver que ainda não tenham nota de devolução";
    assert_eq!((more.0.as_str(), more.1.as_str()), (text, "nothing_to_return"));
    // What an invoice says came back is not called off, and does not arrive in part.
    let off = format!("{own}/{}/cancel", asked["id"].as_str().expect("an id"));
    assert_eq!(ana.post(&off, &json!({})).await.refused(409).1, "return_invoiced");
    for (act, what) in [("/cancel", json!({})), ("/reject", json!({ "reason": "Não" }))] {
        assert_eq!(admin.post(&staff(act), &what).await.refused(409).1, "return_invoiced", "{act}");
    }
    let one = format!("/api/admin/nfe/devolucoes/{}/cancelar", back["id"].as_str().expect("an id"));
    admin.post(&one, &json!({})).await.expect(200);
    let off = admin.post(&staff("/cancel"), &json!({})).await.expect(200);
    assert_eq!(off["invoices"][0]["status"], "cancelada");
    let closed = admin.post(&invoices, &of).await.refused(409);
    assert_eq!(closed.1, "return_state");
}

#[tokio::test]
async fn the_number_of_a_return_that_is_refused_is_made_invalid() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    emit(&admin, &order).await;
    let back = admin.post(&path(&order, "/devolucao"), &json!({})).await.expect(201);
    server.test.raw_sql("UPDATE nfe SET status = 'REJECTED' WHERE number = 2");
    server.test.raw_sql("DELETE FROM sandbox_nfe WHERE number_key LIKE '%-000000002'");
    let one = format!("/api/admin/nfe/devolucoes/{}", back["id"].as_str().expect("an id"));
    let disabled = admin.post(&format!("{one}/inutilizar"), &json!({})).await.expect(200);
    assert_eq!((&disabled["status"], &disabled["numero"]), (&json!("inutilizada"), &json!(2)));
}

#[tokio::test]
async fn customers_get_the_papers_of_their_own_orders() {
    let server = TestServer::start().await;
    let test = &server.test;
    let (order, admin) = (sold(test).await, server.admin().await);
    let ana = server.anonymous().with_token(test.log_in("ana").await);
    let bia = server.customer("bia").await;
    let own = |rest: &str| format!("/api/orders/{}/nfe/{rest}", order.id);
    for rest in ["danfe", "xml"] {
        assert_eq!(ana.get(&own(rest)).await.refused(404).1, "invoice_not_found");
        assert_eq!(bia.get(&own(rest)).await.refused(404).1, "order_not_found");
    }
    let key = emit(&admin, &order).await["chave"].as_str().expect("a key").to_owned();
    let danfe = ana.get(&own("danfe")).await;
    assert_eq!(danfe.header("content-type"), Some("application/pdf"));
    assert!(danfe.body.starts_with(b"%PDF-"));
    let xml = ana.get(&own("xml")).await;
    let name = format!("attachment; filename={key}-procNFe.xml");
    assert_eq!(xml.header("content-disposition"), Some(&*name));
    assert_eq!(bia.get(&own("xml")).await.refused(404).1, "order_not_found");
    admin.post(&path(&order, "/cancelar"), &json!({})).await.expect(200);
    assert_eq!(ana.get(&own("danfe")).await.refused(404).1, "invoice_not_found");
}
