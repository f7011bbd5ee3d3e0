//! The cookies' settings: two programs on one site must not take each other's.

use std::net::Ipv4Addr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{COOKIE, HOST, HeaderMap, SET_COOKIE};
use hyper::{Method, Request};
use serde_json::{Value, json};
use shop_core::config::{Environment, Secret};
use shop_core::error::Credential;
use shop_core::{Config, Error};
use shop_server::{ServeOptions, ShopService};

use super::PASSWORD;
use crate::core::fixture::{JWT_SECRET, TestShop};

fn options() -> ServeOptions {
    let mut options = ServeOptions::default();
    "loja".clone_into(&mut options.cookies.session);
    "cesta".clone_into(&mut options.cookies.cart);
    "/loja".clone_into(&mut options.cookies.path);
    options.cookies.domain = Some("velas.example".to_owned());
    options
}

/// Asks the service with a cookie, and gives the status, the cookie that is set, and the body.
async fn ask(
    service: &ShopService,
    (method, path): (Method, &str),
    cookie: &str,
    body: Value,
) -> (u16, String, Value) {
    let request = Request::builder().method(method).uri(path).header(HOST, "loja.velas.example");
    let request = request.header(COOKIE, cookie).body(Full::new(Bytes::from(body.to_string())));
    let peer = Ipv4Addr::LOCALHOST.into();
    let answer = service.answer(peer, request.expect("a request")).await;
    let set = answer.headers().get(SET_COOKIE).map(|it| it.to_str().expect("text").to_owned());
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    (status, set.unwrap_or_default(), serde_json::from_slice(&body).expect("JSON"))
}

#[tokio::test]
async fn cookies_have_the_names_the_path_and_the_domain_of_the_settings() {
    let test = TestShop::with(|config| {
        config.carts.guests = true;
        config.base_url = Some("https://loja.velas.example".to_owned());
    })
    .await;
    let service = ShopService::new(test.shop.clone(), options()).expect("a service");
    test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let line = json!({ "productId": vela, "quantity": 1 });
    let (_, cart, _) = ask(&service, (Method::POST, "/api/cart/items"), "a=1", line).await;
    assert!(cart.starts_with("cesta=") && cart.contains("; Path=/loja; Domain=velas.example;"));

    let login = json!({ "email": "ana@example.com", "password": PASSWORD });
    let (_, cookie, body) = ask(&service, (Method::POST, "/api/auth/login"), "a=1", login).await;
    let token = body["token"].as_str().expect("a token");
    let attributes = "HttpOnly; SameSite=Lax; Path=/loja; Domain=velas.example; Max-Age=604800";
    assert_eq!(cookie, format!("loja={token}; {attributes}"));
    for (name, expected) in [("loja", 200), ("token", 401)] {
        let cookie = format!("{name}={token}");
        let me = (Method::GET, "/api/auth/me");
        let (status, _, body) = ask(&service, me, &cookie, Value::Null).await;
        assert_eq!(status, expected, "{name}: {body}");
    }
    let (_, ended, _) = ask(&service, (Method::POST, "/api/auth/logout"), "a=1", json!({})).await;
    assert!(ended.starts_with("loja=; ") && ended.contains("; Path=/loja;"), "{ended}");
}

#[tokio::test]
async fn a_program_that_logs_its_users_in_hands_the_shop_its_session() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let service = ShopService::new(test.shop.clone(), options()).expect("a service");
    let session = test.shop.sessions().issue(&ana.id).await.expect("a session");
    let cookie = service.session_cookie(&session).expect("a cookie");
    let cookie = cookie.to_str().expect("text").split_once(';').expect("attributes").0.to_owned();
    let headers = HeaderMap::from_iter([(COOKIE, cookie.parse().expect("a value"))]);
    assert_eq!(service.identify(&headers).await.expect("known").account.id, ana.id);
    let nobody = service.identify(&HeaderMap::new()).await;
    assert!(matches!(nobody, Err(Error::Unauthenticated(Credential::Session))), "{nobody:?}");
    let ended = service.end_session_cookie().expect("a cookie");
    assert!(ended.to_str().expect("text").starts_with("loja=; "), "{ended:?}");
}

#[tokio::test]
async fn a_cookie_that_browsers_would_refuse_is_refused_when_the_server_starts() {
    let production = |config: &mut Config| {
        config.environment = Environment::Production;
        config.base_url = Some("https://loja.com.br".to_owned());
        config.jwt_secret = Some(Secret::new(JWT_SECRET));
    };
    let test = TestShop::with(production).await;
    let with = |path: &str| {
        let mut options = ServeOptions::default();
        options.cookies.session = "__Host-loja".to_owned();
        path.clone_into(&mut options.cookies.path);
        ShopService::new(test.shop.clone(), options)
    };
    assert!(with("/").is_ok());
    let refused = with("/loja").expect_err("refused");
    let why = std::error::Error::source(&refused).expect("a reason").to_string();
    assert!(why.contains("cookies.session") && why.contains("cookies.path = \"/\""), "{why}");
}

#[tokio::test]
async fn a_domain_that_is_not_the_shops_is_refused_when_the_server_starts() {
    let own = |config: &mut Config| config.base_url = Some("https://loja.example".to_owned());
    let test = TestShop::with(own).await;
    let refused = ShopService::new(test.shop.clone(), options()).expect_err("refused");
    let why = std::error::Error::source(&refused).expect("a reason").to_string();
    assert!(why.contains("cookies.domain") && why.contains("the host of base_url"), "{why}");
}
