//! Cells of a file of products that are wrong, by their row and column.

use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::{Arc, Mutex};

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::catalog::{
    BadRow, FileFormat, ImportProducts, ImportStep, ImportWatch, ProductImport,
};
use shop_core::fiscal::TaxRegime;
use shop_core::value::InvalidValue;

use super::fixture::{TestShop, input};
use super::product_file::{export, import};

const BY: Actor = Actor::System;

/// What would become of a file, and what is bad in it.
pub(super) async fn looked_through(
    test: &TestShop,
    file: String,
    from: FileFormat,
) -> (ProductImport, Vec<BadRow>) {
    let seen = Arc::new(Seen::default());
    let how = ImportProducts { dry_run: true, from, ..ImportProducts::default() };
    let watch = Arc::clone(&seen) as Arc<dyn ImportWatch>;
    let done = test.shop.products().import_csv(&BY, Cursor::new(file), how, watch).await;
    let bad = seen.0.lock().expect("a lock").clone();
    (done.expect("looked through"), bad)
}

fn cells(bad: &[BadRow]) -> Vec<(u64, &str)> {
    bad.iter().map(|row| (row.line, row.column.as_str())).collect()
}

/// Keeps what is bad.
#[derive(Default)]
struct Seen(Mutex<Vec<BadRow>>);

impl ImportWatch for Seen {
    fn bad_row(&self, row: &BadRow) {
        self.0.lock().expect("a lock").push(row.clone());
    }

    fn progress(&self, _: ImportStep, _: u64, _: u64) {}
}

/// On which line the quotes of a file do not end as they must.
async fn bad_quotes(test: &TestShop, file: &str, from: FileFormat) -> String {
    let file = Cursor::new(file.to_owned());
    let how = ImportProducts { from, skip_bad: true, ..ImportProducts::default() };
    let refused = test.shop.products().import_csv(&BY, file, how, Arc::new(())).await;
    let Err(shop_core::Error::Invalid(told)) = refused else { panic!("{refused:?}") };
    assert_eq!(test.count("SELECT count(*) FROM product"), 0, "no row is lost unseen");
    format!("{told:?}")
}

#[tokio::test]
async fn quotes_that_do_not_end_as_they_must_are_told_by_their_line() {
    let test = TestShop::open().await;
    let long = format!("sku,name,price\nA,Vela A,5\nJ,\"{}", "x".repeat(2 << 20));
    for (file, line) in [
        (&*long, 3),
        ("sku,name,price\nA,Vela A,5\nJ,\"Vela J,5\nK,Vela K,6\n", 3),
        ("sku,name,price\nA,Vela A,5\n\nJ,Vela J,\"5\r\nK,Vela K,6", 4),
        ("sku;name;price\nA;\"Vela A\"x;5\nK;Vela K;6\n", 2),
        ("sku;name;price\nA;\"Vela\n A\";5\nJ;\"Vela J;5\nK;\"Vela K\";6\n", 4),
        ("sku;name;price\nA;\"Vela A\" \"x\";5\n", 2),
        ("sku,name,\"price\nA,Vela A,5\n", 1),
        ("\u{feff}\"sku\",\"name,price\nA,Vela A,5\n", 1),
    ] {
        let told = bad_quotes(&test, file, FileFormat::Shop).await;
        assert!(told.contains(&format!("LongLine {{ line: {line} }}")), "{told}");
    }
    for (head, kind, from) in [
        ("Identificador URL;Nome;Preço;Peso", "1", FileFormat::Nuvemshop),
        ("ID;Name;Regular price;Type", "simple", FileFormat::WooCommerce),
    ] {
        let file = format!("{head}\n1;A;1;{kind}\n2;\"B;1;{kind}\n3;C;1;{kind}\n");
        let told = bad_quotes(&test, &file, from).await;
        assert!(told.contains("LongLine { line: 3 }"), "{told}");
    }
}

#[tokio::test]
async fn quotes_that_end_as_they_must_are_taken_wherever_a_read_ends() {
    let test = TestShop::open().await;
    let how = ImportProducts { dry_run: true, ..ImportProducts::default() };
    for between in [';', ','] {
        for pad in 0..24 {
            let row = |sku: &str| {
                format!(
                    "{sku}{between}\"Vela \"\"{sku}\"\"\"{between}\"uma,\r\n \"\"duas\"\";\n\" \
                     {between}5\r\n"
                )
            };
            let head = ["\u{feff}\"sku\"", "name", "description", "price"];
            let mut file = head.join(&between.to_string());
            file.push('\n');
            file.push_str(&row(&"A".repeat(pad + 1)));
            let rows = 400;
            (1..rows).for_each(|n| file.push_str(&row(&format!("B{n}"))));
            // A sign as others are, and quotes that end with the file.
            write!(file, "C{between}Vela 5\" x{between}\"\"{between}\"5\"").expect("written");
            let looked = import(&test.shop, file.into_bytes(), how).await.expect("looked through");
            assert_eq!((looked.products, looked.bad), (rows + 1, 0), "{between} {pad}");
        }
    }
}

