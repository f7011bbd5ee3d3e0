//! The catalogue as a file: what is written is read back, and an import is whole or not at all.

use std::io::Cursor;
use std::sync::{Arc, Mutex};

use futures_util::{StreamExt, TryStreamExt, pin_mut};
use proptest::prelude::*;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::{
    BadRow, ImportProducts, ImportStep, ImportWatch, ProductExportFilter, ProductImport,
};
use shop_core::{Error, Result, Shop};
use shop_tests::repeats;

use super::fixture::{TestShop, input};

const BY: Actor = Actor::System;
/// Items whose stock is not the sum of its movements.
pub(super) const UNBALANCED: &str = "SELECT count(*) FROM stock s WHERE quantity <> (
    SELECT coalesce(sum(delta), 0) FROM stock_movement m WHERE m.item_id = s.item_id)";

pub(super) async fn export(shop: &Shop) -> Vec<u8> {
    let pieces = shop.products().export_csv(ProductExportFilter::default());
    pin_mut!(pieces);
    pieces.try_concat().await.expect("a file")
}

pub(super) async fn import(
    shop: &Shop,
    file: Vec<u8>,
    how: ImportProducts,
) -> Result<ProductImport> {
    shop.products().import_csv(&BY, Cursor::new(file), how, Arc::new(())).await
}

/// All that shoppers and staff see of the catalogue, but for ids and times.
pub(super) async fn seen(shop: &Shop) -> Vec<Value> {
    let listed = shop.products().list_for_admin(input(json!({ "limit": 100 }))).await;
    let mut seen = Vec::new();
    for product in listed.expect("a list").data {
        let product = shop.products().get(&product.id).await.expect("there");
        let mut product = serde_json::to_value(product).expect("JSON");
        forget_ids(&mut product);
        seen.push(product);
    }
    seen
}

fn forget_ids(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["id", "createdAt", "updatedAt"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(forget_ids);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_ids),
        _ => {}
    }
}

/// Texts that files, spreadsheet programs and separators stumble over.
fn text() -> impl Strategy<Value = String> {
    "[=+@'\\-a-zÀ-ÿ0-9;,.\"\\\\|]{2,12}( [=\"';a-z]{1,5})?"
}

fn image() -> impl Strategy<Value = Value> {
    (0..1000_u32, proptest::option::of(text()), any::<bool>(), proptest::option::of(0..9_u32))
        .prop_map(|(n, alt, primary, order)| {
            let url = format!("https://cdn.example.com/{n}.jpg?a=1;b=2,3");
            json!({ "url": url, "alt": alt, "isPrimary": primary, "order": order })
        })
}

type Variant = (String, i64, Option<i64>, i64);

fn product() -> impl Strategy<Value = (Value, Vec<Variant>)> {
    let numbers = (1..10_000_000_i64, proptest::option::of(1..10_000_000_i64), 0..1000_i64);
    let rest = (proptest::option::of(0..1_000_000_i64), any::<bool>(), any::<bool>());
    let texts = (text(), proptest::option::of("[ -~\\n]{0,80}"), any::<bool>());
    let images = proptest::collection::vec(image(), 0..4);
    let variant = (text(), 1..100_000_i64, proptest::option::of(1..100_000_i64), 0..50_i64);
    let variants = proptest::collection::vec(variant, 0..4);
    (texts, numbers, rest, images, variants).prop_map(|(texts, numbers, rest, images, variants)| {
        let money = |cents: i64| {
            json!(format!("{}.{:02}", cents / 100, cents % 100).parse::<f64>().expect("a number"))
        };
        let product = json!({
            "name": texts.0, "description": texts.1, "sku": texts.2.then(|| texts.0.clone()),
            "price": money(numbers.0), "comparePrice": numbers.1.map(money), "stock": numbers.2,
            "weight": rest.0.map(|grams| f64::from(u32::try_from(grams).expect("grams")) / 1000.0),
            "active": rest.1, "featured": rest.2, "images": images,
            "variantRequired": rest.1 != rest.2,
        });
        (product, variants)
    })
}

/// Puts the products into the shop; what the shop itself refuses is left out.
async fn fill(shop: &Shop, products: Vec<(Value, Vec<Variant>)>) {
    let category = input(json!({ "name": "Velas & Cia; \"finas\"" }));
    let category = shop.categories().create(&BY, category).await.expect("a category");
    let kind = input(json!({ "name": "Cor=Tom;", "slug": "cor" }));
    let kind = shop.variant_types().create(&BY, kind).await.expect("a kind");
    for (index, (mut product, variants)) in products.into_iter().enumerate() {
        product["slug"] = json!(format!("produto-{index}"));
        if index % 2 == 0 {
            product["categoryId"] = json!(category.id);
        }
        let Ok(new) = serde_json::from_value(product) else { continue };
        let Ok(made) = shop.products().create(&BY, new, None).await else { continue };
        let made = made.product;
        for (value, price, compare, stock) in variants {
            let option = input(json!({ "value": value }));
            let Ok(option) = shop.variant_types().create_option(&BY, &kind.id, option).await else {
                continue;
            };
            let sku = format!("{value}-{index}");
            let new = json!({ "price": price, "comparePrice": compare, "stock": stock, "sku": sku,
                              "values": [{ "variantOptionId": option.id }] });
            shop.products().create_variant(&BY, &made.id, input(new)).await.expect("a variant");
        }
    }
}

