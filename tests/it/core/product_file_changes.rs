//! A catalogue that updates by file: what a file says of products that the shop has.

use std::io::Cursor;
use std::sync::{Arc, Mutex};

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::catalog::{
    BadRow, ImportProducts, ImportStep, ImportWatch, ImportedRow, OnlyProducts, Product,
    ProductImport, RowOutcome,
};

use super::fixture::{TestShop, input};
use super::product_file::{UNBALANCED, import};

const BY: Actor = Actor::System;

/// Keeps what an import finds.
#[derive(Default)]
pub(super) struct Found {
    pub(super) bad: Mutex<Vec<BadRow>>,
    pub(super) rows: Mutex<Vec<ImportedRow>>,
}

impl ImportWatch for Found {
    fn bad_row(&self, row: &BadRow) {
        self.bad.lock().expect("a lock").push(row.clone());
    }

    fn row(&self, row: &ImportedRow) {
        self.rows.lock().expect("a lock").push(row.clone());
    }

    fn progress(&self, _: ImportStep, _: u64, _: u64) {}
}

impl Found {
    /// Lines and columns of bad cells.
    fn bad(&self) -> Vec<(u64, String)> {
        let bad = self.bad.lock().expect("a lock");
        bad.iter().map(|row| (row.line, row.column.clone())).collect()
    }

    /// Changed cells, as `line column before after`.
    fn cells(&self) -> Vec<String> {
        let rows = self.rows.lock().expect("a lock");
        let cells =
            rows.iter().flat_map(|row| row.changes.iter().map(move |cell| (row.line, cell)));
        cells.map(|(line, it)| format!("{line} {} {} {}", it.column, it.before, it.after)).collect()
    }
}

async fn watched(test: &TestShop, file: &str, how: ImportProducts) -> (ProductImport, Arc<Found>) {
    let found = Arc::new(Found::default());
    let watch = Arc::clone(&found) as Arc<dyn ImportWatch>;
    let file = Cursor::new(file.to_owned());
    let done = test.shop.products().import_csv(&BY, file, how, watch).await;
    (done.expect("looked through"), found)
}

fn dry() -> ImportProducts {
    ImportProducts { dry_run: true, ..ImportProducts::default() }
}

async fn product(test: &TestShop, name: &str) -> Product {
    test.shop.products().find(name).await.expect("found").expect("there")
}

/// A shop with a candle of two colours and a soap.
async fn shop() -> TestShop {
    let test = TestShop::open().await;
    let file = "slug,name,variant,price,sku,stock,description,category,category_name,ncm\n\
                vela,Vela,,10,V,5,Cheirosa,velas,Velas,34060000\n\
                ,,Cor=Azul,11,VA,2,,,,\n\
                ,,Cor=Verde,12,VV,3,,,,\n\
                sabonete,Sabonete,,7,S,9,Suave,,,\n";
    import(&test.shop, file.into(), ImportProducts::default()).await.expect("imported");
    test
}

#[tokio::test]
async fn a_file_with_some_columns_changes_these_and_nothing_else() {
    let test = shop().await;
    let (before, soap) = (product(&test, "vela").await, product(&test, "sabonete").await);
    let file = "sku,price,stock\nV,\"10,50\",4.0\nS,7,\"9,00\"\n";
    let done = import(&test.shop, file.into(), ImportProducts::default()).await.expect("imported");
    assert_eq!((done.products, done.created, done.updated, done.bad), (2, 0, 1, 0));
    let after = product(&test, "vela").await;
    let mut expected = before.clone();
    (expected.price, expected.stock) = ("10.50".parse().expect("money"), 4);
    expected.updated_at = after.updated_at;
    assert_eq!(after, expected);
    assert_eq!(product(&test, "sabonete").await, soap, "what is the same is not written");
    assert_eq!(test.count(UNBALANCED), 0);
    let log = test.shop.audit().list(input(json!({}))).await.expect("a log").data;
    assert_eq!((log[0].action.as_str(), &log[0].after["updated"]), ("product.import", &json!(2)));
    assert_eq!((log[1].action.as_str(), &log[1].after["price"]), ("product.update", &json!(10.5)));
}

#[tokio::test]
async fn an_empty_cell_clears_what_can_be_empty_and_an_absent_column_says_nothing() {
    let test = shop().await;
    let file = "slug,name,price,description,category,stock,active,ncm\nvela,,,,,,,\n";
    let (done, found) = watched(&test, file, dry()).await;
    assert_eq!((done.updated, done.bad), (1, 0), "{:?}", found.bad());
    let cells = ["2 description Cheirosa ", "2 category velas ", "2 ncm 34060000 "];
    assert_eq!(found.cells(), cells);
    assert_eq!(product(&test, "vela").await.description, "Cheirosa", "a dry run writes nothing");
    import(&test.shop, file.into(), ImportProducts::default()).await.expect("imported");
    let vela = product(&test, "vela").await;
    assert_eq!((vela.description.as_str(), vela.category, vela.stock), ("", None, 5));
    assert_eq!((vela.name.as_str(), vela.sku.as_deref(), vela.active), ("Vela", Some("V"), true));
    assert_eq!(test.count("SELECT count(*) FROM product_fiscal WHERE ncm IS NOT NULL"), 0);
}