#[tokio::test]
async fn codes_that_the_regime_does_not_take_are_bad_cells() {
    let test = TestShop::with(|config| config.nfe.company.regime = Some(TaxRegime::Mei)).await;
    let category = test.shop.categories().create(&BY, input(json!({ "name": "Velas" }))).await;
    let category = category.expect("made").id;
    let patch = input(json!({ "csosn": "400" }));
    let invoices = test.shop.invoices();
    invoices.update_category_fiscal(&BY, &category, patch, None).await.expect("set");
    let file = "name,price,category,csosn,cfop_in_state,ncm,origin,production\n\
                A1,1,,103,,,,\nA2,1,,,5101,,,\nA3,1,velas,,5101,,,\nA4,1,,,6102,,,\n\
                A5,1,,999,,1,9,made\n";
    let (done, bad) = looked_through(&test, file.into(), FileFormat::Shop).await;
    assert_eq!(done.products, 1, "the category's 400 takes 5101");
    let bad = cells(&bad);
    let expected = [
        (2, "csosn"),
        (3, "cfop_in_state"),
        (5, "cfop_in_state"),
        (6, "ncm"),
        (6, "origin"),
        (6, "csosn"),
        (6, "production"),
    ];
    for cell in expected {
        assert!(bad.contains(&cell), "{cell:?} is not in {bad:?}");
    }
    assert_eq!(bad.len(), expected.len(), "{bad:?}");
}

#[tokio::test]
async fn sides_that_nothing_has_are_bad_cells_by_their_row_and_column() {
    let test = TestShop::open().await;
    let file = "name,variant,price,length_cm,width_cm,height_cm\n\
                A1,,1,0,1,1\nA2,,1,1,500.1,1\nA3,,1,1,1,dez\nA4,,1,-5,1,1\nA5,,1,8,8,8\n\
                ,Cor=Azul,1,1,1,10 cm\n";
    let (_, bad) = looked_through(&test, file.into(), FileFormat::Shop).await;
    let expected =
        [(2, "length_cm"), (3, "width_cm"), (4, "height_cm"), (5, "length_cm"), (7, "height_cm")];
    assert_eq!(cells(&bad), expected);
    let refused = import(&test.shop, file.into(), ImportProducts::default()).await;
    assert_eq!(refused.expect("looked through").bad, 5);
    assert_eq!(test.count("SELECT count(*) FROM product"), 0, "all or nothing");
}

#[tokio::test]
async fn a_price_with_three_digits_behind_its_sign_is_not_guessed() {
    let test = TestShop::open().await;
    let own = "name,variant,price,compare_price,stock\n\
               A1,,1.290,,1\nA2,,\"1,290\",,1\nA3,,1,2.000,1\nA4,,1,,1.000\n\
               A5,,1,,1\n,Cor=Azul,1.290,,1\n";
    let (_, bad) = looked_through(&test, own.into(), FileFormat::Shop).await;
    let expected = [(2, "price"), (3, "price"), (4, "compare_price"), (5, "stock"), (7, "price")];
    assert_eq!(cells(&bad), expected);
    let nuvemshop = "Identificador URL;Nome;Preço;Estoque\n\
                     a-1;A1;1.290;1\na-2;A2;R$ 1.290;1\na-3;A3;1.290,00;1.000\n";
    let (_, bad) = looked_through(&test, nuvemshop.into(), FileFormat::Nuvemshop).await;
    assert_eq!(cells(&bad), [(2, "price"), (3, "price"), (4, "stock")]);
}

#[tokio::test]
async fn an_exponent_makes_no_price() {
    let test = TestShop::open().await;
    let file = "name,price,compare_price\nA1,1E-1,\nA2,1e2,\nA3,1,\"1,5E+2\"\n";
    let (_, bad) = looked_through(&test, file.into(), FileFormat::Shop).await;
    assert_eq!(cells(&bad), [(2, "price"), (3, "price"), (4, "compare_price")]);
    assert!("1e2".parse::<shop_core::money::Money>().is_err());
}