/// The shop exports this file, and importing it changes nothing, not even the audit log.
async fn same_again(test: &TestShop, file: &[u8]) {
    let exported = export(&test.shop).await;
    assert_eq!(String::from_utf8_lossy(&exported), String::from_utf8_lossy(file));
    let changes = "SELECT count(*) FROM audit WHERE action <> 'product.import'";
    let before = test.count(changes);
    let done = import(&test.shop, exported, ImportProducts::default()).await.expect("imported");
    assert_eq!((done.bad, done.created, done.updated), (0, 0, 0));
    assert_eq!(test.count(changes), before);
}

/// Changes whatever can be told from the file again.
async fn change_all(shop: &Shop) {
    let listed = shop.products().list_for_admin(input(json!({ "limit": 100 }))).await;
    for product in listed.expect("a list").data {
        let patch = json!({
            "name": "Outro nome", "description": "Outra", "price": 100_001, "comparePrice": null,
            "stock": 77, "weight": 1.234, "length": 1.5, "categoryId": null, "sku": null,
            "active": false, "featured": true, "variantRequired": true,
            "images": [{ "url": "/uploads/outra.png" }],
        });
        let changed = shop.products().update(&BY, &product.id, input(patch), None).await;
        for variant in changed.expect("changed").variants {
            let patch = json!({ "price": 100_002, "comparePrice": 3, "stock": 9, "sku": null });
            let id = &variant.id;
            shop.products()
                .update_variant(&BY, &product.id, id, input(patch), None)
                .await
                .expect("changed");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: repeats(4, 12), ..ProptestConfig::default() })]
    #[test]
    fn an_exported_catalogue_is_the_same_in_another_shop(
        products in proptest::collection::vec(product(), 1..12),
        point in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("one");
        runtime.block_on(async {
            let shop = || TestShop::with(|config| {
                if point {
                    config.export = input(json!({ "decimal": "point" }));
                }
            });
            let (full, empty) = (shop().await, shop().await);
            fill(&full.shop, products).await;
            let file = export(&full.shop).await;
            let done = import(&empty.shop, file.clone(), ImportProducts::default()).await;
            let done = done.expect("imported");
            assert_eq!((done.bad, done.written), (0, done.products > 0), "{}", String::from_utf8_lossy(&file));
            assert_eq!(seen(&empty.shop).await, seen(&full.shop).await);
            same_again(&empty, &file).await;
            change_all(&empty.shop).await;
            let done = import(&empty.shop, file.clone(), ImportProducts::default()).await;
            let done = done.expect("imported");
            assert_eq!((done.bad, done.created, done.updated), (0, 0, done.products));
            assert_eq!(seen(&empty.shop).await, seen(&full.shop).await);
            same_again(&empty, &file).await;
            assert_eq!(empty.count(UNBALANCED), 0);
        });
    }
}

/// Takes an article number away between the looking through and the writing.
struct Rival {
    other: Mutex<Option<Shop>>,
}

impl ImportWatch for Rival {
    fn bad_row(&self, row: &BadRow) {
        panic!("{row:?}");
    }

