//! What search engines and messengers read in the page of a storefront, and what browsers without
//! scripts show.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::actor::Actor;

use super::super::TestServer;
use super::{HOSTILE, category, options, product, storefront, text};
use crate::core::fixture::input;

/// The blocks of JSON-LD of a page.
fn data_of(page: &str) -> Vec<Value> {
    let begin = "<script type=\"application/ld+json\">";
    let blocks = page.split(begin).skip(1);
    blocks
        .map(|rest| rest.split("</script>").next().expect("an end"))
        .map(|block| serde_json::from_str(block).expect("JSON"))
        .collect()
}

/// The block of a type.
fn of_type(page: &str, kind: &str) -> Value {
    let blocks = data_of(page);
    let found = blocks.iter().find(|block| block["@type"] == kind);
    found.unwrap_or_else(|| panic!("{kind}: {blocks:?}")).clone()
}

/// The content of an element of the head, as a browser reads it.
fn content(page: &str, name: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("\"{name}\" content=\""))?;
    let escaped = rest.split('"').next()?;
    let plain = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    Some(plain.replace("&#39;", "'").replace("&amp;", "&"))
}

#[tokio::test]
async fn a_products_page_says_what_search_engines_and_messengers_read() {
    let server = storefront().await;
    let base = server.test.shop.config().base_url();
    let velas = category(&server, "Velas").await;
    let new = json!({
        "name": "Vela de Lavanda", "slug": "vela", "price": 59.9, "stock": 3, "sku": "VL-1",
        "description": "Cera de soja.\n\nQueima por 40 horas.", "categoryId": velas,
        "images": [{ "url": "/uploads/b.jpg" }, { "url": "/uploads/a.jpg", "isPrimary": true }],
    });
    product(&server, new).await;
    let (answer, page) = text(&server.anonymous(), "/produto/vela").await;
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    let url = format!("{base}/produto/vela");
    assert!(page.contains("<title>Vela de Lavanda | Loja de Velas</title>"), "{page}");
    assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{url}\">")), "{page}");
    for (name, wanted) in [
        ("description", "Cera de soja. Queima por 40 horas."),
        ("og:type", "product"),
        ("og:title", "Vela de Lavanda | Loja de Velas"),
        ("og:description", "Cera de soja. Queima por 40 horas."),
        ("og:url", &*url),
        ("og:image", &format!("{base}/uploads/a.jpg")),
        ("product:price:amount", "59.90"),
        ("product:price:currency", "BRL"),
        ("product:availability", "in stock"),
    ] {
        assert_eq!(content(&page, name).as_deref(), Some(wanted), "{name}");
    }
    let data = of_type(&page, "Product");
    assert_eq!((&data["name"], &data["sku"]), (&json!("Vela de Lavanda"), &json!("VL-1")));
    assert_eq!(data["image"][0], json!(format!("{base}/uploads/a.jpg")));
    assert_eq!(
        data["offers"],
        json!({
            "@type": "Offer", "url": url, "sku": "VL-1", "price": "59.90", "priceCurrency": "BRL",
            "availability": "https://schema.org/InStock",
            "itemCondition": "https://schema.org/NewCondition",
        })
    );
    // Nobody has rated it.
    assert_eq!(data.get("aggregateRating"), None);
    let crumbs = of_type(&page, "BreadcrumbList")["itemListElement"].clone();
    let names: Vec<&Value> =
        crumbs.as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["Loja de Velas", "Velas", "Vela de Lavanda"]);
    assert_eq!(crumbs[1]["item"], json!(format!("{base}/categoria/velas")));
    let (_, main) = page.split_once("<main").expect("a main part");
    for part in [
        "<h1 dir=\"auto\">Vela de Lavanda</h1>",
        "<img src=\"/uploads/a.jpg\"",
        "R$\u{a0}59,90",
        "<p dir=\"auto\">Queima por 40 horas.</p>",
    ] {
        assert!(main.replace("R$ ", "R$\u{a0}").contains(part), "{part}: {main}");
    }
}