#[tokio::test]
async fn a_price_before_of_zero_is_none() {
    let test = TestShop::open().await;
    let file = "name,price,compare_price\nA1,1,0\nA2,1,0.00\nA3,1,\"0,00\"\n";
    let taken = import(&test.shop, file.into(), ImportProducts::default()).await.expect("taken");
    assert_eq!((taken.products, taken.bad), (3, 0));
    let before = "SELECT count(*) FROM product WHERE compare_price IS NOT NULL";
    assert_eq!(test.count(before), 0);
}

#[tokio::test]
async fn of_variants_that_are_too_many_the_first_is_told_once() {
    let test = TestShop::open().await;
    let mut own = "name,slug,variant,price\nVela,vela,,1\n".to_owned();
    let mut foreign = "ID,Type,Parent,Name,Regular price,Attribute 1 name,Attribute 1 value(s)\n\
                       7,variable,,Vela,,Cor,\n"
        .to_owned();
    for n in 1..=2000 {
        writeln!(own, ",vela,Cor=Tom {n},1").expect("written");
        writeln!(foreign, ",variation,id:7,,1,Cor,Tom {n}").expect("written");
    }
    own.push_str("Outra,outra,,1\n");
    foreign.push_str("8,simple,,Outra,1,,\n");
    for (file, from) in [(own, FileFormat::Shop), (foreign, FileFormat::WooCommerce)] {
        let (done, bad) = looked_through(&test, file, from).await;
        assert_eq!((done.products, done.skipped), (1, 1), "{from:?}");
        let [only] = &*bad else { panic!("{} bad cells", bad.len()) };
        assert_eq!((only.line, &*only.column), (203, "variant"));
        assert_eq!(only.reason, InvalidValue::TooManyVariants { most: 200 });
    }
}

#[tokio::test]
async fn each_transaction_that_took_something_is_told_by_the_audit_log_and_no_other() {
    let test = TestShop::open().await;
    let row = |n: u32| format!("Vela {n},{}\n", if n < 150 { "x" } else { "10" });
    let file = format!("name,price\n{}", (0..250).map(row).collect::<String>());
    let how = ImportProducts { skip_bad: true, ..ImportProducts::default() };
    let done = import(&test.shop, file.into(), how).await.expect("imported");
    assert_eq!((done.products, done.skipped, done.written), (100, 150, true));
    let log = test.shop.audit().list(input(json!({ "action": "product.import" }))).await;
    let log = log.expect("a log").data;
    let told: Vec<_> = log.iter().map(|entry| entry.after["products"].as_u64()).collect();
    assert_eq!(told, [Some(50), Some(50)], "the first hundred rows are all bad");
}

#[tokio::test]
async fn a_product_has_as_many_variants_as_a_file_can_bring_however_they_are_made() {
    let test = TestShop::open().await;
    let row = |n: u32| format!(",vela,Cor=Tom {n},1\n");
    let file = |rows: std::ops::RangeInclusive<u32>| {
        let rows: String = rows.map(row).collect();
        format!("name,slug,variant,price\nVela,vela,,1\n{rows}")
    };
    let how = ImportProducts::default();
    import(&test.shop, file(1..=200).into(), how).await.expect("imported");
    let products = test.shop.products();
    let vela = products.get_by_slug("vela").await.expect("there").id;
    let kinds = test.shop.variant_types().list().await.expect("kinds");
    let option = json!({ "value": "Outro" });
    let kind = &kinds[0].id;
    let option = test.shop.variant_types().create_option(&BY, kind, input(option)).await;
    let values = json!([{ "variantOptionId": option.expect("an option").id }]);
    let one_more = input(json!({ "price": 1, "stock": 1, "values": values }));
    let refused = products.create_variant(&BY, &vela, one_more).await;
    let Err(shop_core::Error::Invalid(told)) = refused else { panic!("{refused:?}") };
    let too_many = InvalidValue::TooManyVariants { most: 200 };
    assert_eq!(told.field_errors["variants"], std::slice::from_ref(&too_many));
    // What a file adds counts with what the shop has.
    let (done, bad) = looked_through(&test, file(200..=203), FileFormat::Shop).await;
    assert_eq!((done.products, bad.len(), bad[0].line), (0, 1, 4), "{bad:?}");
    assert_eq!(bad[0].reason, too_many);
    let whole = export(&test.shop).await;
    let again = import(&test.shop, whole, how).await.expect("the shop's own export");
    assert_eq!((again.products, again.updated), (1, 0));
}

