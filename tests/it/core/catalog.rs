use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::{Product, ProductPage, VariantType};
use shop_core::error::{Conflict, Entity};
use shop_core::{Error, Result};

use super::fixture::{TestShop, input};
use super::search::{found, search};

/// A product of the given fields, with the others filled in.
pub(super) async fn create(test: &TestShop, fields: Value) -> Result<Product> {
    let mut product = json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 5 });
    for (key, value) in fields.as_object().expect("fields") {
        product[key] = value.clone();
    }
    if fields.get("name").is_some() && fields.get("slug").is_none() {
        let name = fields["name"].as_str().expect("a name");
        let slug = shop_core::value::Slug::from_name(name).expect("a slug");
        product["slug"] = slug.as_str().into();
    }
    test.shop.products().create(&Actor::System, input(product), None).await.map(|made| made.product)
}

async fn category(test: &TestShop, name: &str) -> String {
    let new = input(json!({ "name": name }));
    test.shop.categories().create(&Actor::System, new).await.expect("a category").id.to_string()
}

/// Lists by the text of a URL's query.
async fn list(test: &TestShop, query: &str) -> ProductPage {
    let filter = serde_urlencoded::from_str(query).expect("a filter");
    test.shop.products().list(filter).await.expect("a page")
}

async fn names(test: &TestShop, query: &str) -> Vec<String> {
    let page = list(test, query).await;
    let total = usize::try_from(page.pagination.total).expect("a total");
    assert_eq!(total, page.data.len(), "all on one page: {query}");
    page.data.into_iter().map(|product| product.name).collect()
}

/// Three products in two categories.
pub(super) async fn small_shop() -> TestShop {
    let test = TestShop::open().await;
    let velas = category(&test, "Velas").await;
    let casa = category(&test, "Casa").await;
    for product in [
        json!({ "name": "Vela Lavanda", "price": 30, "categoryId": velas, "featured": true }),
        json!({ "name": "Vela Maçã", "price": 20, "categoryId": velas, "stock": 0 }),
        json!({ "name": "Difusor", "price": 20, "categoryId": casa, "description": "De maçã." }),
    ] {
        create(&test, product).await.expect("a product");
    }
    test
}

