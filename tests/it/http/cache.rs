//! The response cache: never older than what a client knows, and never asked twice for the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use hyper::Method;
use serde_json::json;
use shop_server::ServeOptions;

use super::TestServer;
use crate::core::fixture::input;
use shop_core::actor::Actor;

#[tokio::test]
async fn who_has_the_bytes_gets_only_told_so() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 1000).await;
    let client = server.anonymous();
    for path in ["/api/products", "/api/products/vela", "/api/products/search?q=vela"] {
        let first = client.get(path).await;
        let etag = first.header("etag").expect("a tag").to_owned();
        assert_eq!(first.header("cache-control"), Some("public, max-age=0, must-revalidate"));
        assert_eq!(client.get(path).await.header("etag"), Some(&*etag), "{path}");
        let again = client.send(Method::GET, path, &[("if-none-match", &*etag)], "").await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{path}");
        assert_eq!(again.header("etag"), Some(&*etag));
        assert_eq!(again.header("access-control-allow-origin"), Some("*"));
    }
}

#[tokio::test]
async fn no_caller_is_served_an_answer_from_before_its_own_change() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 500, 1000).await;
    let ana = server.customer("ana").await;
    for left in (480..500).rev() {
        ana.get("/api/products/vela").await.expect(200);
        server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
        assert_eq!(ana.get("/api/products/vela").await.expect(200)["stock"], left);
        let list = ana.get("/api/products").await.expect(200);
        assert_eq!(list["data"][0]["stock"], left);
    }
    server.test.product("nova", 1, 1000).await;
    assert_eq!(ana.get("/api/products").await.expect(200)["pagination"]["total"], 2);
}

#[tokio::test]
async fn a_change_by_another_process_is_seen_within_seconds() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 1000).await;
    let client = server.anonymous();
    assert_eq!(client.get("/api/products").await.expect(200)["pagination"]["total"], 1);
    let other = server.test.open_again().await;
    let nova = json!({ "name": "Nova", "slug": "nova", "price": 10, "stock": 1 });
    other.products().create(&Actor::System, input(nova), None).await.expect("a product");
    let seen = async {
        while client.get("/api/products").await.expect(200)["pagination"]["total"] != 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), seen).await.expect("seen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_reader_is_served_from_before_a_sale_that_was_answered() {
    let server = Arc::new(TestServer::start().await);
    let product = server.test.product("vela", 200, 1000).await;
    let ana = server.customer("ana").await;
    let answered = Arc::new(AtomicI64::new(0));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (server, answered) = (Arc::clone(&server), Arc::clone(&answered));
            tokio::spawn(async move {
                let (client, mut sold) = (server.anonymous(), 0);
                while sold < 50 {
                    sold = answered.load(Ordering::SeqCst);
                    let shown = client.get("/api/products/vela").await.expect(200);
                    let stock = shown["stock"].as_i64().expect("a number");
                    assert!(stock <= 200 - sold, "{stock} left after {sold} sales");
                }
            })
        })
        .collect();
    for _ in 0..50 {
        server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
        answered.fetch_add(1, Ordering::SeqCst);
    }
    for reader in readers {
        reader.await.expect("nothing old");
    }
}

#[tokio::test]
async fn what_differs_is_kept_apart_and_what_does_not_is_kept_once() {
    let server = TestServer::start().await;
    for n in 0..3 {
        server.test.product(&format!("vela-{n}"), 5, 1000 + n).await;
    }
    let client = server.anonymous();
    let page = async |path: &str| client.get(path).await.expect(200);
    assert_ne!(
        page("/api/products?limit=1&page=1").await,
        page("/api/products?limit=1&page=2").await
    );
    assert_eq!(
        page("/api/products?page=2&limit=1&utm_source=x").await,
        page("/api/products?limit=1&page=2").await
    );
    let metrics = client.get("/metrics").await;
    let metrics = String::from_utf8(metrics.body.to_vec()).expect("text");
    assert!(metrics.contains("shop_http_cache_hits_total 2"), "{metrics}");
}

#[tokio::test]
async fn errors_are_not_kept() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    assert_eq!(client.get("/api/products/vela").await.refused(404).1, "product_not_found");
    server.test.product("vela", 5, 1000).await;
    client.get("/api/products/vela").await.expect(200);
}

#[tokio::test]
async fn without_the_cache_the_answers_are_the_same() {
    let options = ServeOptions { cache: false, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    server.test.product("vela", 5, 1000).await;
    let client = server.anonymous();
    let (first, second) = (client.get("/api/products").await, client.get("/api/products").await);
    assert_eq!((first.header("etag"), &first.body), (second.header("etag"), &second.body));
    let metrics = client.get("/metrics").await;
    assert!(String::from_utf8_lossy(&metrics.body).contains("shop_http_cache_hits_total 0"));
}

#[tokio::test]
async fn a_picture_is_handed_out_as_what_it_is_and_can_do_nothing() {
    let server = TestServer::start().await;
    let media = server.test.shop.media();
    for name in ["vela.svg", "vela.png"] {
        let name = name.parse().expect("a name");
        media.put(name, b"picture".to_vec()).await.expect("kept");
    }
    let client = server.anonymous();
    let svg = client.get("/uploads/vela.svg").await;
    assert_eq!((svg.status.as_u16(), &svg.body[..]), (200, &b"picture"[..]));
    assert_eq!(svg.header("content-type"), Some("image/svg+xml"));
    assert_eq!(svg.header("x-content-type-options"), Some("nosniff"));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    assert_eq!(svg.header("content-security-policy"), Some(policy));
    let png = client.get("/uploads/vela.png").await;
    assert_eq!(png.header("content-type"), Some("image/png"));
    assert_eq!(png.header("content-security-policy"), None);
    for name in ["none.png", "..%2fshop.db", "shop.db", ".png"] {
        let answer = client.get(&format!("/uploads/{name}")).await;
        assert_eq!(answer.refused(404).1, "media_not_found", "{name}");
    }
}