#[tokio::test]
async fn ratings_and_variants_are_said_where_there_are_some() {
    let server = storefront().await;
    let new = json!({
        "name": "Vela", "slug": "vela", "price": 10, "stock": 0, "variants": [
            { "price": 30, "stock": 0, "sku": "V-200", "values": [{ "variantType": "Tamanho", "value": "200 g" }] },
            { "price": 20, "stock": 1, "sku": "V-100", "values": [{ "variantType": "Tamanho", "value": "100 g" }] },
        ],
    });
    product(&server, new).await;
    let ana = server.customer("ana").await;
    let review = json!({ "rating": 4, "body": "Perfuma a casa." });
    let review = ana.post("/api/products/vela/reviews", &review).await.expect(201);
    let (_, before) = text(&server.anonymous(), "/produto/vela").await;
    assert_eq!(of_type(&before, "Product").get("aggregateRating"), None);
    let id = review["id"].as_str().expect("an id").into();
    server.test.shop.reviews().moderate(&Actor::System, &id, true, None).await.expect("approved");
    let (_, page) = text(&server.anonymous(), "/produto/vela").await;
    let data = of_type(&page, "Product");
    let rating = &data["aggregateRating"];
    assert_eq!((&rating["ratingValue"], &rating["reviewCount"]), (&json!(4.0), &json!(1)));
    let offers = data["offers"].as_array().expect("offers");
    let told: Vec<_> = offers.iter().map(|it| (&it["sku"], &it["price"], &it["name"])).collect();
    assert_eq!(
        told,
        [
            (&json!("V-200"), &json!("30.00"), &json!("200 g")),
            (&json!("V-100"), &json!("20.00"), &json!("100 g")),
        ]
    );
    assert_eq!(offers[0]["availability"], "https://schema.org/OutOfStock");
    assert_eq!(content(&page, "product:price:amount").as_deref(), Some("20.00"));
    assert_eq!(content(&page, "product:availability").as_deref(), Some("in stock"));
    assert!(page.contains("A partir de R$"), "{page}");
    let (_, home) = text(&server.anonymous(), "/").await;
    assert!(home.contains("A partir de R$") && home.contains("20,00"), "{home}");
}

#[tokio::test]
async fn units_of_its_own_do_not_put_in_stock_what_is_sold_in_variants_only() {
    let server = storefront().await;
    let new = json!({
        "name": "Vela", "slug": "vela", "price": 10, "stock": 5, "variantRequired": true,
        "variants": [{ "price": 10, "stock": 0, "values": [{ "variantType": "Cor", "value": "Azul" }] }],
    });
    product(&server, new).await;
    let new =
        json!({ "name": "Sem", "slug": "sem", "price": 10, "stock": 5, "variantRequired": true });
    product(&server, new).await;
    for slug in ["vela", "sem"] {
        let (_, page) = text(&server.anonymous(), &format!("/produto/{slug}")).await;
        assert_eq!(content(&page, "product:availability").as_deref(), Some("out of stock"));
        let offers = &of_type(&page, "Product")["offers"];
        let offer = offers.get(0).unwrap_or(offers);
        assert_eq!(offer["availability"], "https://schema.org/OutOfStock");
    }
    let list = server.anonymous().get("/api/products").await.expect(200);
    let told: Vec<_> = list["data"].as_array().expect("products").iter().collect();
    assert!(
        told.iter().all(|it| it["inStock"] == json!(false) && it["stock"] == json!(5)),
        "{list}"
    );
}

#[tokio::test]
async fn home_and_categories_say_what_they_are_and_lead_to_products() {
    let server = storefront().await;
    let base = server.test.shop.config().base_url();
    let velas = category(&server, "Velas").await;
    product(&server, json!({ "name": "Lavanda", "slug": "lavanda", "price": 1, "stock": 1, "categoryId": velas })).await;
    product(&server, json!({ "name": "Difusor", "slug": "difusor", "price": 1, "stock": 1 })).await;
    let (_, home) = text(&server.anonymous(), "/").await;
    assert_eq!(content(&home, "og:url"), Some(format!("{base}/")));
    let graph = &data_of(&home)[0]["@graph"];
    assert_eq!(
        (&graph[0]["@type"], &graph[1]["@type"]),
        (&json!("WebSite"), &json!("Organization"))
    );
    for link in ["/produto/lavanda", "/produto/difusor", "/categoria/velas"] {
        assert!(home.contains(&format!("<a href=\"{link}\"")), "{link}: {home}");
    }
    let (_, page) = text(&server.anonymous(), "/categoria/velas").await;
    assert!(page.contains("<title>Velas | Loja de Velas</title>"), "{page}");
    assert_eq!(content(&page, "description").as_deref(), Some("Tudo de Velas"));
    assert_eq!(content(&page, "og:url"), Some(format!("{base}/categoria/velas")));
    assert_eq!(of_type(&page, "BreadcrumbList")["itemListElement"][1]["name"], "Velas");
    assert!(page.contains("href=\"/produto/lavanda\"") && !page.contains("difusor"), "{page}");
}

