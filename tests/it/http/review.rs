//! Reviews.

use serde_json::json;

use super::TestServer;
use shop_core::actor::Actor;

const PATH: &str = "/api/products/vela/reviews";

#[tokio::test]
async fn a_review_is_written_approved_and_shown() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 4990).await;
    let anonymous = server.anonymous();
    let none = json!({ "1": 0, "2": 0, "3": 0, "4": 0, "5": 0 });
    assert_eq!(
        anonymous.get(PATH).await.expect(200),
        json!({ "data": [], "summary": { "average": 0.0, "total": 0, "distribution": none } })
    );
    let (ana, bia) = (server.customer("Ana-Lima").await, server.customer("bia").await);
    let profile = json!({ "name": "Ana Maria Lima" });
    ana.put("/api/auth/me", &profile).await.expect(200);
    let body = json!({ "rating": 4, "title": " Boa ", "body": "Perfuma a casa." });
    let written = ana.post(PATH, &body).await.expect(201);
    let id = written["id"].as_str().expect("an id");
    assert_eq!(
        written,
        json!({ "id": id, "rating": 4, "title": "Boa", "body": "Perfuma a casa.",
                "author": "Ana L.", "verifiedPurchase": false, "status": "pending",
                "createdAt": server.test.shop.now() })
    );
    let other = bia.post(PATH, &json!({ "rating": 5, "body": "Linda" })).await.expect(201);
    assert_eq!(other["title"], json!(null));
    assert_eq!(anonymous.get(PATH).await.expect(200)["data"], json!([]));
    let reviews = server.test.shop.reviews();
    for review in [&written, &other] {
        let id = review["id"].as_str().expect("an id").into();
        reviews.moderate(&Actor::System, &id, true, None).await.expect("approved");
    }
    let list = anonymous.get(PATH).await.expect(200);
    let mut shown = written.clone();
    shown.as_object_mut().expect("an object").remove("status");
    assert!(list["data"].as_array().expect("a list").contains(&shown), "{list}");
    let distribution = json!({ "1": 0, "2": 0, "3": 0, "4": 1, "5": 1 });
    let summary = json!({ "average": 4.5, "total": 2, "distribution": distribution });
    assert_eq!(list["summary"], summary);
    let product = anonymous.get("/api/products/vela").await.expect(200);
    assert_eq!((&product["reviewCount"], &product["averageRating"]), (&json!(2), &json!(4.5)));
    assert_eq!(product["reviews"], list["data"]);
    let row = anonymous.get("/api/products").await.expect(200)["data"][0].clone();
    assert_eq!((&row["reviewCount"], &row["averageRating"]), (&json!(2), &json!(4.5)));
}

#[tokio::test]
async fn a_payment_marks_the_review_as_verified() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 5, 4990).await;
    let ana = server.customer("ana").await;
    let written = ana.post(PATH, &json!({ "rating": 5, "body": "Linda" })).await.expect(201);
    let id = written["id"].as_str().expect("an id").into();
    server.test.shop.reviews().moderate(&Actor::System, &id, true, None).await.expect("approved");
    let order = server.test.buy(ana.buyer(), &product, 1).await.expect("placed");
    ana.post("/api/payments/pix", &json!({ "orderId": order.id })).await.expect(200);
    let verified = async || {
        server.anonymous().get(PATH).await.expect(200)["data"][0]["verifiedPurchase"].clone()
    };
    assert_eq!(verified().await, false);
    server.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    assert_eq!(verified().await, true);
}

#[tokio::test]
async fn reviews_are_refused_with_their_code() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 4990).await;
    let (ana, admin) = (server.customer("ana").await, server.admin().await);
    let body = json!({ "rating": 5, "body": "Linda" });
    let anonymous = server.anonymous();
    assert_eq!(anonymous.post(PATH, &body).await.refused(401).1, "unauthenticated");
    assert_eq!(admin.post(PATH, &body).await.refused(403).1, "forbidden");
    let elsewhere = "/api/products/none/reviews";
    assert_eq!(ana.post(elsewhere, &body).await.refused(404).1, "product_not_found");
    assert_eq!(anonymous.get(elsewhere).await.refused(404).1, "product_not_found");
    for (rating, wrong) in [
        (json!(0), "Deve ser maior ou igual a 1"),
        (json!(6), "Deve ser menor ou igual a 5"),
        (json!(4.5), "Deve ser um número inteiro"),
    ] {
        let wrong_fields = ana.post(PATH, &json!({ "rating": rating })).await.wrong_fields();
        assert_eq!(wrong_fields["rating"], json!([wrong]));
        assert_eq!(wrong_fields["body"], json!(["Campo obrigatório"]));
    }
    let long = json!({ "rating": 5, "title": "x".repeat(151), "body": "x".repeat(4001) });
    let long = ana.post(PATH, &long).await.wrong_fields();
    assert_eq!(long["title"], json!(["Deve ter no máximo 150 caracteres"]));
    assert_eq!(long["body"], json!(["Deve ter no máximo 4000 caracteres"]));
    ana.post(PATH, &body).await.expect(201);
    let (text, code) = ana.post(PATH, &body).await.refused(409);
    assert_eq!((&*text, &*code), ("Você já avaliou este produto", "already_reviewed"));
}
