//! The shop's service in an axum router.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use axum::routing::get;
use http_body_util::BodyExt;
use shop_core::testing::TestShop;
use shop_server::{Peer, ServeOptions, ShopService};
use tower_service::Service;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

async fn routers() -> (TestShop, [Router; 2]) {
    let shop = TestShop::open().await.expect("opens");
    shop.product("Vela de Lavanda", "49.90", 10).await.expect("a product");
    let service = ShopService::new((*shop).clone(), ServeOptions::default()).expect("a service");
    let own = || Router::new().route("/", get(|| async { "Bem-vindo" }));
    let behind = own().fallback_service(service.clone());
    let below = own().nest_service("/loja", service);
    (shop, [behind, below])
}

async fn ask(router: &Router, request: Request<Body>) -> (StatusCode, String) {
    let answer = router.clone().call(request).await.expect("infallible");
    let status = answer.status();
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    (status, String::from_utf8_lossy(&body).into_owned())
}

fn of(path: &str) -> axum::http::request::Builder {
    Request::get(path).header("host", "localhost")
}

#[tokio::test]
async fn it_answers_behind_other_routes_and_below_a_path() {
    let (_shop, [behind, below]) = routers().await;
    for (router, path) in
        [(&behind, "/api/products/vela-de-lavanda"), (&below, "/loja/api/products/vela-de-lavanda")]
    {
        let from = SocketAddr::new(HERE, 50_000);
        let of_axum = of(path).extension(ConnectInfo(from)).body(Body::empty());
        let of_other = of(path).extension(Peer(HERE)).body(Body::empty());
        for request in [of_axum, of_other] {
            let (status, body) = ask(router, request.expect("a request")).await;
            assert_eq!(status, 200, "{body}");
            assert!(body.contains("Vela de Lavanda"), "{body}");
        }
        let (status, body) = ask(router, of("/").body(Body::empty()).expect("a request")).await;
        assert_eq!((status.as_u16(), body.as_str()), (200, "Bem-vindo"));
    }
}

#[tokio::test]
async fn without_the_peers_address_it_says_what_it_needs() {
    let (_shop, [behind, _]) = routers().await;
    let (status, body) =
        ask(&behind, of("/api/products").body(Body::empty()).expect("a request")).await;
    assert_eq!(status, 500);
    assert!(body.contains("into_make_service_with_connect_info"), "{body}");
    assert!(body.contains("ConnectInfo") && body.contains("shop_server::Peer"), "{body}");
}
