//! Files of products as other programs export them.

use serde_json::{Value, json};
use shop_core::catalog::{FileFormat, ImportProducts, Product, ProductImport};
use shop_core::value::InvalidValue;
use shop_core::{Error, Result};

use super::fixture::TestShop;
use super::product_file::import;
use super::product_file_bad::looked_through;

const WOOCOMMERCE: &[u8] = include_bytes!("../vectors/products/woocommerce.csv");
const WOOCOMMERCE_PT: &[u8] = include_bytes!("../vectors/products/woocommerce-pt.csv");
const SHOPIFY: &[u8] = include_bytes!("../vectors/products/shopify.csv");
const SHOPIFY_2025: &[u8] = include_bytes!("../vectors/products/shopify-2025.csv");
const NUVEMSHOP: &[u8] = include_bytes!("../vectors/products/nuvemshop.csv");

async fn taken(test: &TestShop, file: &[u8], from: FileFormat) -> Result<ProductImport> {
    let how = ImportProducts { from, skip_bad: true, ..ImportProducts::default() };
    import(&test.shop, file.to_vec(), how).await
}

async fn product(test: &TestShop, name: &str) -> Value {
    let found: Product = test.shop.products().find(name).await.expect("found").expect("there");
    serde_json::to_value(found).expect("JSON")
}

/// What of a product or a variant these fields say.
fn said(of: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|name| of[*name].clone()).collect()
}

fn urls(of: &Value) -> Vec<&str> {
    let images = of["images"].as_array().expect("pictures").iter();
    images.map(|image| image["url"].as_str().expect("a URL")).collect()
}

/// Price, former price, stock, SKU and weight of the variants, with what sets them apart.
fn variants(of: &Value) -> Value {
    let variants = of["variants"].as_array().expect("variants").iter();
    let told = |variant: &Value| {
        let values = variant["values"].as_array().expect("values").iter();
        let values: Vec<String> = values
            .map(|it| format!("{}={}", it["variantType"], it["value"]).replace('"', ""))
            .collect();
        let mut told = said(variant, &["price", "comparePrice", "stock", "sku", "weight"]);
        told.as_array_mut().expect("a list").push(json!(values));
        told
    };
    variants.map(told).collect()
}

/// The same file again changes nothing.
async fn is_the_same_again(test: &TestShop, file: &[u8], from: FileFormat) {
    let again = taken(test, file, from).await.expect("imported");
    assert_eq!((again.created, again.updated), (0, 0), "{again:?}");
}

#[tokio::test]
async fn a_woocommerce_export_is_taken() {
    let test = TestShop::open().await;
    let done = taken(&test, WOOCOMMERCE, FileFormat::WooCommerce).await.expect("imported");
    assert_eq!((done.rows, done.created, done.variants, done.bad), (5, 3, 2, 0));
    let vela = product(&test, "VELA-LAV").await;
    let fields = ["name", "slug", "price", "comparePrice", "stock", "weight", "featured", "active"];
    let expected = json!(["Vela de Lavanda", "vela-de-lavanda", 49.9, 59.9, 12, 0.25, true, true]);
    assert_eq!(said(&vela, &fields), expected);
    assert_eq!(said(&vela, &["length", "width", "height"]), json!([8.0, 8.0, 10.0]));
    assert_eq!(vela["description"], "Cera de soja & lavanda.\n\n- 40 horas");
    assert_eq!(vela["category"]["slug"], "aromaticas");
    let picture = "https://loja.example/wp-content/uploads/lavanda%201.jpg";
    assert_eq!((urls(&vela)[0], urls(&vela).len()), (picture, 2));
    assert_eq!(test.count("SELECT count(*) FROM product_fiscal WHERE gtin = '7891000315507'"), 1);

    let shirt = product(&test, "CAMISETA").await;
    assert_eq!(said(&shirt, &["price", "variantRequired", "stock"]), json!([69.9, true, 0]));
    let expected = json!([
        [79.9, null, 5, "CAMISETA-P-AZUL", 0.2, ["Tamanho=P", "Cor=Azul"]],
        [69.9, 79.9, 0, null, 0.21, ["Tamanho=M", "Cor=Verde"]],
    ]);
    assert_eq!(variants(&shirt), expected);

    let soap = product(&test, "SABONETE").await;
    let fields = ["price", "comparePrice", "stock", "active", "description"];
    let expected = json!([12.9, null, 0, false, "Só a curta"]);
    assert_eq!(said(&soap, &fields), expected, "a sale of some days is not taken along");
    assert_eq!(soap["category"]["name"], "Banho, corpo e rosto");
    is_the_same_again(&test, WOOCOMMERCE, FileFormat::WooCommerce).await;
}

