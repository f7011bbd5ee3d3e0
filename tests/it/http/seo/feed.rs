//! The feed of products, by Google's product data specification.

use roxmltree::{Document, Node};
use serde_json::{Value, json};

use super::super::TestServer;
use super::{HOSTILE, category, product, storefront, text};

const FEED: &str = "/feeds/products.xml";
const GOOGLE: &str = "http://base.google.com/ns/1.0";

/// What the elements of an item say, by their names, in their order.
type Item = Vec<(String, String)>;

fn items(xml: &str) -> Vec<Item> {
    let document = Document::parse(xml).expect("XML");
    let told = |node: Node<'_, '_>| {
        let prefix = if node.tag_name().namespace() == Some(GOOGLE) { "g:" } else { "" };
        let texts: String =
            node.descendants().filter_map(|it| it.is_text().then(|| it.text()).flatten()).collect();
        (format!("{prefix}{}", node.tag_name().name()), texts)
    };
    let items = document.descendants().filter(|node| node.has_tag_name("item"));
    items.map(|item| item.children().filter(Node::is_element).map(told).collect()).collect()
}

fn all<'i>(item: &'i Item, name: &str) -> Vec<&'i str> {
    item.iter().filter(|(it, _)| it == name).map(|(_, text)| text.as_str()).collect()
}

fn one<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    all(item, name).first().copied()
}

async fn feed(server: &TestServer) -> Vec<Item> {
    items(&text(&server.anonymous(), FEED).await.1)
}

#[tokio::test]
async fn a_product_has_the_fields_of_the_specification() {
    let server = storefront().await;
    let base = server.test.shop.config().base_url();
    let velas = category(&server, "Velas").await;
    let images: Vec<Value> = (0..13)
        .map(|n| json!({ "url": format!("/uploads/maçã-{n}.jpg"), "isPrimary": n == 2 }))
        .collect();
    let vela = product(&server, json!({
        "name": "Vela de Lavanda", "slug": "vela", "price": 49.9, "comparePrice": 59.9, "stock": 3,
        "sku": "VL-1", "weight": 0.35, "description": "Cera de soja.", "categoryId": velas,
        "images": images,
    })).await;
    let fiscal = format!("/api/admin/products/{}/fiscal", vela.id);
    let admin = server.admin().await;
    let before = feed(&server).await;
    assert_eq!(one(&before[0], "g:gtin"), None);
    admin.patch(&fiscal, &json!({ "gtin": "7891000315507" })).await.expect(200);
    let feed = feed(&server).await;
    let [item] = &feed[..] else { panic!("{feed:?}") };
    for (name, wanted) in [
        ("g:id", "VL-1"),
        ("title", "Vela de Lavanda"),
        ("description", "Cera de soja."),
        ("link", &*format!("{base}/produto/vela")),
        ("g:image_link", &*format!("{base}/uploads/ma%C3%A7%C3%A3-2.jpg")),
        ("g:availability", "in_stock"),
        ("g:price", "59.90 BRL"),
        ("g:sale_price", "49.90 BRL"),
        ("g:condition", "new"),
        ("g:brand", "Loja de Velas"),
        ("g:gtin", "7891000315507"),
        ("g:mpn", "VL-1"),
        ("g:product_type", "Velas"),
        ("g:shipping_weight", "0.350 kg"),
    ] {
        assert_eq!(all(item, name), [wanted], "{name}");
    }
    assert_eq!(all(item, "g:additional_image_link").len(), 10);
    for absent in ["g:identifier_exists", "g:item_group_id"] {
        assert_eq!(one(item, absent), None, "{absent}");
    }
}

