//! What staff do to products.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::audit::AuditFilter;
use shop_core::catalog::{AdminProduct, Product, VariantType};
use shop_core::error::{Conflict, Entity, Refusal};
use shop_core::id::ProductId;
use shop_core::{Error, Result};

use super::fixture::{TestShop, input};

const STAFF: Actor = Actor::System;

pub(super) async fn create(test: &TestShop, fields: Value) -> Product {
    let mut product = json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 5 });
    for (key, value) in fields.as_object().expect("fields") {
        product[key] = value.clone();
    }
    test.shop.products().create(&STAFF, input(product), None).await.expect("a product").product
}

pub(super) async fn patch(test: &TestShop, id: &ProductId, fields: Value) -> Result<Product> {
    test.shop.products().update(&STAFF, id, input(fields), None).await
}

pub(super) async fn list(test: &TestShop, query: &str) -> Vec<AdminProduct> {
    let filter = serde_urlencoded::from_str(query).expect("a filter");
    let page = test.shop.products().list_for_admin(filter).await.expect("a page");
    let total = usize::try_from(page.pagination.total).expect("a total");
    assert_eq!(total, page.data.len(), "all on one page: {query}");
    page.data
}

pub(super) async fn slugs(test: &TestShop, query: &str) -> Vec<String> {
    list(test, query).await.into_iter().map(|product| product.slug.to_string()).collect()
}

pub(super) async fn audited(test: &TestShop, id: &str) -> Vec<(String, Value, Value)> {
    let filter =
        AuditFilter { resource_id: Some(id.parse().expect("an id")), ..AuditFilter::default() };
    let page = test.shop.audit().list(filter).await.expect("a page");
    let entry = |e: shop_core::audit::AuditEntry| (e.action, e.before.into(), e.after.into());
    page.data.into_iter().map(entry).collect()
}

async fn sizes(test: &TestShop) -> VariantType {
    let types = test.shop.variant_types();
    let new = json!({ "name": "Tamanho", "slug": "tamanho" });
    let kind = types.create(&STAFF, input(new)).await.expect("a type").id;
    for (order, value) in ["120 g", "200 g"].iter().enumerate() {
        let option = input(json!({ "value": value, "order": order }));
        types.create_option(&STAFF, &kind, option).await.expect("an option");
    }
    types.list().await.expect("types").remove(0)
}

#[tokio::test]
async fn a_patch_changes_what_it_names_and_nothing_else() {
    let test = TestShop::open().await;
    let made = create(
        &test,
        json!({ "sku": "V-1", "comparePrice": 12, "weight": 0.2, "description": "De soja.",
                "images": [{ "url": "/uploads/a.png" }] }),
    )
    .await;
    test.advance_hours(1);
    let changed = patch(&test, &made.id, json!({ "price": 11.5, "featured": true })).await;
    let changed = changed.expect("changed");
    let mut expected = made.clone();
    expected.price = "11.50".parse().expect("money");
    (expected.featured, expected.updated_at) = (true, test.shop.now());
    assert_eq!(changed, expected);
    let cleared = json!({ "comparePrice": null, "sku": null, "weight": null, "description": null,
                          "images": [] });
    let cleared = patch(&test, &made.id, cleared).await.expect("cleared");
    assert_eq!((cleared.compare_price, &cleared.sku, cleared.weight), (None, &None, None));
    assert_eq!((&*cleared.description, cleared.images.as_str()), ("", "[]"));
    assert_eq!(cleared.price, changed.price);
    let freed = create(&test, json!({ "slug": "outra", "sku": "V-1" })).await;
    assert_eq!(freed.sku.as_deref(), Some("V-1"));
    let unknown = patch(&test, &"nada".into(), json!({ "price": 1 })).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Product))), "{unknown:?}");
}

