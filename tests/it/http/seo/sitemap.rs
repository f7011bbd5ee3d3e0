//! `sitemap.xml` and `robots.txt`.

use hyper::Method;
use roxmltree::Document;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::site::SitePage;
use shop_server::ServeOptions;

use super::super::TestServer;
use super::{category, options, product, storefront, text};
use crate::core::fixture::input;
use crate::database::is_file;

const DOCUMENTS: [&str; 3] = ["/robots.txt", "/sitemap.xml", "/feeds/products.xml"];

/// What a list of pages, or of such lists, names.
fn addresses(xml: &str) -> Vec<String> {
    let document = Document::parse(xml).expect("XML");
    let locs = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.sitemaps.org/schemas/sitemap/0.9", "loc")));
    locs.map(|node| node.text().expect("an address").to_owned()).collect()
}

#[tokio::test]
async fn the_sitemap_lists_every_page_and_nothing_else() {
    let server = storefront().await;
    let base = server.test.shop.config().base_url();
    category(&server, "Velas").await;
    for name in ["vela-a", "vela-b"] {
        server.test.product(name, 1, 1000).await;
    }
    let hidden =
        json!({ "name": "Oculta", "slug": "oculta", "price": 1, "stock": 1, "active": false });
    product(&server, hidden).await;
    let (answer, xml) = text(&server.anonymous(), "/sitemap.xml").await;
    assert_eq!(answer.header("content-type"), Some("application/xml; charset=utf-8"));
    let pages = ["/", "/categoria/velas", "/produto/vela-a", "/produto/vela-b"];
    assert_eq!(addresses(&xml), pages.map(|path| format!("{base}{path}")));
    let changed = server.test.shop.now().to_string();
    assert!(xml.contains(&format!("<lastmod>{changed}</lastmod>")), "{xml}");
    let tag = [("if-none-match", answer.header("etag").expect("a tag"))];
    assert_eq!(server.anonymous().send(Method::GET, "/sitemap.xml", &tag, "").await.status, 304);
    // A page of the page builder, and a new product, are there once they are answered.
    let about = input(json!({ "data": { "title": "Sobre" } }));
    server
        .test
        .shop
        .site()
        .publish(&Actor::System, SitePage::About, about, None)
        .await
        .expect("published");
    server.test.product("vela-c", 1, 1000).await;
    let (_, xml) = text(&server.anonymous(), "/sitemap.xml").await;
    assert_eq!(addresses(&xml).len(), 6);
    assert!(addresses(&xml).contains(&format!("{base}/p/sobre")));
}

#[tokio::test]
async fn a_long_sitemap_is_split_and_products_keep_their_part() {
    if !is_file("a long sitemap is split") {
        return;
    }
    let server = storefront().await;
    let base = server.test.shop.config().base_url();
    for name in ["vela-a", "vela-b", "vela-c"] {
        server.test.product(name, 1, 1000).await;
    }
    // As if so many others had been entered in between, and deleted.
    for (name, pk) in [("vela-b", 50_001), ("vela-c", 170_000)] {
        let stock = format!(
            "UPDATE stock SET product_pk = {pk} WHERE item_id IN (SELECT id FROM product WHERE slug = '{name}')"
        );
        let product = format!("UPDATE product SET pk = {pk} WHERE slug = '{name}'");
        server.test.raw_sql(&format!("{stock}; {product}"));
    }
    let (_, xml) = text(&server.anonymous(), "/sitemap.xml").await;
    assert!(xml.contains("<sitemapindex"), "{xml}");
    let parts = [1, 2, 3, 5].map(|part| format!("{base}/sitemap-{part}.xml"));
    assert_eq!(addresses(&xml), parts);
    for (part, page) in
        [(1, "/"), (2, "/produto/vela-a"), (3, "/produto/vela-b"), (5, "/produto/vela-c")]
    {
        let (_, xml) = text(&server.anonymous(), &format!("/sitemap-{part}.xml")).await;
        assert_eq!(addresses(&xml), [format!("{base}{page}")], "{part}");
    }
    for path in ["/sitemap-4.xml", "/sitemap-6.xml", "/sitemap-0.xml", "/sitemap-4294967295.xml"] {
        assert_eq!(server.anonymous().get(path).await.refused(404).1, "not_found", "{path}");
    }
}

#[tokio::test]
async fn robots_are_told_where_the_sitemap_is_and_what_is_not_for_them() {
    let server = storefront().await;
    let base = server.test.shop.config().base_url();
    let (answer, robots) = text(&server.anonymous(), "/robots.txt").await;
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    for line in [
        "User-agent: *",
        "Disallow: /admin",
        "Disallow: /api",
        "Disallow: /carrinho",
        "Disallow: /finalizar",
        "Disallow: /conta$",
        "Disallow: /conta/",
        "Disallow: /pedido",
    ] {
        assert!(robots.lines().any(|it| it == line), "{line}: {robots}");
    }
    assert!(robots.ends_with(&format!("\nSitemap: {base}/sitemap.xml\n")), "{robots}");
    for path in DOCUMENTS {
        assert_eq!(server.anonymous().post(path, &json!({})).await.status, 404, "{path}");
        let head = server.anonymous().send(Method::HEAD, path, &[], "").await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0), "{path}");
    }
}

#[tokio::test]
async fn a_shop_without_a_storefront_lists_its_products_once_they_have_an_address() {
    let server = TestServer::start().await;
    for path in DOCUMENTS {
        assert_eq!(server.anonymous().get(path).await.refused(404).1, "not_found", "{path}");
    }
    let adapt = |config: &mut shop_core::Config| {
        config.site.product_url = Some("https://velas.example/{slug}".to_owned());
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    category(&server, "Velas").await;
    server.test.product("vela-a", 1, 1000).await;
    let (_, xml) = text(&server.anonymous(), "/sitemap.xml").await;
    assert_eq!(addresses(&xml), ["https://velas.example/vela-a"]);
    text(&server.anonymous(), "/robots.txt").await;
}

#[tokio::test]
async fn files_of_the_shop_come_first() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("robots.txt"), "own").expect("written");
    std::fs::write(folder.path().join("index.html"), "<!-- head -->").expect("written");
    let pages_dir = Some(folder.path().to_owned());
    for storefront in [None, options().storefront] {
        let options = ServeOptions { storefront, pages_dir: pages_dir.clone(), ..options() };
        let server = TestServer::start_with(|_| {}, options).await;
        assert_eq!(text(&server.anonymous(), "/robots.txt").await.1, "own");
        let (_, xml) = text(&server.anonymous(), "/sitemap.xml").await;
        assert_eq!(addresses(&xml).len(), 1);
    }
}

#[tokio::test]
async fn one_client_does_not_have_documents_made_without_end() {
    let options = ServeOptions { cache: false, ..options() };
    let server = TestServer::start_with(|_| {}, options).await;
    let client = server.anonymous();
    for _ in 0..60 {
        text(&client, "/sitemap.xml").await;
    }
    assert_eq!(client.get("/feeds/products.xml").await.refused(429).1, "rate_limited");
    text(&client, "/").await;
}