#[tokio::test]
async fn what_is_not_on_sale_is_a_404_with_the_bare_page() {
    let server = storefront().await;
    let hidden = input(json!({ "name": "Antigas", "active": false }));
    server.test.shop.categories().create(&Actor::System, hidden).await.expect("a category");
    let new =
        json!({ "name": "Segredo", "slug": "segredo", "price": 1, "stock": 1, "active": false });
    product(&server, new).await;
    for path in ["/produto/segredo", "/produto/nada", "/categoria/antigas", "/categoria/nada"] {
        let answer = server.anonymous().get(path).await;
        let page = String::from_utf8(answer.body.to_vec()).expect("text");
        assert_eq!(answer.status, 404, "{path}");
        assert!(page.contains("<title>Loja de Velas</title>") && page.contains("<main"), "{page}");
        assert!(!page.contains("Segredo") && !page.contains("og:"), "{page}");
        assert!(answer.header("content-security-policy").is_some(), "{path}");
        let tag = [("if-none-match", "*")];
        assert_eq!(server.anonymous().send(Method::GET, path, &tag, "").await.status, 404);
    }
}

#[tokio::test]
async fn no_name_of_a_product_becomes_markup() {
    let server = storefront().await;
    let new = json!({
        "name": HOSTILE, "slug": "vela", "price": 1, "stock": 1, "description": HOSTILE,
        "images": [{ "url": "/uploads/a.jpg?b=1&c=2", "alt": "\"><script>alert(1)</script>" }],
    });
    product(&server, new).await;
    for path in ["/produto/vela", "/"] {
        let (_, page) = text(&server.anonymous(), path).await;
        assert!(!page.contains("<script>alert") && !page.contains("<!--"), "{path}: {page}");
        assert!(!page.contains("</script><script>"), "{path}: {page}");
    }
    let (_, page) = text(&server.anonymous(), "/produto/vela").await;
    assert_eq!(of_type(&page, "Product")["name"], HOSTILE);
    assert_eq!(content(&page, "og:title"), Some(format!("{HOSTILE} | Loja de Velas")));
    assert_eq!(content(&page, "og:image:alt").as_deref(), Some("\"><script>alert(1)</script>"));
}

#[tokio::test]
async fn the_page_shows_a_change_that_was_answered() {
    let server = storefront().await;
    let vela =
        product(&server, json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 9 })).await;
    let (client, admin) = (server.anonymous(), server.admin().await);
    let path = format!("/api/admin/products/{}", vela.id);
    for price in 11..31 {
        text(&client, "/produto/vela").await;
        admin.patch(&path, &json!({ "price": price })).await.expect(200);
        let (_, page) = text(&client, "/produto/vela").await;
        let shown = of_type(&page, "Product")["offers"]["price"].clone();
        assert_eq!(shown, json!(format!("{price}.00")));
    }
    let (first, _) = text(&client, "/produto/vela?utm_source=x").await;
    let tag = [("if-none-match", first.header("etag").expect("a tag"))];
    let again = client.send(Method::GET, "/produto/vela", &tag, "").await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    assert!(again.header("content-security-policy").is_some());
    let head = client.send(Method::HEAD, "/produto/vela", &[], "").await;
    assert_eq!(head.header("etag"), first.header("etag"));
    let gone = json!({ "active": false });
    admin.patch(&path, &gone).await.expect(200);
    assert_eq!(client.get("/produto/vela").await.status, 404);
}

#[tokio::test]
async fn the_back_offices_host_has_no_storefront() {
    let server = storefront().await;
    product(&server, json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 9 })).await;
    for (path, log_in) in [("/", "/login"), ("/produto/vela", "/login?next=/admin/produto/vela")] {
        text(&server.anonymous(), path).await;
        let host = [("host", "admin.loja.example")];
        let answer = server.anonymous().send(Method::GET, path, &host, "").await;
        assert_eq!(answer.header("location"), Some(log_in), "{path}");
    }
}

#[tokio::test]
async fn products_have_the_address_that_is_set() {
    let adapt = |config: &mut shop_core::Config| {
        config.site.product_url = Some("https://velas.example/p?s={slug}".to_owned());
    };
    let server = TestServer::start_with(adapt, options()).await;
    product(&server, json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 9 })).await;
    let (_, page) = text(&server.anonymous(), "/produto/vela").await;
    assert_eq!(content(&page, "og:url").as_deref(), Some("https://velas.example/p?s=vela"));
}
