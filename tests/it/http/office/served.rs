//! How the pages are served: from the program, behind the gate, with a strict policy.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use sha2::{Digest, Sha256};
use shop_server::ServeOptions;

use super::super::TestServer;
use super::super::client::{Answer, Client};

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shop-server/pages");

async fn text(client: &Client, path: &str) -> (Answer, String) {
    let answer = client.get(path).await;
    assert_eq!(answer.status, 200, "{path}");
    let text = String::from_utf8(answer.body.to_vec()).expect("text");
    (answer, text)
}

#[tokio::test]
async fn each_screen_has_its_address_and_strangers_get_nothing_behind_the_gate() {
    let server = TestServer::start().await;
    let (admin, customer, anonymous) =
        (server.admin().await, server.customer("ana").await, server.anonymous());
    let (_, shell) = text(&admin, "/admin").await;
    assert!(shell.contains("<title>Painel</title>"));
    for path in [
        "/admin/tasks",
        "/admin/orders",
        "/admin/orders/01a1fe9f",
        "/admin/products",
        "/admin/products/new",
        "/admin/categories",
        "/admin/stock",
        "/admin/coupons",
        "/admin/customers",
        "/admin/customers/01a1fe9f",
        "/admin/reviews",
        "/admin/shipping",
        "/admin/webhooks",
        "/admin/api-keys",
        "/admin/newsletter",
        "/admin/settings",
        "/admin/invoices",
        "/admin/audit",
        "/admin/account",
    ] {
        assert_eq!(text(&admin, path).await.1, shell, "{path}");
        let log_in = format!("/login?next={path}");
        assert_eq!(anonymous.get(path).await.header("location"), Some(&*log_in), "{path}");
        assert_eq!(customer.get(path).await.header("location"), Some("/"), "{path}");
    }
    for path in ["/admin/app.js", "/admin/orders/detail.js", "/admin/vendor/preact.js"] {
        let (answer, _) = text(&admin, path).await;
        assert_eq!(answer.header("content-type"), Some("text/javascript; charset=utf-8"));
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        let log_in = format!("/login?next={path}");
        assert_eq!(anonymous.get(path).await.header("location"), Some(&*log_in), "{path}");
        let tag = [("if-none-match", answer.header("etag").expect("a tag"))];
        assert_eq!(admin.send(Method::GET, path, &tag, "").await.status, 304);
    }
    for path in ["/admin/nothing", "/admin/orders/missing.js", "/admin/orders/a/b"] {
        assert_eq!(admin.get(path).await.refused(404).1, "not_found", "{path}");
    }
    let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    let missing = admin.send(Method::GET, "/admin/nothing", &browser, "").await;
    assert_eq!((missing.status.as_u16(), &*missing.body), (404, shell.as_bytes()));
    let file = admin.send(Method::GET, "/admin/orders/missing.js", &browser, "").await;
    assert_eq!(file.refused(404).1, "not_found", "a missing file is no page");
    assert!(text(&anonymous, "/login").await.1.contains("Esqueci a senha"));
    text(&anonymous, "/login/base.css").await;
}

#[tokio::test]
async fn the_policy_lets_only_the_servers_own_scripts_and_the_import_map_run() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (answer, page) = text(&admin, "/admin").await;
    let map = page.split_once("<script type=\"importmap\">").expect("a map").1;
    let map = map.split_once("</script>").expect("an end").0;
    let hash = STANDARD.encode(Sha256::digest(map));
    let policy = format!(
        "default-src 'self'; img-src 'self' data: blob: https:; script-src 'self' 'sha256-{hash}'; \
         style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    );
    for path in ["/admin", "/admin/app.js", "/login", "/login/login.js"] {
        let answer = admin.get(path).await;
        assert_eq!(answer.header("content-security-policy"), Some(policy.as_str()), "{path}");
    }
    assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
}

#[tokio::test]
async fn the_first_page_of_a_shop_without_a_storefront_is_for_browsers_alone() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    let page = anonymous.send(Method::GET, "/", &browser, "").await;
    let text = String::from_utf8(page.body.to_vec()).expect("text");
    assert_eq!((page.status.as_u16(), page.header("vary")), (200, Some("Accept")));
    for part in ["Loja de Velas", "href=\"/admin\"", "href=\"/docs\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(anonymous.get("/").await.refused(404).1, "not_found");
    let program = [("accept", "application/json")];
    assert_eq!(anonymous.send(Method::GET, "/", &program, "").await.refused(404).1, "not_found");
}

#[tokio::test]
async fn pages_of_the_shop_come_before_those_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("login.html"), "own login").expect("written");
    let pages_dir = Some(folder.path().to_owned());
    let options = ServeOptions { pages_dir, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let admin = server.admin().await;
    assert_eq!(text(&admin, "/login").await.1, "own login");
    text(&admin, "/login/base.css").await;
    assert!(text(&admin, "/admin").await.1.contains("Painel"));
    // With a back office of its own nothing of the program's is served.
    std::fs::create_dir(folder.path().join("admin")).expect("made");
    std::fs::write(folder.path().join("admin/index.html"), "own office").expect("written");
    assert_eq!(text(&admin, "/admin").await.1, "own office");
    assert_eq!(text(&admin, "/admin/orders/01a1fe9f").await.1, "own office");
    assert_eq!(admin.get("/admin/app.js").await.refused(404).1, "not_found");
}

/// What `README.md` in a folder of copied files says of them.
fn hold_checksums(folder: &str) {
    let table = std::fs::read_to_string(format!("{folder}/README.md")).expect("a table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut held = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(|it| it.trim_matches([' ', '`'])).collect();
        let [name, .., sum, _] = cells[..] else { panic!("{row}") };
        let content = std::fs::read(format!("{folder}/{name}")).expect("a file");
        assert_eq!(hex::encode(Sha256::digest(content)), sum, "{name}");
        held += 1;
    }
    let code = std::fs::read_dir(folder).expect("a folder").filter(|entry| {
        entry.as_ref().expect("an entry").path().extension().is_some_and(|it| it == "js")
    });
    assert_eq!(held, code.count(), "each file is in the table of {folder}");
}

#[test]
fn copied_files_are_what_their_packages_have() {
    hold_checksums(&format!("{PAGES}/admin/vendor"));
    hold_checksums(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/storefront/loja/vendor"));
    hold_checksums(concat!(env!("CARGO_MANIFEST_DIR"), "/vendor"));
}