#[tokio::test]
async fn booleans_may_be_those_of_spreadsheet_programs_in_portuguese() {
    let test = TestShop::open().await;
    let file = "name,price,active,featured\nA1,1,VERDADEIRO,FALSO\nA2,1,Falso,verdadeiro\n\
                A3,1,SIM,NÃO\nA4,1,0,1\nA5,1,não,sim\nA6,1,talvez,nao\n";
    let how = ImportProducts { skip_bad: true, ..ImportProducts::default() };
    let taken = import(&test.shop, file.into(), how).await.expect("taken");
    assert_eq!((taken.products, taken.bad), (5, 1));
    let of = |active: u8, featured: u8| {
        let flags = format!("active = {active} AND featured = {featured}");
        test.count(&format!("SELECT count(*) FROM product WHERE {flags}"))
    };
    assert_eq!((of(1, 0), of(0, 1)), (2, 3));
}

#[tokio::test]
async fn an_article_number_of_a_variant_says_that_it_needs_the_products_row() {
    let test = TestShop::open().await;
    let own = "name,sku,variant,price\nVela,V,,1\n,V-A,Cor=Azul,2\n";
    let made = import(&test.shop, own.into(), ImportProducts::default()).await.expect("made");
    assert_eq!((made.products, made.variants), (1, 1));
    for file in ["sku,price\nV,3\nV-A,4\n", "sku,variant,price\nV,,3\nV-A,,4\n"] {
        let (done, bad) = looked_through(&test, file.into(), FileFormat::Shop).await;
        assert_eq!((done.products, done.skipped), (1, 1));
        let [only] = &*bad else { panic!("{bad:?}") };
        assert_eq!((only.line, &*only.column), (3, "sku"));
        assert_eq!(only.reason, InvalidValue::SkuOfVariant);
    }
    // As the message says.
    let file = "sku,variant,price\nV,,3\nV-A,Cor=Azul,4\n";
    let taken = import(&test.shop, file.into(), ImportProducts::default()).await.expect("taken");
    assert_eq!((taken.products, taken.variants, taken.bad), (1, 1, 0));
    let dear = "SELECT count(*) FROM variant WHERE sku = 'V-A' AND price = 400";
    assert_eq!(test.count(dear), 1);
}

#[tokio::test]
async fn empty_cells_at_the_end_of_a_row_may_be_missing_or_too_many() {
    let test = TestShop::open().await;
    for (file, products) in [
        ("sku,name,price,category,gtin\nA,Vela A,5\nB,Vela B,6,,\nC,Vela C,7,", 2),
        ("sku;name;price;\nA;Vela A;5;\nB;Vela B;6\n", 2),
        ("sku;;name;price;;\nA;;Vela A;5;;;;\r\nB; ;Vela B;6; ;\"\"", 2),
        ("sku;name;variant;price;ncm\nA;Vela A;;5\n;;Cor=Azul;6\n;;Cor=Rosa;7;;\n", 1),
    ] {
        let (done, bad) = looked_through(&test, file.into(), FileFormat::Shop).await;
        let expected = (products, usize::from(file.ends_with("7,")));
        assert_eq!((done.products, bad.len()), expected, "{file:?}: {bad:?}");
    }
}

#[tokio::test]
async fn a_row_that_was_cut_off_or_says_something_in_no_column_is_a_bad_one() {
    let test = TestShop::open().await;
    let no_name = |column| InvalidValue::NamelessColumn { column };
    for (file, line, reason) in [
        ("sku,name,price\nA,Vela A", 2, InvalidValue::CutOffRow { found: 2, expected: 3 }),
        ("sku,name,price,\nA,Vela,1\nB,Vela", 3, InvalidValue::CutOffRow { found: 2, expected: 3 }),
        ("sku,name,price\nA,Vela,4,90\n", 2, InvalidValue::CellCount { found: 4, expected: 3 }),
        ("sku;name;price;\nA;Vela;4;x\n", 2, no_name(4)),
        ("sku;;name;price\nA;x;Vela;4", 2, no_name(2)),
    ] {
        let (_, bad) = looked_through(&test, file.into(), FileFormat::Shop).await;
        let first = bad.first().expect("a bad row");
        assert_eq!((first.line, &*first.column, &first.reason), (line, "", &reason), "{file:?}");
    }
}

#[tokio::test]
async fn the_shops_own_file_is_taken_without_the_empty_ends_of_its_rows() {
    let test = TestShop::open().await;
    let made = "sku,name,price\nA,Vela A,5\nB,Vela B,6\n";
    import(&test.shop, made.into(), ImportProducts::default()).await.expect("made");
    let file = String::from_utf8(export(&test.shop).await).expect("UTF-8");
    let trimmed: Vec<&str> = file.lines().map(|row| row.trim_end_matches(';')).collect();
    let trimmed = trimmed.join("\r\n") + "\r\n";
    assert_ne!(file, trimmed);
    let (done, bad) = looked_through(&test, trimmed, FileFormat::Shop).await;
    assert_eq!((done.products, done.created, done.updated), (2, 0, 0), "{bad:?}");
}