#[tokio::test]
async fn a_patch_cannot_take_what_others_have_nor_a_category_that_is_not() {
    let test = TestShop::open().await;
    let vela = create(&test, json!({ "sku": "V" })).await;
    create(&test, json!({ "slug": "rosa", "sku": "R" })).await;
    for (fields, conflict) in [
        (json!({ "slug": "rosa", "price": 99 }), Conflict::Slug),
        (json!({ "slug": "search", "price": 99 }), Conflict::Slug),
        (json!({ "sku": "R", "price": 99 }), Conflict::Sku),
    ] {
        let refused = patch(&test, &vela.id, fields).await;
        assert!(matches!(&refused, Err(Error::Conflict(c)) if *c == conflict), "{refused:?}");
    }
    let refused = patch(&test, &vela.id, json!({ "categoryId": "nada" })).await;
    let Err(Error::Invalid(wrong)) = refused else { panic!("{refused:?}") };
    assert!(wrong.field_errors.contains_key("categoryId"));
    let images: Vec<Value> = (0..21).map(|n| json!({ "url": format!("/{n}") })).collect();
    let refused = patch(&test, &vela.id, json!({ "images": images })).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    assert_eq!(test.shop.products().get(&vela.id).await.expect("it"), vela);
    let same = patch(&test, &vela.id, json!({ "slug": "vela", "sku": "V" })).await.expect("same");
    assert_eq!(same, vela, "what changes nothing is no change");
    assert_eq!(audited(&test, vela.id.as_str()).await.len(), 1);
}

#[tokio::test]
async fn pictures_that_are_sent_back_as_they_were_read_change_nothing() {
    let test = TestShop::open().await;
    let images = json!([{ "url": "/a", "isPrimary": true }, { "url": "/b" }, { "url": "/b" }]);
    let vela = create(&test, json!({ "images": images })).await;
    let seen: Value = serde_json::from_str(vela.images.as_str()).expect("JSON");
    test.advance_hours(1);
    for same in [seen.clone(), images] {
        let after = patch(&test, &vela.id, json!({ "images": same })).await.expect("patched");
        assert_eq!(after, vela, "neither ids nor the time");
    }
    assert_eq!(audited(&test, vela.id.as_str()).await.len(), 1);
    // A picture that stays is the same one, whatever else is said of it.
    let turned = json!([seen[1], { "url": "/c" }, { "url": "/a", "alt": "Acesa" }]);
    let after = patch(&test, &vela.id, json!({ "images": turned })).await.expect("patched");
    let after: Value = serde_json::from_str(after.images.as_str()).expect("JSON");
    let of = |url: &str| {
        let mut images = after.as_array().expect("a list").iter();
        images.find(|image| image["url"] == url).expect("it").clone()
    };
    assert_eq!((&of("/a")["id"], &of("/b")["id"]), (&seen[0]["id"], &seen[1]["id"]));
    assert_eq!(of("/a")["alt"], "Acesa");
}

#[tokio::test]
async fn a_category_is_set_and_taken_away() {
    let test = TestShop::open().await;
    let new = input(json!({ "name": "Velas" }));
    let velas = test.shop.categories().create(&STAFF, new).await.expect("a category").id;
    let vela = create(&test, json!({})).await;
    let changed = patch(&test, &vela.id, json!({ "categoryId": velas })).await.expect("changed");
    assert_eq!(changed.category.expect("one").slug, "velas");
    let changed = patch(&test, &vela.id, json!({ "price": 3 })).await.expect("changed");
    assert!(changed.category.is_some());
    let changed = patch(&test, &vela.id, json!({ "categoryId": null })).await.expect("changed");
    assert_eq!(changed.category, None);
}

#[tokio::test]
async fn who_saw_another_state_changes_nothing() {
    let test = TestShop::open().await;
    let products = test.shop.products();
    let seen = create(&test, json!({})).await;
    let revision = seen.revision().expect("a revision");
    let price = |cents| input(json!({ "price": cents }));
    let first = products.update(&STAFF, &seen.id, price(11), Some(revision.clone())).await;
    let first = first.expect("the first");
    let second = products.update(&STAFF, &seen.id, price(12), Some(revision)).await;
    assert!(matches!(second, Err(Error::Conflict(Conflict::Changed))), "{second:?}");
    let buyer = test.buyer("ana").await;
    test.buy(&buyer, &seen.id, 1).await.expect("an order");
    let again = products.update(&STAFF, &seen.id, price(13), first.revision().ok()).await;
    assert_eq!(again.expect("a sale is no change").price.cents(), 1300);
    let last = products.update(&STAFF, &seen.id, price(14), None).await;
    assert_eq!(last.expect("without a revision the last wins").price.cents(), 1400);
}

