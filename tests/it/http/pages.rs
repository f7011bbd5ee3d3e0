//! Pages, and the gate in front of the back office's (docs/decisions.md, "Access").

use std::path::Path;

use hyper::Method;
use shop_server::ServeOptions;

use super::TestServer;
use super::client::{Answer, Client};

async fn with_pages(folder: &Path) -> TestServer {
    for (name, text) in [
        ("index.html", "home"),
        ("login.html", "login"),
        ("orders.html", "not the back office's"),
        ("admin/index.html", "dashboard"),
        ("admin/orders.html", "orders"),
        ("admin.html", "first screen"),
        ("login/style.css", "p{}"),
        (".env", "secret"),
        (".git/config", "secret"),
        ("style.css", "body{}"),
    ] {
        let file = folder.join("pages").join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }
    std::fs::write(folder.join("secret.txt"), "secret").expect("written");
    let pages_dir = Some(folder.join("pages"));
    let options = ServeOptions { pages_dir, ..ServeOptions::default() };
    TestServer::start_with(|_| {}, options).await
}

fn redirect(answer: &Answer) -> Option<&str> {
    (answer.status == 302).then(|| answer.header("location").expect("a place"))
}

async fn text(client: &Client, path: &str) -> String {
    let answer = client.get(path).await;
    assert_eq!(answer.status, 200, "{path}");
    String::from_utf8(answer.body.to_vec()).expect("text")
}

#[tokio::test]
async fn the_back_office_sends_strangers_to_the_log_in_and_customers_home() {
    let server = TestServer::start().await;
    let (anonymous, customer, admin) =
        (server.anonymous(), server.customer("ana").await, server.admin().await);
    // After that they come to the screen that they asked for.
    for (path, log_in) in [
        ("/admin", "/login"),
        ("/admin/", "/login"),
        ("/admin/orders", "/login?next=/admin/orders"),
        ("/admin/orders?status=PAID&q=a", "/login?next=/admin/orders%3Fstatus%3DPAID%26q%3Da"),
        ("/admin/a/b?c=%26", "/login?next=/admin/a/b%3Fc%3D%2526"),
        ("//admin/orders", "/login?next=/admin/orders"),
    ] {
        assert_eq!(redirect(&anonymous.get(path).await), Some(log_in), "{path}");
        assert_eq!(redirect(&customer.get(path).await), Some("/"), "{path}");
    }
    assert_eq!(admin.get("/admin/a/b").await.refused(404).1, "not_found");
    assert_eq!(anonymous.get("/administrator").await.refused(404).1, "not_found");
}

#[tokio::test]
async fn static_pages_are_handed_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let anonymous = server.anonymous();
    assert_eq!(text(&anonymous, "/").await, "home");
    assert_eq!(text(&anonymous, "/login").await, "login");
    assert_eq!(text(&anonymous, "/login.html").await, "login");
    let css = anonymous.get("/style.css").await;
    assert_eq!(css.header("content-type"), Some("text/css; charset=utf-8"));
    let tag = css.header("etag").expect("a tag");
    let again = anonymous.send(Method::GET, "/style.css", &[("if-none-match", tag)], "").await;
    assert_eq!(again.status, 304);
    let admin = server.admin().await;
    assert_eq!(text(&admin, "/admin/orders").await, "orders");
    assert_eq!(redirect(&anonymous.get("/admin/orders").await), Some("/login?next=/admin/orders"));
    // A page beside the folder is the back office's too, by each of its names.
    for path in ["/admin", "/admin.html", "/Admin.HTML"] {
        assert_eq!(redirect(&anonymous.get(path).await), Some("/login"), "{path}");
    }
    assert_eq!(text(&admin, "/admin.html").await, "first screen");
}

#[tokio::test]
async fn no_page_leads_out_of_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let anonymous = server.anonymous();
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/x/../../secret.txt",
        "/..%5csecret.txt",
        "/%252e%252e/secret.txt",
        "/.env",
        "/%2eenv",
        "/.git/config",
        "/index.html%00.css",
        "/%ff",
    ] {
        assert_eq!(anonymous.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn no_detour_leads_round_the_gate() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let anonymous = server.anonymous();
    for path in ["//admin/orders", "/%61dmin/orders", "/admin%2forders", "/x/%2e%2e/admin/orders"] {
        let answer = anonymous.get(path).await;
        assert_ne!(answer.status, 200, "{path}");
    }
}

#[tokio::test]
async fn the_host_of_the_back_office_has_its_pages_at_the_root() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let host = [("host", "admin.loja.example")];
    let anonymous = server.anonymous();
    let gate = anonymous.send(Method::GET, "/orders", &host, "").await;
    assert_eq!(redirect(&gate), Some("/login?next=/admin/orders"));
    let admin = server.admin().await;
    let orders = admin.send(Method::GET, "/orders", &host, "").await;
    assert_eq!(&orders.body[..], b"orders");
    let root = admin.send(Method::GET, "/", &host, "").await;
    assert_eq!(&root.body[..], b"dashboard");
    // The API is the same on every host.
    anonymous.send(Method::GET, "/api/categories", &host, "").await.expect(200);
}