#[tokio::test]
async fn each_filter_keeps_what_it_says() {
    let test = small_shop().await;
    let cases: &[(&str, &[&str])] = &[
        ("", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("category=velas", &["Vela Maçã", "Vela Lavanda"]),
        ("category=nenhuma", &[]),
        ("category=", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("featured=true", &["Vela Lavanda"]),
        ("featured=false", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("inStock=true", &["Difusor", "Vela Lavanda"]),
        ("inStock=false", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("minPrice=20.01", &["Vela Lavanda"]),
        ("maxPrice=20", &["Difusor", "Vela Maçã"]),
        ("minPrice=20&maxPrice=30", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("minPrice=30&maxPrice=20", &[]),
        ("search=ma%C3%A7%C3%A3", &["Difusor", "Vela Maçã"]),
        ("search=VEL", &["Vela Maçã", "Vela Lavanda"]),
        ("search=lavnda", &[]),
        ("search=!!", &[]),
        ("search=+", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("search=maca&category=velas&inStock=true&sort=price_asc", &[]),
        ("search=maca&category=casa&inStock=true&minPrice=1&sort=popular", &["Difusor"]),
    ];
    for (query, expected) in cases {
        assert_eq!(names(&test, query).await, *expected, "{query}");
    }
}

#[tokio::test]
async fn each_sort_is_stable() {
    let test = small_shop().await;
    let cases: &[(&str, &[&str])] = &[
        ("sort=newest", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("sort=price_asc", &["Vela Maçã", "Difusor", "Vela Lavanda"]),
        ("sort=price_desc", &["Vela Lavanda", "Difusor", "Vela Maçã"]),
        ("sort=popular", &["Difusor", "Vela Maçã", "Vela Lavanda"]),
        ("sort=price_asc&search=vela", &["Vela Maçã", "Vela Lavanda"]),
        ("sort=popular&search=vela", &["Vela Maçã", "Vela Lavanda"]),
        ("sort=price_desc&category=velas", &["Vela Lavanda", "Vela Maçã"]),
    ];
    for (query, expected) in cases {
        assert_eq!(names(&test, query).await, *expected, "{query}");
    }
}

#[tokio::test]
async fn the_most_sold_come_first() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    for name in ["vela", "difusor", "sabonete"] {
        test.product(name, 50, 1000).await;
    }
    let vela = test.shop.products().get_by_slug("vela").await.expect("a product").id;
    test.buy(&buyer, &vela, 2).await.expect("bought");
    assert_eq!(names(&test, "sort=popular").await, ["vela", "sabonete", "difusor"]);
}

#[tokio::test]
async fn a_wrong_filter_is_refused() {
    use shop_core::catalog::ProductFilter;
    for query in ["sort=cheapest", "page=0", "limit=0", "page=x", "minPrice=x", "featured=yes"] {
        assert!(serde_urlencoded::from_str::<ProductFilter>(query).is_err(), "{query}");
    }
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_repeat() {
    let test = TestShop::open().await;
    for n in 0..25 {
        create(&test, json!({ "name": format!("Vela {n}"), "price": 10 + n % 3 }))
            .await
            .expect("made");
    }
    for sort in ["newest", "price_asc", "price_desc", "popular"] {
        let mut seen = std::collections::HashSet::new();
        for page in 1..=3 {
            let page = list(&test, &format!("sort={sort}&limit=10&page={page}")).await;
            assert_eq!((page.pagination.total, page.pagination.total_pages), (25, 3));
            seen.extend(page.data.into_iter().map(|product| product.id));
        }
        assert_eq!(seen.len(), 25, "{sort}");
    }
    let beyond = list(&test, "page=4294967295&limit=1000").await;
    assert_eq!((beyond.data.len(), beyond.pagination.limit), (0, 100));
}

#[tokio::test]
async fn a_list_row_has_the_documented_shape() {
    let test = TestShop::open().await;
    let velas = category(&test, "Velas").await;
    let images =
        json!([{ "url": "/uploads/a.svg", "alt": "De frente" }, { "url": "/uploads/b.svg" }]);
    create(
        &test,
        json!({
            "name": "Vela", "price": 10.5, "comparePrice": 12, "categoryId": velas, "images": images
        }),
    )
    .await
    .expect("a product");
    let page = serde_json::to_value(list(&test, "").await).expect("json");
    let row = &page["data"][0];
    assert_eq!(page["pagination"], json!({ "page": 1, "limit": 20, "total": 1, "totalPages": 1 }));
    assert_eq!(row["category"], json!({ "id": velas, "name": "Velas", "slug": "velas" }));
    assert_eq!((&row["price"], &row["comparePrice"]), (&json!(10.5), &json!(12.0)));
    assert_eq!(row["images"][0]["url"], "/uploads/a.svg");
    assert_eq!(
        (&row["images"][0]["isPrimary"], &row["images"][1]["isPrimary"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&row["images"][0]["alt"], &row["images"][1]["alt"]),
        (&json!("De frente"), &json!("Vela"))
    );
    assert_eq!((&row["reviewCount"], &row["averageRating"]), (&json!(0), &json!(0.0)));
}

#[tokio::test]
async fn totals_follow_every_change() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let total = async |query: &str| list(&test, query).await.pagination.total;
    assert_eq!(total("inStock=true").await, 0);
    let vela = create(&test, json!({ "stock": 1 })).await.expect("a product").id;
    assert_eq!((total("").await, total("inStock=true").await), (1, 1));
    test.buy(&buyer, &vela, 1).await.expect("bought");
    assert_eq!((total("").await, total("inStock=true").await), (1, 0));
    assert_eq!((total("search=vela").await, total("category=velas").await), (1, 0));
    let velas = category(&test, "Velas").await;
    create(&test, json!({ "name": "Vela Rosa", "categoryId": velas })).await.expect("a product");
    assert_eq!((total("search=vela").await, total("category=velas").await), (2, 1));
}

#[tokio::test]
async fn stock_of_a_variant_counts_as_in_stock() {
    let test = TestShop::open().await;
    let product = create(&test, json!({ "stock": 0 })).await.expect("a product").id;
    let kind = sizes(&test).await;
    assert_eq!(names(&test, "inStock=true").await, Vec::<String>::new());
    let variant = json!({
        "price": 12, "stock": 3, "values": [{ "variantOptionId": kind.options[0].id }]
    });
    test.shop
        .products()
        .create_variant(&Actor::System, &product, input(variant))
        .await
        .expect("a variant");
    assert_eq!(names(&test, "inStock=true").await, ["Vela"]);
}

/// The variant type "Tamanho" with two options.
async fn sizes(test: &TestShop) -> VariantType {
    let types = test.shop.variant_types();
    let new = json!({ "name": "Tamanho", "slug": "tamanho" });
    let kind = types.create(&Actor::System, input(new)).await.expect("a type").id;
    for (order, value) in ["120 g", "200 g"].iter().enumerate() {
        let option = input(json!({ "value": value, "order": order }));
        types.create_option(&Actor::System, &kind, option).await.expect("an option");
    }
    types.list().await.expect("types").remove(0)
}

#[tokio::test]
async fn a_product_shows_its_variants_in_order() {
    let test = TestShop::open().await;
    let product = create(&test, json!({ "sku": "V" })).await.expect("a product").id;
    let kind = sizes(&test).await;
    for (option, price) in kind.options.iter().zip([12, 18]) {
        let variant = json!({
            "price": price, "stock": 3, "sku": format!("V-{price}"),
            "values": [{ "variantOptionId": option.id }]
        });
        test.shop
            .products()
            .create_variant(&Actor::System, &product, input(variant))
            .await
            .expect("a variant");
    }
    let shown = test.shop.products().get_by_slug("vela").await.expect("a product");
    let shown: Vec<_> = shown
        .variants
        .iter()
        .map(|v| {
            (
                v.price.cents(),
                v.stock,
                v.values[0].variant_type.as_str(),
                v.values[0].value.as_str(),
            )
        })
        .collect();
    assert_eq!(shown, [(1200, 3, "Tamanho", "120 g"), (1800, 3, "Tamanho", "200 g")]);
    let taken = json!({
        "price": 1, "stock": 0, "sku": "V", "values": [{ "variantOptionId": kind.options[0].id }]
    });
    let taken = test.shop.products().create_variant(&Actor::System, &product, input(taken)).await;
    assert!(matches!(taken, Err(Error::Conflict(Conflict::Sku))), "{taken:?}");
    let twice = json!({ "price": 1, "stock": 0, "values": [
        { "variantOptionId": kind.options[0].id }, { "variantOptionId": kind.options[1].id },
        { "variantOptionId": "none" }
    ]});
    let Err(Error::Invalid(wrong)) =
        test.shop.products().create_variant(&Actor::System, &product, input(twice)).await
    else {
        panic!("two options of one type");
    };
    let wrong: Vec<&String> = wrong.field_errors.keys().collect();
    assert_eq!(wrong, ["values[1].variantOptionId", "values[2].variantOptionId"]);
    test.check_ledger();
}

#[tokio::test]
async fn a_taken_slug_gets_a_number() {
    let test = TestShop::open().await;
    for expected in ["vela", "vela-2", "vela-3"] {
        assert_eq!(create(&test, json!({})).await.expect("a product").slug, expected);
    }
    let reserved = create(&test, json!({ "slug": "search" })).await.expect("a product");
    assert_eq!(reserved.slug, "search-2");
}

#[tokio::test]
async fn a_taken_sku_leaves_nothing_behind() {
    let test = TestShop::open().await;
    create(&test, json!({ "sku": "V-1" })).await.expect("a product");
    let taken = create(&test, json!({ "name": "Outra", "sku": "V-1" })).await;
    assert!(matches!(taken, Err(Error::Conflict(Conflict::Sku))), "{taken:?}");
    assert_eq!(names(&test, "").await, ["Vela"]);
    assert_eq!(found(&test, "outra").await, Vec::<String>::new());
    test.check_ledger();
}

#[tokio::test]
async fn an_unknown_category_names_its_field() {
    let test = TestShop::open().await;
    let Err(Error::Invalid(wrong)) = create(&test, json!({ "categoryId": "none" })).await else {
        panic!("no such category");
    };
    assert!(wrong.field_errors.contains_key("categoryId"), "{wrong}");
}

#[tokio::test]
async fn an_inactive_product_is_nowhere() {
    let test = TestShop::open().await;
    let velas = category(&test, "Velas").await;
    let hidden = json!({ "active": false, "categoryId": velas });
    assert!(!create(&test, hidden).await.expect("a product").active);
    assert!(names(&test, "").await.is_empty());
    assert!(found(&test, "vela").await.is_empty());
    let shown = test.shop.products().get_by_slug("vela").await;
    assert!(matches!(shown, Err(Error::NotFound(Entity::Product))), "{shown:?}");
    let categories = test.shop.categories().list().await.expect("categories");
    assert_eq!(categories[0].product_count, 0);
}

#[tokio::test]
async fn an_inactive_category_is_unknown_to_shoppers_and_known_to_staff_and_programs() {
    let test = TestShop::open().await;
    let velas = category(&test, "Velas").await;
    let made = create(&test, json!({ "name": "Vela", "slug": "vela", "categoryId": velas })).await;
    let id = made.expect("a product").id;
    let products = test.shop.products();
    let found = async |query: &str| list(&test, query).await.data;
    let shown = async || {
        let of_list = found("").await.remove(0).category;
        let of_search = found("search=vela").await.remove(0).category;
        let popular = found("sort=popular").await.remove(0).category;
        let detail = products.get_by_slug("vela").await.expect("a product").category;
        let all = [of_list, of_search, popular, detail];
        all.map(|category| category.map(|category| category.slug.to_string()))
    };
    let slug = || Some("velas".to_owned());
    assert_eq!(shown().await, [slug(), slug(), slug(), slug()]);
    let hide = input(json!({ "active": false }));
    let hidden = test.shop.categories().update(&Actor::System, &velas.into(), hide, None).await;
    hidden.expect("hidden");
    assert_eq!(shown().await, [None, None, None, None]);
    assert!(found("category=velas").await.is_empty() && found("category=unknown").await.is_empty());
    assert!(products.get(&id).await.expect("a product").category.is_some());
    let of_staff = products.list_for_admin(input(json!({ "category": "velas" }))).await;
    assert_eq!(of_staff.expect("a page").data.len(), 1);
    let of_programs = products.list_records(input(json!({ "category": "velas" }))).await;
    assert_eq!(of_programs.expect("a page").data.len(), 1);
}

#[tokio::test]
async fn categories_stand_by_name_with_their_products_counted() {
    let test = TestShop::open().await;
    for name in ["Velas", "Águas", "Banho"] {
        category(&test, name).await;
    }
    let hidden = input(json!({ "name": "Oculta", "active": false }));
    test.shop.categories().create(&Actor::System, hidden).await.expect("a category");
    let velas = test.shop.categories().list().await.expect("categories").remove(2).id;
    create(&test, json!({ "categoryId": velas })).await.expect("a product");
    let shown: Vec<(String, i64)> = test
        .shop
        .categories()
        .list()
        .await
        .expect("categories")
        .into_iter()
        .map(|c| (c.slug.to_string(), c.product_count))
        .collect();
    let expected = [("aguas", 0), ("banho", 0), ("velas", 1)];
    assert_eq!(shown, expected.map(|(slug, count)| (slug.to_owned(), count)));
    let again =
        test.shop.categories().create(&Actor::System, input(json!({ "name": "VELAS" }))).await;
    assert!(matches!(again, Err(Error::Conflict(Conflict::Slug))), "{again:?}");
}

#[tokio::test]
async fn whoever_adds_a_product_finds_it_at_once() {
    let test = TestShop::open().await;
    for n in 0..20 {
        let name = format!("Novidade {n}");
        create(&test, json!({ "name": name })).await.expect("made");
        let page = list(&test, "limit=1").await;
        assert_eq!((page.data[0].name.as_str(), page.pagination.total), (name.as_str(), n + 1));
        assert_eq!(search(&test, "novidade").await.pagination.total, n + 1);
    }
}

#[tokio::test]
async fn another_process_that_adds_a_product_is_noticed() {
    let test = TestShop::open().await;
    assert_eq!(list(&test, "").await.pagination.total, 0);
    let other = test.open_again().await;
    let vela = json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 5 });
    other.products().create(&Actor::System, input(vela), None).await.expect("a product");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while list(&test, "").await.pagination.total == 0 {
        assert!(std::time::Instant::now() < deadline, "never noticed");
        tokio::task::yield_now().await;
    }
}