#[tokio::test]
async fn a_count_is_booked_as_a_movement_and_told() {
    let test = TestShop::open().await;
    let vela = create(&test, json!({ "stock": 9 })).await;
    let changed = patch(&test, &vela.id, json!({ "stock": 4 })).await.expect("changed");
    assert_eq!((changed.stock, test.stock(vela.id.as_str())), (4, 4));
    test.check_ledger();
    let of_last = "FROM stock_movement WHERE reason = 'ADJUSTMENT'";
    assert_eq!(test.count(&format!("SELECT sum(delta) {of_last}")), 4);
    let events = |name| test.count(&format!("SELECT count(*) FROM event WHERE name = '{name}'"));
    assert_eq!((events("stock.updated"), events("stock.low")), (1, 1));
    let log = audited(&test, vela.id.as_str()).await;
    let change = ("product.update".to_owned(), json!({ "stock": 9 }), json!({ "stock": 4 }));
    assert_eq!(log[0], change);
    patch(&test, &vela.id, json!({ "stock": 4 })).await.expect("the same");
    assert_eq!(events("stock.updated"), 1);
}

#[tokio::test]
async fn what_staff_do_is_written_down_with_what_changed() {
    let test = TestShop::open().await;
    let vela = create(&test, json!({})).await;
    patch(&test, &vela.id, json!({ "price": 12, "name": "Vela Rosa" })).await.expect("changed");
    test.shop.products().delete(&STAFF, &vela.id, None).await.expect("deleted");
    let log = audited(&test, vela.id.as_str()).await;
    let actions: Vec<&str> = log.iter().map(|(action, ..)| action.as_str()).collect();
    assert_eq!(actions, ["product.delete", "product.update", "product.create"]);
    assert_eq!(log[1].1, json!({ "price": 10.0, "name": "Vela" }));
    assert_eq!(log[1].2, json!({ "price": 12.0, "name": "Vela Rosa" }));
    assert_eq!((&log[0].1["slug"], &log[0].2), (&json!("vela"), &json!({})));
    assert_eq!((&log[2].1, &log[2].2["slug"]), (&json!({}), &json!("vela")));
}

#[tokio::test]
async fn searches_follow_a_products_name_and_state() {
    let test = TestShop::open().await;
    let found = async |q: &str| {
        let page = test.shop.products().search(input(json!({ "q": q }))).await.expect("a page");
        page.data.len()
    };
    let vela = create(&test, json!({ "name": "Lavanda", "active": false })).await;
    assert_eq!((found("lavan").await, found("lavnda").await), (0, 0));
    patch(&test, &vela.id, json!({ "active": true })).await.expect("on sale");
    assert_eq!((found("lavan").await, found("lavnda").await), (1, 1));
    let rose = json!({ "name": "Jasmim", "description": "Com alecrim." });
    patch(&test, &vela.id, rose).await.expect("renamed");
    assert_eq!((found("lavanda").await, found("jasm").await, found("alcrim").await), (0, 1, 1));
    patch(&test, &vela.id, json!({ "active": false })).await.expect("off sale");
    assert_eq!(found("jasmim").await, 0);
}