#[tokio::test]
async fn a_woocommerce_export_with_names_in_portuguese_is_taken() {
    let test = TestShop::open().await;
    let done = taken(&test, WOOCOMMERCE_PT, FileFormat::WooCommerce).await.expect("imported");
    assert_eq!((done.created, done.skipped), (1, 2), "a kit, and a variation without its product");
    let diffuser = product(&test, "DIFUSOR").await;
    let fields = ["price", "comparePrice", "stock", "weight", "length", "description"];
    let expected = json!([89.9, 1109.9, 7, 0.4, 8.5, "Aroma de capim-limão"]);
    assert_eq!(said(&diffuser, &fields), expected);
    is_the_same_again(&test, WOOCOMMERCE_PT, FileFormat::WooCommerce).await;
}

#[tokio::test]
async fn a_shopify_export_is_taken() {
    let test = TestShop::open().await;
    let done = taken(&test, SHOPIFY, FileFormat::Shopify).await.expect("imported");
    assert_eq!((done.created, done.variants, done.bad), (3, 2, 0));
    let vela = product(&test, "vela-de-baunilha").await;
    let fields = ["price", "comparePrice", "stock", "sku", "weight", "active", "description"];
    let expected = json!([54.9, 64.9, 9, "VELA-BAU", 0.25, true, "Doce.\n\nSem parafina."]);
    assert_eq!(said(&vela, &fields), expected);
    assert_eq!(vela["category"]["name"], "Velas");
    assert_eq!(urls(&vela).len(), 2);
    assert_eq!(vela["images"][0]["alt"], "Vela acesa");

    let shirt = product(&test, "camiseta").await;
    assert_eq!(said(&shirt, &["price", "comparePrice", "sku"]), json!([75.0, 89.9, null]));
    assert_eq!(shirt["category"]["name"], "Shirts");
    let expected = json!([
        [79.9, null, 4, "CAM-P", 0.18, ["Tamanho=P", "Cor=Azul"]],
        [75.0, 89.9, 0, "CAM-M", 0.19, ["Tamanho=M", "Cor=Verde"]],
    ]);
    assert_eq!(variants(&shirt), expected);
    assert_eq!(product(&test, "rascunho").await["active"], false);
    is_the_same_again(&test, SHOPIFY, FileFormat::Shopify).await;

    let done = taken(&test, SHOPIFY_2025, FileFormat::Shopify).await.expect("imported");
    assert_eq!((done.created, done.variants, done.bad), (1, 2, 0));
    let mug = product(&test, "caneca").await;
    let expected = json!([
        [39.9, null, 3, null, 0.35, ["Cor=Branca"]],
        [41.9, 45.0, 2, "CAN-AZ", 0.36, ["Cor=Azul"]],
    ]);
    assert_eq!(variants(&mug), expected);
}

#[tokio::test]
async fn a_nuvemshop_export_is_taken() {
    let test = TestShop::open().await;
    let done = taken(&test, NUVEMSHOP, FileFormat::Nuvemshop).await.expect("imported");
    assert_eq!((done.created, done.variants, done.bad), (3, 2, 0));
    let vela = product(&test, "VELA-MAC").await;
    let fields = ["name", "slug", "price", "comparePrice", "stock", "weight", "length", "height"];
    let expected =
        json!(["Vela de Maçã e Canela", "vela-de-maca-e-canela", 49.9, 59.9, 15, 0.25, 8.0, 10.0]);
    assert_eq!(said(&vela, &fields), expected);
    assert_eq!(vela["description"], "Cheiro de maçã.\n\nDura 40 horas.");
    assert_eq!(vela["category"]["name"], "Aromáticas");
    let expected = json!([
        [1079.9, null, 5, "CAM-P", 0.2, ["Tamanho=P", "Cor=Azul"]],
        [999.0, 1079.9, 0, "CAM-M", 0.21, ["Tamanho=M", "Cor=Azul"]],
    ]);
    assert_eq!(variants(&product(&test, "camiseta").await), expected);
    assert_eq!(product(&test, "fora-de-linha").await["active"], false);
    is_the_same_again(&test, NUVEMSHOP, FileFormat::Nuvemshop).await;
}

/// The bad cells of a file that is only looked at.
async fn bad(test: &TestShop, file: &str, from: FileFormat) -> Vec<(u64, String, InvalidValue)> {
    let (_, bad) = looked_through(test, file.to_owned(), from).await;
    bad.into_iter().map(|it| (it.line, it.column.clone(), it.reason)).collect()
}

