//! What a customer's own order says beside what was ordered: its money, its parcel and its invoice.

use serde_json::{Value, json};
use shop_core::order::Order;
use shop_server::ServeOptions;

use super::TestServer;
use super::client::Client;
use crate::core::nfe::sold;

async fn shown(ana: &Client, order: &Order) -> Value {
    ana.get(&format!("/api/orders/{}", order.id)).await.expect(200)
}

#[tokio::test]
async fn an_order_says_what_of_its_money_went_back() {
    let server = TestServer::start().await;
    let (ana, admin) = (server.customer("ana").await, server.admin().await);
    let vela = server.test.product("vela", 10, 4990).await;
    let order = server.test.buy(ana.buyer(), &vela, 2).await.expect("placed");
    let before = shown(&ana, &order).await;
    assert_eq!((&before["paid"], &before["refunded"]), (&json!(0.0), &json!(0.0)));
    server.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let path = format!("/api/admin/orders/{}/refunds", order.id);
    for (body, refunded) in [(json!({ "amount": 10.5 }), 10.5), (json!({}), 99.8)] {
        admin.post(&path, &body).await.expect(201);
        let now = shown(&ana, &order).await;
        assert_eq!((&now["paid"], &now["refunded"]), (&json!(99.8), &json!(refunded)));
        assert_eq!(now["total"], json!(99.8));
    }
}

#[tokio::test]
async fn an_order_leads_to_the_page_of_its_carrier_as_its_mail_does() {
    let own = "https://rapidex.example/t?c={code}";
    let adapt = |config: &mut shop_core::Config| {
        config.shipping.tracking_urls.insert("Rapidex".to_owned(), own.to_owned());
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let (ana, admin) = (server.customer("ana").await, server.admin().await);
    let vela = server.test.product("vela", 10, 4990).await;
    let order = server.test.buy(ana.buyer(), &vela, 1).await.expect("placed");
    assert_eq!(shown(&ana, &order).await["trackingUrl"], Value::Null);
    let path = format!("/api/admin/orders/{}", order.id);
    for (carrier, url) in [
        (json!("Rapidex"), json!("https://rapidex.example/t?c=AA123456789BR")),
        (
            json!("Correios"),
            json!("https://rastreamento.correios.com.br/app/index.php?objetos=AA123456789BR"),
        ),
        (json!("Motoboy"), Value::Null),
        (Value::Null, Value::Null),
    ] {
        let parcel = json!({ "trackingCode": "AA123456789BR", "carrier": carrier });
        admin.patch(&path, &parcel).await.expect(200);
        assert_eq!(shown(&ana, &order).await["trackingUrl"], url);
    }
}

#[tokio::test]
async fn an_order_says_whether_it_has_an_invoice_whatever_became_of_its_money() {
    let server = TestServer::start().await;
    let (order, admin) = (sold(&server.test).await, server.admin().await);
    let ana = server.anonymous().with_token(server.test.log_in("ana").await);
    assert_eq!(shown(&ana, &order).await["hasInvoice"], false);
    super::nfe::emit(&admin, &order).await;
    assert_eq!(shown(&ana, &order).await["hasInvoice"], true);
    let path = format!("/api/admin/orders/{}/refunds", order.id);
    admin.post(&path, &json!({})).await.expect(201);
    let refunded = shown(&ana, &order).await;
    assert_eq!((&refunded["hasInvoice"], &refunded["status"]), (&json!(true), &json!("REFUNDED")));
}