#[tokio::test]
async fn the_list_has_what_is_off_sale_too() {
    let test = TestShop::open().await;
    let new = input(json!({ "name": "Velas" }));
    let velas = test.shop.categories().create(&STAFF, new).await.expect("a category").id;
    create(&test, json!({ "name": "Vela Maçã", "slug": "aa", "categoryId": velas })).await;
    create(&test, json!({ "name": "Vela Rosa", "slug": "bb", "active": false, "featured": true }))
        .await;
    create(&test, json!({ "name": "Difusor", "slug": "cc", "description": "vela" })).await;
    let cases: &[(&str, &[&str])] = &[
        ("", &["cc", "bb", "aa"]),
        ("active=true", &["cc", "aa"]),
        ("active=false", &["bb"]),
        ("featured=true", &["bb"]),
        ("featured=false", &["cc", "aa"]),
        ("category=velas", &["aa"]),
        ("category=nenhuma", &[]),
        ("category=", &["cc", "bb", "aa"]),
        ("search=VEL", &["bb", "aa"]),
        ("search=maca", &["aa"]),
        ("search=vela+ro&active=false", &["bb"]),
        ("search=vela&category=velas&featured=false&active=true", &["aa"]),
        ("search=vela&active=true&featured=true", &[]),
        ("search=!!", &[]),
    ];
    for (query, expected) in cases {
        assert_eq!(slugs(&test, query).await, *expected, "{query}");
    }
    let filter = serde_urlencoded::from_str("limit=2&page=2").expect("a filter");
    let page = test.shop.products().list_for_admin(filter).await.expect("a page");
    assert_eq!((page.data.len(), page.pagination.total, page.pagination.total_pages), (1, 3, 2));
    let hidden = list(&test, "active=false").await.remove(0).id;
    patch(&test, &hidden, json!({ "name": "Sabonete" })).await.expect("renamed");
    assert_eq!(slugs(&test, "search=vela").await, ["aa"]);
    test.shop.products().delete(&STAFF, &hidden, None).await.expect("deleted");
    assert_eq!(slugs(&test, "search=sabonete").await, Vec::<String>::new());
    assert_eq!(slugs(&test, "").await, ["cc", "aa"]);
}

#[tokio::test]
async fn the_list_counts_the_lines_of_orders() {
    let test = TestShop::open().await;
    let kind = sizes(&test).await;
    let vela = create(&test, json!({ "stock": 50 })).await.id;
    let variant = json!({
        "price": 12, "stock": 9, "values": [{ "variantOptionId": kind.options[0].id }]
    });
    let variant = test.shop.products().create_variant(&STAFF, &vela, input(variant)).await;
    let variant = variant.expect("a variant").id;
    let buyer = test.buyer("ana").await;
    let lines = json!([
        { "productId": vela, "quantity": 3 }, { "productId": vela, "quantity": 1 },
        { "productId": vela, "variantId": variant, "quantity": 2 }
    ]);
    let order = test.place(&buyer, lines).await.expect("an order").order;
    let counted = async || list(&test, "").await[0].count.order_items;
    assert_eq!(counted().await, 2, "two lines: repeated ones are one");
    for status in ["CANCELLED", "PENDING"] {
        let status = input(json!(status));
        test.shop.orders().set_status(&order.id, status, None).await.expect("set");
        assert_eq!(counted().await, 2, "an order keeps its lines, and has them once");
    }
    test.buy(&buyer, &vela, 1).await.expect("an order");
    assert_eq!(counted().await, 3);
    assert_eq!(test.count("SELECT count(*) FROM order_item"), 3);
}

