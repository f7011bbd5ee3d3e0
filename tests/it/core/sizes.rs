//! Products that are sold in their variants only, and made together with them.

use serde_json::json;
use shop_core::Result;
use shop_core::actor::Actor;
use shop_core::catalog::{NewProduct, NewProductVariant, Product, ProductPatch};
use shop_core::checkout::PlaceItem;
use shop_core::error::{Conflict, Error, Refusal};
use shop_core::value::Price;

use super::fixture::{TestShop, input};

/// A shirt in these sizes, 5 of each.
fn shirt(name: &str, sizes: &[&str]) -> Result<NewProduct> {
    let price: Price = "59.90".parse()?;
    let mut variants = Vec::new();
    for size in sizes {
        let option = ("Tamanho".parse()?, size.parse()?);
        variants.push(NewProductVariant::new(price, 5.try_into()?, option));
    }
    Ok(NewProduct::in_variants(name.parse()?, price, variants)?)
}

async fn create(test: &TestShop, new: NewProduct) -> Result<Product> {
    test.shop.products().create(&Actor::System, new, None).await.map(|created| created.product)
}

/// The fields that are named as wrong.
fn wrong_fields(refused: Result<Product>) -> Vec<String> {
    match refused {
        Err(Error::Invalid(wrong)) => wrong.field_errors.into_keys().collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_product_is_made_with_its_sizes_and_kinds_and_options_are_made_once() {
    let test = TestShop::open().await;
    let first = create(&test, shirt("Camiseta", &["P", "M"]).expect("valid")).await.expect("made");
    let second = create(&test, shirt("Regata", &["M", "G"]).expect("valid")).await.expect("made");
    assert!(first.variant_required && second.variant_required);
    let sizes = |product: &Product| -> Vec<(String, i64)> {
        let size = |it: &shop_core::catalog::Variant| (it.values[0].value.clone(), it.stock);
        product.variants.iter().map(size).collect()
    };
    assert_eq!(sizes(&first), [("P".to_owned(), 5), ("M".to_owned(), 5)]);
    assert_eq!(sizes(&second), [("M".to_owned(), 5), ("G".to_owned(), 5)]);
    let kinds = test.shop.variant_types().list().await.expect("a list");
    let options: Vec<&str> = kinds[0].options.iter().map(|it| it.value.as_str()).collect();
    assert_eq!((kinds.len(), options), (1, vec!["P", "M", "G"]));
    test.check_ledger();
}

#[tokio::test]
async fn two_sizes_that_are_the_same_make_no_product() {
    let test = TestShop::open().await;
    let twice = create(&test, shirt("Camiseta", &["P", "P"]).expect("valid")).await;
    assert!(matches!(twice, Err(Error::Conflict(Conflict::VariantOptions))), "{twice:?}");
    let many: Vec<String> = (0..201).map(|size| size.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let refused = create(&test, shirt("Camiseta", &many).expect("valid")).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    let mut without = shirt("Camiseta", &["P", "M"]).expect("valid");
    without.variants[1].values.clear();
    assert_eq!(wrong_fields(create(&test, without).await), ["variants[1].values"]);
    let mut both = shirt("Camiseta", &["P"]).expect("valid");
    both.variants[0]
        .values
        .extend(shirt("Regata", &["M"]).expect("valid").variants[0].values.clone());
    assert_eq!(wrong_fields(create(&test, both).await), ["variants[0].values[1].variantType"]);
    assert_eq!(test.count("SELECT count(*) FROM product"), 0);
    assert_eq!(test.count("SELECT count(*) FROM variant_type"), 0);
}

#[tokio::test]
async fn without_its_size_a_product_is_not_sold_out_but_lacks_a_choice() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let shirt = create(&test, shirt("Camiseta", &["P"]).expect("valid")).await.expect("made");
    let lacks = |error: Error| match error {
        Error::Refused(Refusal::VariantRequired { name }) => name,
        other => panic!("{other:?}"),
    };
    let refused = test.buy(&ana, &shirt.id, 1).await.expect_err("no size");
    assert_eq!(lacks(refused), "Camiseta");
    let refused = test.add_to_cart(&ana, &shirt.id, 1).await.expect_err("no size");
    assert_eq!(lacks(refused), "Camiseta");
    let one = 1_u32.try_into().expect("one");
    let small = PlaceItem::of_variant(shirt.id.clone(), shirt.variants[0].id.clone(), one);
    let order = input(json!({ "addressId": ana.address, "cartItems": [small] }));
    test.place_order(&ana, order, None).await.expect("an order");

    // Sold both ways, it is what it always was.
    let both = ProductPatch { variant_required: Some(false), ..ProductPatch::default() };
    let changed = test.shop.products().update(&Actor::System, &shirt.id, both, None).await;
    assert!(!changed.expect("changed").variant_required);
    let refused = test.buy(&ana, &shirt.id, 1).await;
    let sold_out = Err(Refusal::InsufficientStock { name: "Camiseta".to_owned(), available: 0 });
    match refused {
        Err(Error::Refused(refusal)) => assert_eq!(Err::<(), _>(refusal), sold_out),
        other => panic!("{other:?}"),
    }
}