#[tokio::test]
async fn what_woocommerce_cannot_say_here_is_told_and_what_is_not_on_sale_there_is_left_out() {
    let test = TestShop::open().await;
    let head = "Type,SKU,Name,Published,Stock,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)\n";
    let shared = format!(
        "{head}variable,CAM,Camisa,1,40,,,Tamanho,\"P, M\"\n\
         variation,CAM-P,Camisa,1,parent,50,CAM,Tamanho,P\n"
    );
    let expected = vec![(3, "stock".to_owned(), InvalidValue::StockOfProduct)];
    assert_eq!(bad(&test, &shared, FileFormat::WooCommerce).await, expected);

    let file = format!(
        "{head}variable,CAM,Camisa,1,,,,Tamanho,\"P, M\"\n\
         variation,CAM-P,Camisa,0,7,8,CAM,Tamanho,P\nvariation,CAM-M,Camisa,1,3,50,CAM,Tamanho,M\n\
         simple,'-SKU,'+Vida,1,4,10,,,\n"
    );
    let done = taken(&test, file.as_bytes(), FileFormat::WooCommerce).await.expect("imported");
    assert_eq!((done.created, done.variants, done.bad), (2, 1, 0));
    let shirt = product(&test, "CAM").await;
    assert_eq!((&shirt["price"], &shirt["variants"][0]["sku"]), (&json!(50.0), &json!("CAM-M")));
    assert_eq!(product(&test, "-SKU").await["name"], "+Vida", "as it was before the export");
}

#[tokio::test]
async fn numbers_that_say_more_than_one_thing_are_bad_cells() {
    let test = TestShop::open().await;
    let head = "Type,SKU,Name,Stock,Regular price,Weight (kg),Height (cm)\n";
    let wrong = format!(
        "{head}simple,A,Vela A,1,1e3,,\nsimple,B,Vela B,1,\"2x 10,00\",,\n\
         simple,C,Vela C,1,10 / 12,,\nsimple,D,Vela D,1,\"10,00 (pix 9,00)\",,\n\
         simple,E,Vela E,1e2,10,,\nsimple,F,Vela F,1,10,300 g,\nsimple,G,Vela G,1,10,,8 in\n\
         simple,H,Vela H,1,a combinar,,\n"
    );
    let told = bad(&test, &wrong, FileFormat::WooCommerce).await;
    let told: Vec<(u64, &str)> = told.iter().map(|(line, name, _)| (*line, &**name)).collect();
    let (price, stock, weight, height) = ("price", "stock", "weight_kg", "height_cm");
    let wanted = [price, price, price, price, stock, weight, height, price];
    assert_eq!(told, (2..).zip(wanted).collect::<Vec<_>>());

    let right = format!("{head}simple,A,Vela,5 un,\"'R$ 1.234,50\",\"0,3 kg\",8 cm\n");
    taken(&test, right.as_bytes(), FileFormat::WooCommerce).await.expect("imported");
    let fields = ["stock", "price", "weight", "height"];
    assert_eq!(said(&product(&test, "A").await, &fields), json!([5, 1234.5, 0.3, 8.0]));
}

#[tokio::test]
async fn a_variation_of_any_value_of_one_of_its_attributes_is_a_bad_row() {
    let test = TestShop::open().await;
    let head = "Type,SKU,Name,Stock,Regular price,Parent,Attribute 1 name,Attribute 1 value(s),\
                Attribute 2 name,Attribute 2 value(s)\n";
    let product = "variable,CAM,Camisa,,,,Tamanho,\"P, M\",Cor,\"Azul, Verde\"\n";
    let open = format!("{head}{product}variation,CAM-P,Camisa,1,50,CAM,Tamanho,P,Cor,\n");
    let expected = vec![(3, "variant".to_owned(), InvalidValue::Choice)];
    assert_eq!(bad(&test, &open, FileFormat::WooCommerce).await, expected);
    // What the product says of itself, its variations do not name.
    let besides = format!("{head}{product}variation,CAM-P,Camisa,1,50,CAM,Tamanho,P,,\n");
    assert_eq!(bad(&test, &besides, FileFormat::WooCommerce).await, []);
}

#[tokio::test]
async fn what_woocommerce_hides_is_off_sale() {
    let test = TestShop::open().await;
    let file = "Type,SKU,Name,Published,Visibility in catalog,Regular price\n\
                simple,A,Vela,1,hidden,10\nsimple,B,Pavio,1,search,10\n";
    taken(&test, file.as_bytes(), FileFormat::WooCommerce).await.expect("imported");
    assert_eq!(product(&test, "A").await["active"], false);
    assert_eq!(product(&test, "B").await["active"], true);
}