#[tokio::test]
async fn a_product_is_found_by_its_sku_and_else_by_its_slug() {
    let test = shop().await;
    let file = "sku,slug,name,price\nV,vela-nova,Vela nova,10\nSAB,sabonete,Sabonete,8\n";
    let (done, found) = watched(&test, file, ImportProducts::default()).await;
    assert_eq!((done.updated, done.created), (2, 0));
    let expected =
        ["2 slug vela vela-nova", "2 name Vela Vela nova", "3 price 7,00 8,00", "3 sku S SAB"];
    assert_eq!(found.cells(), expected);
    assert_eq!(product(&test, "vela-nova").await.variants.len(), 2);
    assert_eq!(product(&test, "SAB").await.slug, "sabonete");
}

#[tokio::test]
async fn variants_are_found_by_sku_or_by_what_sets_them_apart_and_others_stay() {
    let test = shop().await;
    let file = "slug,variant,price,sku,stock\n\
                vela,,10,V,5\n\
                ,Cor=Azul,15,,2\n\
                ,Cor=Verde-água,12,VV,3\n\
                ,Cor=Roxa,13,VR,1\n";
    let (done, found) = watched(&test, file, ImportProducts::default()).await;
    assert_eq!((done.bad, done.updated, done.variants), (0, 1, 3), "{:?}", found.bad());
    let expected = ["3 price 11,00 15,00", "3 sku VA ", "4 variant Cor=Verde Cor=Verde-água"];
    assert_eq!(found.cells(), expected);
    let new = found.rows.lock().expect("a lock").iter().any(|row| {
        row.outcome == RowOutcome::New
            && row.line == 5
            && row.variant.as_deref() == Some("Cor=Roxa")
    });
    assert!(new, "the new variant is told");
    let variants = product(&test, "vela").await.variants;
    let skus: Vec<Option<&str>> = variants.iter().map(|variant| variant.sku.as_deref()).collect();
    assert_eq!(skus, [None, Some("VV"), Some("VR")]);
    assert_eq!(variants[1].values[0].value, "Verde-água");
    assert_eq!(test.count(UNBALANCED), 0);
}

#[tokio::test]
async fn only_new_and_only_existing_products_leave_the_others_out() {
    let test = shop().await;
    let file = "slug,name,price\nvela,Vela,99\nnova,Nova,5\n,,x\n";
    let file = &file[..file.len() - 4];
    let only = |only| ImportProducts { only: Some(only), ..ImportProducts::default() };
    let (done, _) = watched(&test, file, only(OnlyProducts::New)).await;
    assert_eq!((done.created, done.updated, done.left_out), (1, 0, 1));
    assert_eq!(product(&test, "vela").await.price.to_string(), "10.00");
    let more = file.replace("nova,Nova", "outra,Outra");
    let (done, _) = watched(&test, &more, only(OnlyProducts::Existing)).await;
    assert_eq!((done.created, done.updated, done.left_out), (0, 1, 1));
    assert_eq!(product(&test, "vela").await.price.to_string(), "99.00");
    assert!(test.shop.products().find("outra").await.expect("found").is_none());
}

#[tokio::test]
async fn stock_that_was_sold_meanwhile_stays_where_it_is_asked_for() {
    let test = shop().await;
    let file =
        "slug,name,variant,price,stock\nvela,Vela,,20,500\n,,Cor=Azul,21,500\nnova,Nova,,1,4\n";
    let how = ImportProducts { keep_stock: true, ..ImportProducts::default() };
    let (done, found) = watched(&test, file, how).await;
    assert_eq!((done.updated, done.created), (1, 1), "{:?}", found.bad());
    let vela = product(&test, "vela").await;
    assert_eq!((vela.stock, vela.variants[0].stock), (5, 2));
    assert_eq!((vela.price.to_string(), product(&test, "nova").await.stock), ("20.00".into(), 4));
}

#[tokio::test]
async fn what_the_shop_has_against_a_change_is_a_bad_cell() {
    let test = shop().await;
    let file = "sku,slug,name,variant,price\n\
                V,sabonete,,,10\n\
                VV,,,Cor=Azul,1\n\
                X,,,,10\n\
                S,,,,7\n\
                ,sabonete,,,8\n\
                VA,outra,Outra,,1\n\
                ,search,Busca,,1\n";
    let (done, found) = watched(&test, file, ImportProducts::default()).await;
    assert!(!done.written);
    let expected = [(2, "slug"), (3, "variant"), (4, "name"), (6, "slug"), (7, "sku"), (8, "slug")];
    let expected: Vec<_> =
        expected.iter().map(|(line, name)| (*line, (*name).to_owned())).collect();
    assert_eq!(found.bad(), expected);
}

#[tokio::test]
async fn pictures_of_a_file_replace_those_that_are_there_only_where_they_differ() {
    let test = TestShop::open().await;
    let file =
        |images: &str| format!("slug,name,price,images\nvela,Vela,10,{images}\n").into_bytes();
    let how = ImportProducts::default();
    import(&test.shop, file("/uploads/a.png https://x.example/b.png"), how).await.expect("made");
    let before = product(&test, "vela").await;
    let done = import(&test.shop, file("/uploads/a.png https://x.example/b.png"), how).await;
    assert_eq!(done.expect("imported").updated, 0);
    assert_eq!(product(&test, "vela").await.images, before.images);
    let done = import(&test.shop, file("/uploads/c.png"), how).await.expect("imported");
    assert_eq!(done.updated, 1);
    let images = product(&test, "vela").await.images.to_vec().expect("pictures");
    assert_eq!((images.len(), images[0].url.as_str()), (1, "/uploads/c.png"));
    let done = import(&test.shop, file("file:///etc/passwd"), how).await.expect("looked through");
    assert_eq!((done.bad, done.written), (1, false));
}