    fn progress(&self, step: ImportStep, done: u64, of: u64) {
        if step == ImportStep::Checking && done == of {
            let other = self.other.lock().expect("a lock").take().expect("once");
            let taken = std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .expect("one");
                let new = json!({ "name": "Rival", "slug": "rival", "sku": "VELA-299", "price": 1, "stock": 1 });
                runtime.block_on(async {
                    other.products().create(&BY, input(new), None).await.map(drop)
                })
            });
            taken.join().expect("ended").expect("created");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_fails_in_the_middle_leaves_nothing() {
    let test = TestShop::open().await;
    let rows: Vec<String> =
        (0..300).map(|n| format!("vela-{n},Vela {n},,10,3,velas,Velas,\n")).collect();
    let rows = rows.concat() + ",,Cor=Azul,10,3,,,VELA-299\n";
    let file = format!("slug,name,variant,price,stock,category,category_name,sku\n{rows}");
    let watch = Arc::new(Rival { other: Mutex::new(Some(test.open_again().await)) });
    let how = ImportProducts::default();
    let failed = test.shop.products().import_csv(&BY, Cursor::new(file.clone()), how, watch).await;
    let Err(Error::Invalid(fields)) = failed else { panic!("{failed:?}") };
    assert!(fields.field_errors.contains_key("line 301"), "{fields:?}");
    assert_eq!(test.count("SELECT count(*) FROM product"), 1);
    assert_eq!(test.count("SELECT count(*) FROM stock"), 1);
    for table in ["category", "audit WHERE action = 'product.import'"] {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    // The others are taken where bad ones are skipped.
    let how = ImportProducts { skip_bad: true, ..how };
    let done = import(&test.shop, file.into_bytes(), how).await.expect("imported");
    assert_eq!((done.products, done.skipped, done.written), (299, 1, true));
    assert_eq!(test.count("SELECT count(*) FROM product"), 300);
    assert_eq!(test.count(UNBALANCED), 0);
}

#[tokio::test]
async fn a_dry_run_says_what_would_be_and_does_nothing() {
    let test = TestShop::open().await;
    let file = "name,price,variant\nVela,10,\n,12,Cor=Azul\n".as_bytes().to_vec();
    let how = ImportProducts { dry_run: true, ..ImportProducts::default() };
    let done = import(&test.shop, file.clone(), how).await.expect("looked through");
    let mut expected = ProductImport::default();
    (expected.rows, expected.products, expected.created, expected.variants) = (2, 1, 1, 1);
    assert_eq!(done, expected);
    assert_eq!(test.count("SELECT count(*) FROM product"), 0);
    let done = import(&test.shop, file, ImportProducts::default()).await.expect("imported");
    expected.written = true;
    assert_eq!(done, expected);
    let log = test.shop.audit().list(input(json!({}))).await.expect("a log");
    assert_eq!(log.data[0].action, "product.import");
    assert_eq!(log.data[0].after["products"], 1);
    let found = test.shop.products().search(input(json!({ "q": "vel" }))).await.expect("a search");
    assert_eq!(found.pagination.total, 1, "it is found like any other");
}

#[tokio::test]
async fn half_a_file_is_exported_as_it_is_asked_for() {
    let test = TestShop::open().await;
    for name in ["a1", "b2"] {
        test.product(name, 1, 100).await;
    }
    let off = ProductExportFilter { active: Some(false) };
    let pieces = test.shop.products().export_csv(off);
    pin_mut!(pieces);
    let pieces: Vec<_> = pieces.collect().await;
    assert_eq!(pieces.len(), 1, "the names of the columns and nothing else");
}

#[tokio::test]
async fn fiscal_data_go_out_and_come_in_again() {
    let full = TestShop::open().await;
    let soap = full.product("sabonete", 1, 1290).await;
    let said = json!({ "ncm": "34011190", "cest": "2003500", "csosn": "500", "origin": 2,
        "cfopInState": "5405", "cfopOutOfState": "6404", "gtin": "7891000315507", "unit": "CX",
        "production": "resale" });
    let invoices = full.shop.invoices();
    let said = invoices.update_fiscal(&BY, &soap, input(said), None).await.expect("set").own;
    full.product("vela", 1, 4990).await;
    let (file, empty) = (export(&full.shop).await, TestShop::open().await);
    let done = import(&empty.shop, file, ImportProducts::default()).await.expect("imported");
    assert_eq!((done.products, done.bad), (2, 0));
    let soap = empty.shop.products().find("sabonete").await.expect("found").expect("there").id;
    let read = empty.shop.invoices().get_fiscal(&soap).await.expect("there").own;
    assert_eq!(read, said);
    assert_eq!(empty.count("SELECT count(*) FROM product_fiscal"), 1, "the candle says nothing");
}

#[tokio::test]
async fn sides_come_in_and_go_out_again() {
    let (full, empty) = (TestShop::open().await, TestShop::open().await);
    let file = "slug;name;variant;price;weight_kg;length_cm;width_cm;height_cm\n\
                vela;Vela;;49,90;0,3;8,5;8;10\n;;Tamanho=200 g;59,90;;12;8,25;500\n\
                sabonete;Sabonete;;12.90;;;;\nmeia;Meia;;9.90;;30.0;;0.1\n";
    let done = import(&full.shop, file.into(), ImportProducts::default()).await.expect("imported");
    assert_eq!((done.products, done.bad), (3, 0));
    let seen_of = async |shop: &Shop, slug: &str| {
        let seen = seen(shop).await;
        seen.into_iter().find(|it| it["slug"] == slug).expect("there")
    };
    let sides = |of: &Value| json!([of["length"], of["width"], of["height"]]);
    let candle = seen_of(&full.shop, "vela").await;
    assert_eq!(sides(&candle), json!([8.5, 8.0, 10.0]));
    // Finer than a millimetre is rounded.
    assert_eq!(sides(&candle["variants"][0]), json!([12.0, 8.3, 500.0]));
    assert_eq!(sides(&seen_of(&full.shop, "sabonete").await), json!([null, null, null]));
    assert_eq!(sides(&seen_of(&full.shop, "meia").await), json!([30.0, null, 0.1]));
    let written = export(&full.shop).await;
    let text = String::from_utf8(written.clone()).expect("text");
    assert!(text.contains("length_cm") && text.contains("8,5"), "{text}");
    let done = import(&empty.shop, written, ImportProducts::default()).await.expect("imported");
    assert_eq!((done.products, done.bad), (3, 0));
    assert_eq!(seen(&empty.shop).await, seen(&full.shop).await);
}