#[tokio::test]
async fn tables_and_definitions_of_a_description_stay_apart() {
    let test = TestShop::open().await;
    let file = "Type,SKU,Name,Description,Regular price\n\
                simple,A,Vela,<table><tr><th>Cera</th><td>soja</td></tr></table>\
                <dl><dt>Peso</dt><dd>200 g</dd></dl>Um<hr>Dois,10\n";
    taken(&test, file.as_bytes(), FileFormat::WooCommerce).await.expect("imported");
    let expected = "Cera soja\n\nPeso\n\n200 g\n\nUm\nDois";
    assert_eq!(product(&test, "A").await["description"], expected);
}

#[tokio::test]
async fn a_kind_of_variation_of_another_spelling_is_the_same() {
    let test = TestShop::open().await;
    let file = |kind: &str, size: &str| {
        format!(
            "slug,name,price,stock,variant\ncamisa,Camisa,50,,\n\
             camisa,,50,4,Tamanho=P\ncamisa,,55,5,{kind}={size}\n"
        )
    };
    let first = file("TAMANHO", "M");
    let done = taken(&test, first.as_bytes(), FileFormat::Shop).await.expect("imported");
    assert_eq!(done.variants, 2);
    is_the_same_again(&test, first.as_bytes(), FileFormat::Shop).await;
    is_the_same_again(&test, file("tamanho", "M").as_bytes(), FileFormat::Shop).await;
    assert_eq!(test.count("SELECT count(*) FROM variant_type"), 1);
    // The same value under another spelling is the same variant; another spelling of a value is
    // not.
    let told = bad(&test, &file("TAMANHO", "P"), FileFormat::Shop).await;
    assert_eq!(told.first(), Some(&(4, "variant".to_owned(), InvalidValue::VariantExists)));
    assert_eq!(bad(&test, &file("TAMANHO", "p"), FileFormat::Shop).await, []);
}

#[tokio::test]
async fn products_of_one_name_and_two_numbers_are_two() {
    let test = TestShop::open().await;
    let head = "Type,SKU,Name,Stock,Regular price\n";
    let file = |line: &str| format!("{head}{line}\n");
    let first = file("simple,P1,Vela,40,10");
    taken(&test, first.as_bytes(), FileFormat::WooCommerce).await.expect("imported");
    let expected = vec![(2, "slug".to_owned(), InvalidValue::AlreadyUsed)];
    let second = file("simple,P2,Vela,3,99");
    assert_eq!(bad(&test, &second, FileFormat::WooCommerce).await, expected);
    // Without a number, or with a slug that is said, it is the same.
    let same = file("simple,,Vela,41,10");
    assert_eq!(bad(&test, &same, FileFormat::WooCommerce).await, []);
    let said = "slug,sku,name,price\nvela,P2,Vela,99\n";
    assert_eq!(bad(&test, said, FileFormat::Shop).await, []);
}

#[tokio::test]
async fn lines_of_shopify_are_lost_by_nothing() {
    let test = TestShop::open().await;
    let head = "Handle,Title,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,\
                Variant Price,Gift Card\n";
    let file = format!("{head}sabao,Sabão,SAB,,0,9,false\n");
    taken(&test, file.as_bytes(), FileFormat::Shopify).await.expect("imported");
    let stocked = file.replace(",,0,", ",shopify,9,");
    taken(&test, stocked.as_bytes(), FileFormat::Shopify).await.expect("imported");
    // Units that Shopify does not count stay as they are.
    taken(&test, file.as_bytes(), FileFormat::Shopify).await.expect("imported");
    assert_eq!(product(&test, "SAB").await["stock"], 9);

    let wrong =
        format!("{head}caneca,Caneca,CAN,,,5,\n,Prato,PRA,,7,25,\nvale,Vale,VALE,,,50,TRUE\n");
    let expected = vec![
        (3, "slug".to_owned(), InvalidValue::Required),
        (4, "name".to_owned(), InvalidValue::ProductKind),
    ];
    assert_eq!(bad(&test, &wrong, FileFormat::Shopify).await, expected);
}

#[tokio::test]
async fn a_file_of_another_program_is_refused_by_the_column_that_is_missing() {
    let test = TestShop::open().await;
    for (file, from, missing) in [
        (SHOPIFY, FileFormat::WooCommerce, "Name"),
        (WOOCOMMERCE, FileFormat::Shopify, "Handle"),
        (SHOPIFY, FileFormat::Nuvemshop, "Identificador URL"),
        (b"", FileFormat::WooCommerce, "Type"),
    ] {
        let refused = taken(&test, file, from).await;
        let Err(Error::Invalid(fields)) = refused else { panic!("{refused:?}") };
        let told = format!("{:?}", fields.field_errors);
        assert!(told.contains(missing), "{told} names {missing}");
    }
}
