//! Coupons.

use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::coupon::Coupon;

use super::TestServer;

async fn coupon(server: &TestServer, fields: Value) -> Coupon {
    let mut new = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true });
    for (name, value) in fields.as_object().expect("an object") {
        new[name] = value.clone();
    }
    let new = serde_json::from_str(&new.to_string()).expect("a coupon");
    server.test.shop.coupons().create(&Actor::System, new).await.expect("a coupon")
}

const VALIDATE: &str = "/api/coupons/validate";

#[tokio::test]
async fn a_coupon_says_what_it_takes_off() {
    let server = TestServer::start().await;
    let tenth = coupon(&server, json!({ "value": 12.5 })).await;
    let fixed = json!({ "code": "MENOS20", "type": "FIXED", "value": 20 });
    let fixed = coupon(&server, fixed).await;
    let anonymous = server.anonymous();
    let body = json!({ "code": "vela10", "subtotal": 99.96 });
    assert_eq!(
        anonymous.post(VALIDATE, &body).await.expect(200),
        json!({ "valid": true, "coupon": { "id": tenth.id, "code": "VELA10", "type": "PERCENT",
                                           "value": 12.5, "discount": 12.5 } })
    );
    let body = json!({ "code": "Menos20", "subtotal": 15.5 });
    assert_eq!(
        anonymous.post(VALIDATE, &body).await.expect(200)["coupon"],
        json!({ "id": fixed.id, "code": "MENOS20", "type": "FIXED", "value": 20.0,
                "discount": 15.5 })
    );
}

#[tokio::test]
async fn a_coupon_that_does_not_hold_says_why_and_refuses_the_order() {
    let server = TestServer::start().await;
    let past = server.test.shop.now().to_string();
    let used_up = coupon(&server, json!({ "code": "usado", "maxUses": 1 })).await;
    let made = [
        ("inativo", json!({ "active": false }), "coupon_inactive", "Cupom inativo"),
        ("velho", json!({ "expiresAt": past }), "coupon_expired", "Cupom expirado"),
        (
            "grande",
            json!({ "minOrderValue": 10.01 }),
            "coupon_below_minimum",
            "Pedido abaixo do valor mínimo",
        ),
    ];
    let mut all = vec![("usado", used_up.id, "coupon_used_up", "Limite de usos atingido")];
    for (code, mut fields, error_code, text) in made {
        fields["code"] = code.into();
        all.push((code, coupon(&server, fields).await.id, error_code, text));
    }
    all.push(("nenhum", "nenhum".into(), "coupon_not_found", "Cupom não encontrado"));
    let product = server.test.product("vela", 9, 1000).await;
    let ana = server.customer("ana").await;
    let place = async |coupon: &shop_core::id::CouponId| {
        let items = json!([{ "productId": product, "quantity": 1 }]);
        let order = json!({ "addressId": ana.buyer().address, "cartItems": items,
                            "couponId": coupon });
        ana.post("/api/orders", &order).await
    };
    let placed = place(&all[0].1).await.expect(201);
    assert_eq!((&placed["discount"], &placed["total"]), (&json!(1.0), &json!(9.0)));
    for (code, id, error_code, text) in &all {
        let body = json!({ "code": code, "subtotal": 10 });
        let answer = server.anonymous().post(VALIDATE, &body).await.expect(200);
        assert_eq!(answer, json!({ "valid": false, "error": text }));
        let (error, refused) = place(id).await.refused(400);
        assert_eq!((error.as_str(), refused.as_str()), (*text, *error_code));
    }
    assert_eq!(server.test.stock(product.as_str()), 8);
}

#[tokio::test]
async fn every_page_may_ask_and_wrong_fields_are_named() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let headers = [("content-type", "application/json"), ("origin", "https://elsewhere.example")];
    let body = json!({ "code": "x", "subtotal": 1 }).to_string();
    let answer = anonymous.send(Method::POST, VALIDATE, &headers, body).await;
    assert_eq!(answer.expect(200)["valid"], false);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let preflight = anonymous.send(Method::OPTIONS, VALIDATE, &headers[1..], "").await;
    let methods = preflight.header("access-control-allow-methods").expect("methods");
    assert!(methods.contains("POST"), "{methods}");
    let wrong = anonymous.post(VALIDATE, &json!({ "code": " ", "subtotal": "1.00" })).await;
    let wrong = wrong.wrong_fields();
    assert_eq!(wrong["code"], json!(["Campo obrigatório"]));
    assert_eq!(wrong["subtotal"], json!(["Deve ser um número"]));
    let negative = anonymous.post(VALIDATE, &json!({ "code": "x", "subtotal": -1 })).await;
    assert_eq!(negative.wrong_fields()["subtotal"], json!(["Deve ser maior ou igual a 0"]));
}

#[tokio::test]
async fn the_thirty_first_validation_of_a_minute_is_refused() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let body = json!({ "code": "x", "subtotal": 1 });
    for _ in 0..30 {
        anonymous.post(VALIDATE, &body).await.expect(200);
    }
    let refused = anonymous.post(VALIDATE, &body).await;
    assert_eq!(refused.refused(429).1, "rate_limited");
    assert_eq!(refused.header("x-ratelimit-limit"), Some("30"));
    assert_eq!(refused.header("retry-after"), Some("60"));
    server.test.clock.advance(Duration::from_secs(60));
    anonymous.post(VALIDATE, &body).await.expect(200);
}