#[tokio::test]
async fn only_what_is_on_sale_is_listed_each_variant_by_itself() {
    let server = storefront().await;
    let hidden =
        json!({ "name": "Oculta", "slug": "oculta", "price": 1, "stock": 1, "active": false });
    product(&server, hidden).await;
    let named = |kind: &str, value: &str| json!({ "variantType": kind, "value": value });
    let kit = product(&server, json!({
        "name": "Kit", "slug": "kit", "price": 10, "stock": 0, "variants": [
            { "price": 30, "stock": 0, "sku": "K-200", "values": [named("Tamanho", "200 g"), named("Aroma", "Cravo")] },
            { "price": 20, "comparePrice": 20, "stock": 1, "values": [named("Tamanho", "100 g"), named("Aroma", "Cravo")] },
        ],
    })).await;
    product(&server, json!({ "name": "Pavio", "slug": "pavio", "price": 5, "stock": 1 })).await;
    let feed = feed(&server).await;
    let [large, small, wick] = &feed[..] else { panic!("{feed:?}") };
    assert_eq!(one(large, "g:id"), Some("K-200"));
    assert_eq!(one(small, "g:id"), Some(kit.variants[1].id.as_str()));
    for variant in [large, small] {
        assert_eq!(one(variant, "g:item_group_id"), Some("kit"));
        assert_eq!(all(variant, "g:product_detail"), ["AromaCravo"]);
    }
    assert_eq!(
        (one(large, "title"), one(large, "g:size")),
        (Some("Kit - 200 g, Cravo"), Some("200 g"))
    );
    assert_eq!(
        (one(large, "g:price"), one(large, "g:availability")),
        (Some("30.00 BRL"), Some("out_of_stock"))
    );
    assert_eq!((one(small, "g:price"), one(small, "g:sale_price")), (Some("20.00 BRL"), None));
    // What nobody gave a number has none, and what has no picture says so by having none.
    assert_eq!((one(wick, "g:identifier_exists"), one(wick, "g:mpn")), (Some("no"), None));
    assert_eq!((one(wick, "g:id"), one(wick, "g:image_link")), (Some("pavio"), None));
    // Where staff wrote nothing the name describes it.
    assert_eq!(one(wick, "description"), Some("Pavio"));
}

#[tokio::test]
async fn a_product_of_others_has_neither_the_shops_brand_nor_its_number() {
    let server = storefront().await;
    let new = json!({ "name": "Fósforo", "slug": "fosforo", "price": 5, "stock": 1, "sku": "F-1" });
    let match_box = product(&server, new).await;
    let fiscal = format!("/api/admin/products/{}/fiscal", match_box.id);
    server.admin().await.patch(&fiscal, &json!({ "production": "resale" })).await.expect(200);
    let feed = feed(&server).await;
    assert_eq!((one(&feed[0], "g:brand"), one(&feed[0], "g:mpn")), (None, None));
    assert_eq!(one(&feed[0], "g:identifier_exists"), Some("no"));
}

#[tokio::test]
async fn texts_keep_to_their_limits_and_never_become_markup() {
    let server = storefront().await;
    let long = "ã".repeat(190);
    product(
        &server,
        json!({ "name": long, "slug": "longa", "price": 1, "stock": 1, "sku": "S".repeat(60),
        "description": format!("{HOSTILE}{}", "é".repeat(6000)) }),
    )
    .await;
    product(&server, json!({ "name": HOSTILE, "slug": "vela", "price": 1, "stock": 1 })).await;
    let feed = feed(&server).await;
    let count = |name: &str| one(&feed[0], name).expect("a text").chars().count();
    assert_eq!((count("title"), one(&feed[0], "g:id")), (150, Some("longa")));
    assert!(count("description") <= 5000 && count("description") > 4990);
    let described = one(&feed[0], "description").expect("a text");
    assert!(described.starts_with(HOSTILE), "{described}");
    assert_eq!(one(&feed[1], "title"), Some(HOSTILE));
}

#[tokio::test]
async fn the_feed_shows_a_change_that_was_answered() {
    let server = storefront().await;
    let vela = server.test.product("vela", 2, 1000).await;
    let ana = server.customer("ana").await;
    let admin = server.admin().await;
    for price in 11..21 {
        feed(&server).await;
        let path = format!("/api/admin/products/{vela}");
        admin.patch(&path, &json!({ "price": price })).await.expect(200);
        assert_eq!(one(&feed(&server).await[0], "g:price"), Some(&*format!("{price}.00 BRL")));
    }
    server.test.buy(ana.buyer(), &vela, 2).await.expect("an order");
    assert_eq!(one(&feed(&server).await[0], "g:availability"), Some("out_of_stock"));
}

#[tokio::test]
async fn a_feed_too_large_to_be_kept_is_sent_whole() {
    let server = storefront().await;
    for n in 0..230 {
        let new = json!({ "name": format!("Vela {n}"), "slug": format!("vela-{n}"), "price": 1, "stock": 1,
            "description": "á".repeat(5000) });
        product(&server, new).await;
    }
    let (answer, xml) = text(&server.anonymous(), FEED).await;
    assert!(answer.body.len() > 2 * 1024 * 1024, "{}", answer.body.len());
    let feed = items(&xml);
    let ids: Vec<_> =
        feed.iter().map(|item| one(item, "g:id").expect("an id").to_owned()).collect();
    let wanted: Vec<_> = (0..230).map(|n| format!("vela-{n}")).collect();
    assert_eq!(ids, wanted);
}

#[tokio::test]
async fn a_product_that_is_sold_in_variants_only_and_has_none_is_not_listed() {
    let server = storefront().await;
    let sold =
        json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 9, "variantRequired": true });
    product(&server, sold).await;
    assert_eq!(feed(&server).await, Vec::<Item>::new());
}
