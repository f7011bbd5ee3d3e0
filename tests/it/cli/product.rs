use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::audit::AuditFilter;

use super::Cli;
use crate::binary::{Server, get};
use crate::core::fixture::input;

#[tokio::test(flavor = "multi_thread")]
async fn a_product_is_found_by_slug_id_or_article_number() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let new = json!({ "name": "Vela", "slug": "vela", "price": 49.9, "stock": 3, "sku": "V-1",
                      "active": false });
    let vela =
        shop.products().create(&Actor::System, input(new), None).await.expect("a product").product;
    for name in ["vela", "V-1", vela.id.as_str()] {
        assert_eq!(cli.json(&["product", "show", name])["id"], vela.id.as_str());
    }
    let listed = cli.run(&["product", "list", "--active", "false"], "").stdout;
    assert!(listed.contains("vela  Vela  49.90  3      V-1  off sale"), "{listed}");
    assert_eq!(cli.json(&["product", "list", "--search", "sabão"])["data"], json!([]));
    let unknown = cli.failure(&["product", "show", "nothing"]);
    assert_eq!(unknown, (3, "there is no such product".to_owned()));
    assert_eq!(cli.run(&["product", "list", "--active", "maybe"], "").code, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_is_booked_with_its_reason() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let new = json!({ "name": "Vela", "slug": "vela", "price": 49.9, "stock": 3, "sku": "V-1" });
    let vela =
        shop.products().create(&Actor::System, input(new), None).await.expect("a product").product;
    let set = cli.json(&["product", "set-stock", "V-1", "7", "--reason", "Inventário"]);
    assert_eq!(set, json!({ "productId": vela.id, "stock": 7 }));
    let shelf = shop.stock().list(input(json!({}))).await.expect("a shelf").products;
    let shelf = shelf.try_concat().await.expect("pieces");
    let last = &shelf[0].recent_movements[0];
    assert_eq!((shelf[0].stock, last.delta, last.source.as_str()), (7, 4, "SYSTEM"));
    let log = shop.audit().list(AuditFilter::default()).await.expect("a log");
    assert_eq!(log.data[0].after["reason"], "Inventário");
    assert_eq!(cli.failure(&["product", "set-stock", "nothing", "1"]).0, 3);
    for wrong in ["-1", "1.5", "many"] {
        assert_eq!(cli.run(&["product", "set-stock", "--", "vela", wrong], "").code, Some(2));
    }
    let kept = shop.stock().get(vela.id.as_str()).await.expect("there");
    assert_eq!(kept.stock, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_server_sees_what_the_command_line_does() {
    let cli = Cli::with_shop();
    let new = json!({ "name": "Vela", "slug": "vela", "price": 49.9, "stock": 3 });
    cli.shop().await.products().create(&Actor::System, input(new), None).await.expect("a product");
    let server = Server::start(Path::new(cli.data.name()));
    let stock =
        || get(&server.address, "/api/products/vela").map(|(_, body)| body["stock"].clone());
    assert_eq!(stock(), Some(json!(3)), "and the server has it in its cache now");
    assert_eq!(cli.run(&["product", "set-stock", "vela", "9"], "").code, Some(0));
    let start = Instant::now();
    while stock() != Some(json!(9)) {
        assert!(start.elapsed() < Duration::from_secs(20), "never seen: {:?}", stock());
        std::thread::sleep(Duration::from_millis(100));
    }
    server.kill();
}
