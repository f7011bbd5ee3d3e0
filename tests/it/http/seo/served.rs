//! How a storefront is served: from the program, or from a copy in `pages_dir`.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use sha2::{Digest, Sha256};
use shop_server::ServeOptions;

use super::super::TestServer;
use super::{options, storefront, text};

const SCREENS: [&str; 11] = [
    "/busca?q=vela",
    "/carrinho",
    "/finalizar",
    "/pedido/PED-20260102-0001",
    "/conta",
    "/conta/enderecos",
    "/conta/pedidos/1",
    "/cadastro",
    "/senha",
    "/contato",
    "/p/sobre",
];

#[tokio::test]
async fn the_program_serves_its_storefront_where_it_is_set() {
    let server = storefront().await;
    let anonymous = server.anonymous();
    for path in SCREENS.into_iter().chain(["/", "/index.html"]) {
        let (answer, page) = text(&anonymous, path).await;
        assert!(page.contains("<title>") && page.contains("<main id=\"page\""), "{path}");
        assert!(!page.contains("<!-- head -->") && !page.contains("<!-- page -->"), "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{path}");
        let head = anonymous.send(Method::HEAD, path, &[], "").await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0), "{path}");
        let tag = [("if-none-match", answer.header("etag").expect("a tag"))];
        assert_eq!(anonymous.send(Method::GET, path, &tag, "").await.status, 304, "{path}");
        assert_eq!(anonymous.post(path, &serde_json::json!({})).await.status, 404, "{path}");
    }
    let (script, _) = text(&anonymous, "/loja/app.js").await;
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let brotli = [("accept-encoding", "br")];
    let packed = anonymous.send(Method::GET, "/loja/app.js", &brotli, "").await;
    assert_eq!(packed.header("content-encoding"), Some("br"));
    for path in ["/loja/nothing.js", "/produto", "/conta/a/b/c", "/pedido/a.js", "/README.md"] {
        assert_eq!(anonymous.get(path).await.refused(404).1, "not_found", "{path}");
    }
    assert!(text(&anonymous, "/login").await.1.contains("Esqueci a senha"));
    let strangers = anonymous.get("/admin").await;
    assert_eq!(strangers.header("location"), Some("/login"));
}

/// As browsers send it.
const BROWSER: [(&str, &str); 1] =
    [("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")];

#[tokio::test]
async fn a_browser_at_an_address_that_nobody_has_gets_the_storefront_and_a_404() {
    let server = storefront().await;
    let anonymous = server.anonymous();
    for path in ["/velas", "/produto", "/conta/a/b/c", "/produto/nothing"] {
        let answer = anonymous.send(Method::GET, path, &BROWSER, "").await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert!(answer.header("content-security-policy").is_some(), "{path}");
        let page = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(page.contains("<title>Loja de Velas</title>"), "{path}: {page}");
    }
    for path in ["/loja/nothing.js", "/api/nothing", "/api/products/nothing"] {
        let answer = anonymous.send(Method::GET, path, &BROWSER, "").await;
        assert!(answer.refused(404).1.ends_with("not_found"), "{path}");
    }
    let admin = server.admin().await;
    let answer = admin.send(Method::GET, "/admin/a/b", &BROWSER, "").await;
    let page = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.status == 404 && page.contains("<title>Painel</title>"), "the back office's");
}

#[tokio::test]
async fn without_the_setting_there_is_no_storefront() {
    let server = TestServer::start().await;
    for path in SCREENS.into_iter().chain(["/", "/index.html", "/loja/app.js"]) {
        let answer = server.anonymous().send(Method::GET, path, &BROWSER, "").await;
        if path != "/" {
            assert_eq!(answer.refused(404).1, "not_found", "{path}");
        }
        assert_eq!(server.anonymous().get(path).await.refused(404).1, "not_found", "{path}");
    }
}

#[tokio::test]
async fn the_policy_names_the_import_map_of_the_storefront() {
    let server = storefront().await;
    let (answer, page) = text(&server.anonymous(), "/carrinho").await;
    let map = page.split_once("<script type=\"importmap\">");
    let map = map.and_then(|(_, rest)| rest.split_once("</script>"));
    let hash = map.map(|(map, _)| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(map))));
    let policy = format!(
        "default-src 'self'; img-src 'self' data: blob: https:; script-src 'self'{}; style-src 'self'; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        hash.unwrap_or_default()
    );
    assert_eq!(answer.header("content-security-policy"), Some(policy.as_str()));
}

fn pages(folder: &Path, files: &[(&str, &str)]) -> ServeOptions {
    for (name, text) in files {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }
    ServeOptions { pages_dir: Some(folder.to_owned()), ..options() }
}

#[tokio::test]
async fn a_copy_of_the_storefront_comes_first_and_is_filled_in_like_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("index.html", "<head><!-- head --></head><main id=\"page\"><!-- page --></main> copy"),
        ("loja/app.js", "own"),
        ("contato.html", "own contact"),
    ];
    for storefront in [None, options().storefront] {
        let options = ServeOptions { storefront, ..pages(folder.path(), &files) };
        let server = TestServer::start_with(|_| {}, options).await;
        let anonymous = server.anonymous();
        for path in ["/", "/index.html", "/carrinho", "/conta/pedidos/1"] {
            let (_, page) = text(&anonymous, path).await;
            assert!(page.contains("<title>Loja de Velas</title>"), "{path}: {page}");
            assert!(page.ends_with("</main> copy") && !page.contains("<!--"), "{path}: {page}");
        }
        let missing = anonymous.send(Method::GET, "/velas", &BROWSER, "").await;
        assert_eq!((missing.status.as_u16(), missing.body.ends_with(b"</main> copy")), (404, true));
        assert_eq!(text(&anonymous, "/loja/app.js").await.1, "own");
        assert_eq!(text(&anonymous, "/contato").await.1, "own contact");
        // Halves of two storefronts do not fit.
        assert_eq!(anonymous.get("/loja/style.css").await.status, 404);
        // A change shows at once.
        std::fs::write(folder.path().join("index.html"), "<!-- head --> changed").expect("written");
        assert!(text(&anonymous, "/carrinho").await.1.ends_with("changed"));
    }
}

#[tokio::test]
async fn a_first_page_that_is_too_large_to_be_filled_in_is_served_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = format!("<head><!-- head --></head>{}<p>end", "x".repeat(300 * 1024));
    let files = [("index.html", page.as_str())];
    let server = TestServer::start_with(|_| {}, pages(folder.path(), &files)).await;
    assert!(text(&server.anonymous(), "/").await.1.ends_with("<p>end"));
}

#[tokio::test]
async fn a_first_page_of_another_kind_is_served_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [("index.html", "<title>own</title>")];
    let server = TestServer::start_with(|_| {}, pages(folder.path(), &files)).await;
    let anonymous = server.anonymous();
    assert_eq!(text(&anonymous, "/").await.1, "<title>own</title>");
    for path in ["/carrinho", "/produto/vela", "/loja/app.js"] {
        assert_eq!(anonymous.get(path).await.status, 404, "{path}");
    }
}
