//! Conditional requests: who has the bytes is only told so, and caches on the way know what they
//! may keep.

use hyper::Method;
use shop_core::media::MediaName;

use super::TestServer;
use super::client::{Answer, Client};

const CATALOGUE: [&str; 4] =
    ["/api/products", "/api/products/vela", "/api/products/search?q=vela", "/api/categories"];

async fn ask(client: &Client, method: Method, path: &str, tags: &str) -> Answer {
    client.send(method, path, &[("if-none-match", tags)], "").await
}

fn tag(answer: &Answer) -> String {
    answer.header("etag").expect("a tag").to_owned()
}

/// A 304 says what its 200 said, but for the bytes and what describes them.
#[track_caller]
fn is_told_so(answer: &Answer, full: &Answer) {
    assert_eq!((answer.status.as_u16(), answer.body.len()), (304, 0));
    assert_eq!(answer.header("content-type"), None);
    for name in ["etag", "cache-control", "vary", "access-control-allow-origin"] {
        assert_eq!(answer.header(name), full.header(name), "{name}");
    }
}

#[tokio::test]
async fn tags_match_weakly_in_lists_and_by_a_star() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 1000).await;
    let client = server.anonymous();
    for path in CATALOGUE {
        let full = client.get(path).await;
        let own = tag(&full);
        let lists =
            [own.clone(), format!("W/{own}"), format!("\"a\", W/\"b\",{own}"), "*".to_owned()];
        for tags in lists {
            is_told_so(&ask(&client, Method::GET, path, &tags).await, &full);
            is_told_so(&ask(&client, Method::HEAD, path, &tags).await, &full);
        }
        for tags in ["\"other\"", "W/\"other\", \"another\"", "\"*\"", &own[1..]] {
            let answer = ask(&client, Method::GET, path, tags).await;
            assert_eq!((answer.status.as_u16(), &answer.body), (200, &full.body), "{path} {tags}");
        }
    }
}

#[tokio::test]
async fn a_head_says_what_its_get_does() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 1000).await;
    let client = server.anonymous();
    for path in CATALOGUE {
        let get = client.get(path).await;
        let head = client.send(Method::HEAD, path, &[], "").await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
        for name in ["etag", "cache-control", "content-type", "content-length"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[tokio::test]
async fn the_tag_is_another_after_an_order_and_the_old_one_gets_the_bytes() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 5, 1000).await;
    let ana = server.customer("ana").await;
    for path in ["/api/products", "/api/products/vela"] {
        let before = tag(&ana.get(path).await);
        server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
        let after = ask(&ana, Method::GET, path, &before).await;
        after.expect(200);
        assert_ne!(tag(&after), before, "{path}");
        is_told_so(&ask(&ana, Method::GET, path, &tag(&after)).await, &after);
    }
}

#[tokio::test]
async fn the_catalogue_is_the_same_for_all_callers_so_a_cache_may_store_it() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 1000).await;
    let ana = server.customer("ana").await;
    for path in CATALOGUE {
        let public = server.anonymous().get(path).await;
        let foreign = [("origin", "https://other.example"), ("accept-language", "en")];
        let hers = ana.send(Method::GET, path, &foreign, "").await;
        assert_eq!((tag(&hers), &hers.body), (tag(&public), &public.body), "{path}");
        for answer in [&public, &hers] {
            let cache_control = answer.header("cache-control");
            assert_eq!(cache_control, Some("public, max-age=0, must-revalidate"));
            assert_eq!((answer.header("vary"), answer.header("set-cookie")), (None, None));
        }
    }
    for path in ["/api/cart", "/api/orders", "/api/auth/me", "/api/products/none"] {
        assert_eq!(ana.get(path).await.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(ana.get(path).await.header("etag"), None, "{path}");
    }
}

#[tokio::test]
async fn a_picture_has_a_tag_and_another_one_when_it_is_replaced() {
    let server = TestServer::start().await;
    let (client, media) = (server.anonymous(), server.test.shop.media());
    let name: MediaName = "vela.svg".parse().expect("a name");
    media.put(name.clone(), b"one".to_vec()).await.expect("kept");
    let path = "/uploads/vela.svg";
    let full = client.get(path).await;
    assert_eq!(full.header("cache-control"), Some("public, max-age=604800"));
    let own = tag(&full);
    for method in [Method::GET, Method::HEAD] {
        let answer = ask(&client, method, path, &format!("\"x\", W/{own}")).await;
        is_told_so(&answer, &full);
        assert!(answer.header("content-security-policy").is_some());
    }
    media.put(name, b"two".to_vec()).await.expect("kept");
    let replaced = ask(&client, Method::GET, path, &own).await;
    assert_eq!((replaced.status.as_u16(), &replaced.body[..]), (200, &b"two"[..]));
    assert_ne!(tag(&replaced), own);
    let missing = ask(&client, Method::GET, "/uploads/none.png", "*").await;
    assert_eq!(missing.refused(404).1, "media_not_found");
}