#[tokio::test]
async fn nothing_on_the_way_keeps_the_back_offices_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let admin = server.admin().await;
    let page = admin.get("/admin/orders").await;
    assert_eq!(page.header("cache-control"), Some("private, no-cache"));
    assert_eq!(page.header("vary"), Some("Cookie, Authorization"));
    let tag = [("if-none-match", page.header("etag").expect("a tag"))];
    let again = admin.send(Method::GET, "/admin/orders", &tag, "").await;
    assert_eq!((again.status.as_u16(), again.header("vary")), (304, page.header("vary")));
    let stranger = server.anonymous().send(Method::GET, "/admin/orders", &tag, "").await;
    assert_eq!(redirect(&stranger), Some("/login?next=/admin/orders"));
    assert_eq!(admin.get("/login").await.header("cache-control"), Some("no-cache"));
}

#[tokio::test]
async fn the_host_of_the_back_office_redirects_in_no_circle() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let host = [("host", "admin.loja.example:8443")];
    let (anonymous, customer) = (server.anonymous(), server.customer("ana").await);
    let gate = anonymous.send(Method::GET, "/", &host, "").await;
    assert_eq!(redirect(&gate), Some("/login"));
    let login = anonymous.send(Method::GET, "/login", &host, "").await;
    assert_eq!((login.status.as_u16(), &login.body[..]), (200, &b"login"[..]));
    let style = anonymous.send(Method::GET, "/login/style.css", &host, "").await;
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
    let gate = customer.send(Method::GET, "/orders", &host, "").await;
    let home = format!("{}/", server.test.shop.config().base_url());
    assert_eq!(redirect(&gate), Some(home.as_str()));
    let full = anonymous.send(Method::GET, "/admin/orders", &host, "").await;
    assert_eq!(redirect(&full), Some("/login?next=/admin/orders"));
}

#[tokio::test]
async fn a_suspended_admin_is_a_stranger_to_the_back_offices_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let admin = server.admin().await;
    assert_eq!(text(&admin, "/admin/orders").await, "orders");
    server.test.raw_sql("UPDATE account SET active = 0 WHERE role = 'ADMIN'");
    assert_eq!(redirect(&admin.get("/admin/orders").await), Some("/login?next=/admin/orders"));
    assert_eq!(admin.get("/api/admin/coupons").await.refused(401).1, "unauthenticated");
}

#[tokio::test]
async fn a_head_of_a_page_has_what_its_get_has_but_the_body() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = with_pages(folder.path()).await;
    let anonymous = server.anonymous();
    let get = anonymous.get("/").await;
    let head = anonymous.send(Method::HEAD, "/", &[], "").await;
    assert_eq!((head.status, head.body.len()), (get.status, 0));
    for name in ["content-type", "etag", "content-length", "cache-control"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    assert_eq!(get.header("content-type"), Some("text/html; charset=utf-8"));
    let gate = anonymous.send(Method::HEAD, "/admin/orders", &[], "").await;
    assert_eq!(redirect(&gate), Some("/login?next=/admin/orders"));
    assert_eq!(
        anonymous.post("/login", &serde_json::Value::Null).await.refused(404).1,
        "not_found"
    );
}

#[tokio::test]
async fn no_other_page_makes_an_admins_browser_change_anything() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let host = server.address.to_string();
    let body = r#"{"webAnalyticsId":"G-1"}"#;
    let path = "/api/admin/settings/analytics";
    let send = async |origin: &str, host: &str| {
        let headers = [("content-type", "application/json"), ("origin", origin), ("host", host)];
        admin.send(Method::PATCH, path, &headers, body).await
    };
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(send(origin, &host).await.refused(403).1, "foreign_origin", "{origin}");
    }
    assert!(admin.get(path).await.expect(200)["webAnalyticsId"].is_null());
    send("https://admin.loja.example", "admin.loja.example").await.expect(200);
    assert_eq!(admin.get(path).await.expect(200)["webAnalyticsId"], "G-1");
}

#[tokio::test]
async fn headers_make_no_caller_an_admin() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let me = admin.get("/api/auth/me").await.expect(200)["id"].clone();
    let claims = [
        ("x-user-id", me.as_str().expect("an id")),
        ("x-user-role", "ADMIN"),
        ("x-user-email", "equipe@example.com"),
    ];
    for (client, status) in [(server.anonymous(), 401), (server.customer("ana").await, 403)] {
        let answer = client.send(Method::GET, "/api/admin/customers", &claims, "").await;
        assert_eq!(
            answer.refused(status).0,
            if status == 401 { "Não autenticado" } else { "Acesso negado" }
        );
    }
}
