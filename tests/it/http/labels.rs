//! Labels over the wire.

use serde_json::json;

use super::TestServer;

#[tokio::test]
async fn staff_print_labels_of_one_order_and_of_many() {
    let server = TestServer::start().await;
    let ana = server.test.buyer("ana").await;
    let candle = server.test.product("vela", 9, 4990).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let items = json!([{ "productId": candle, "quantity": 1 }]);
        ids.push(server.test.place(&ana, items).await.expect("placed").order.id.to_string());
    }
    let admin = server.admin().await;
    for kind in ["address", "content", "slip"] {
        let one = admin.get(&format!("/api/admin/orders/{}/labels/{kind}", ids[0])).await;
        let many =
            admin.get(&format!("/api/admin/orders/labels/{kind}?ids={}", ids.join(","))).await;
        for answer in [one, many] {
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("content-type"), Some("application/pdf"));
            let saved = answer.header("content-disposition").expect("a name");
            assert!(saved.starts_with("attachment; filename="), "{saved}");
            assert!(answer.body.starts_with(b"%PDF-"));
        }
    }
    let unknown = "/api/admin/orders/labels/slip?ids=nothing";
    assert_eq!(admin.get(unknown).await.refused(404).1, "order_not_found");
    let other = format!("/api/admin/orders/{}/labels/poster", ids[0]);
    assert_eq!(admin.get(&other).await.status, 404);
    let many = vec![ids[0].as_str(); 101].join(",");
    let refused = admin.get(&format!("/api/admin/orders/labels/slip?ids={many}")).await;
    assert_eq!(refused.wrong_fields()["ids"], json!(["Deve ter de 1 a 100 itens"]));
}