#[tokio::test]
async fn a_deleted_product_is_gone_and_its_orders_stay() {
    let test = TestShop::open().await;
    let (ana, kind) = (test.buyer("ana").await, sizes(&test).await);
    let vela = create(&test, json!({ "sku": "V" })).await.id;
    let variant = json!({ "price": 12, "stock": 9, "sku": "V-120",
                          "values": [{ "variantOptionId": kind.options[0].id }] });
    test.shop.products().create_variant(&STAFF, &vela, input(variant)).await.expect("a variant");
    let order = test.buy(&ana, &vela, 2).await.expect("an order");
    test.add_to_cart(&ana, &vela, 1).await.expect("in the cart");
    test.shop.wishlists().add(&ana.id, &vela).await.expect("a wish");
    let review = input(json!({ "rating": 5, "body": "Ótima" }));
    test.shop.reviews().create(&ana.id, "vela", review).await.expect("a review");
    test.shop.products().delete(&STAFF, &vela, None).await.expect("deleted");
    for table in [
        "product",
        "variant",
        "variant_value",
        "stock",
        "sku",
        "review",
        "cart_item",
        "wishlist_item",
        "product_search",
        "product_any_name_search",
    ] {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(
        test.shop.orders().get_for_customer(&ana.id, &order.id).await.expect("it stays"),
        order
    );
    assert_eq!(test.count("SELECT sum(delta) FROM stock_movement"), 0, "the ledger is closed");
    let cancelled = input(json!("CANCELLED"));
    test.shop.orders().set_status(&order.id, cancelled, None).await.expect("cancelled");
    let again = test.shop.products().delete(&STAFF, &vela, None).await;
    assert!(matches!(again, Err(Error::NotFound(Entity::Product))), "{again:?}");
    assert_eq!(create(&test, json!({ "sku": "V" })).await.slug, "vela");
}

#[tokio::test]
async fn a_copy_is_off_sale_without_units_and_skus() {
    let test = TestShop::open().await;
    let kind = sizes(&test).await;
    let vela = create(
        &test,
        json!({ "sku": "V", "featured": true, "description": "De soja.",
                "images": [{ "url": "/uploads/a.png" }, { "url": "/uploads/b.png" }] }),
    )
    .await;
    for (option, sku) in kind.options.iter().zip(["V-120", "V-200"]) {
        let variant = json!({ "price": 12, "stock": 9, "sku": sku,
                              "values": [{ "variantOptionId": option.id }] });
        test.shop.products().create_variant(&STAFF, &vela.id, input(variant)).await.expect("one");
    }
    let original = test.shop.products().get(&vela.id).await.expect("it");
    let copy = test.shop.products().copy(&STAFF, &vela.id).await.expect("a copy");
    assert_eq!(
        (copy.slug.as_str(), &*copy.name, &*copy.description),
        ("vela-2", "Vela", "De soja.")
    );
    assert_eq!((copy.active, copy.featured, copy.stock, &copy.sku), (false, true, 0, &None));
    let urls = |product: &Product| -> Vec<String> {
        product.images.to_vec().expect("pictures").into_iter().map(|image| image.url).collect()
    };
    assert_eq!(urls(&copy), urls(&original));
    assert_eq!(copy.variants.len(), 2);
    for (copied, variant) in copy.variants.iter().zip(&original.variants) {
        assert_eq!((&copied.values, copied.price), (&variant.values, variant.price));
        assert_eq!((copied.stock, &copied.sku), (0, &None));
        assert_ne!(copied.id, variant.id);
    }
    test.check_ledger();
    create(&test, json!({ "slug": "vela-3" })).await;
    let next =
        async |id| test.shop.products().copy(&STAFF, id).await.expect("a copy").slug.to_string();
    assert_eq!(next(&vela.id).await, "vela-4");
    assert_eq!(next(&copy.id).await, "vela-2-2");
    let unknown = test.shop.products().copy(&STAFF, &"nada".into()).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Product))), "{unknown:?}");
}

#[tokio::test]
async fn a_product_is_made_once_with_a_key() {
    let test = TestShop::open().await;
    let products = test.shop.products();
    let make = async |price: i64| {
        let new = input(json!({ "name": "Vela", "slug": "vela", "price": price, "stock": 5,
                                "images": [{ "url": "/uploads/a.png" }], "weight": 0.3 }));
        products.create(&STAFF, new, Some("k-1".parse().expect("a key"))).await
    };
    let first = make(10).await.expect("a product");
    products.update(&STAFF, &first.product.id, input(json!({ "price": 99 })), None).await.ok();
    let again = make(10).await.expect("the first answer");
    assert_eq!((&again.product, again.replayed), (&first.product, true));
    let bytes = |product| serde_json::to_string(product).expect("JSON");
    assert_eq!(bytes(&again.product), bytes(&first.product));
    let other = make(11).await;
    let reused = Refusal::IdempotencyKeyReused;
    assert!(matches!(&other, Err(Error::Refused(r)) if *r == reused), "{other:?}");
    assert_eq!(test.count("SELECT count(*) FROM product"), 1);
}
