//! What invoices say of a product.

use serde_json::{Value, json};
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::error::{Conflict, Entity};
use shop_core::id::ProductId;
use shop_core::invoicing::ProductFiscal;
use shop_core::revision::Revision;

use super::{emit, sold};
use crate::core::fixture::{TestShop, input};

async fn set(
    test: &TestShop,
    product: &ProductId,
    patch: Value,
    seen: Option<Revision>,
) -> shop_core::Result<ProductFiscal> {
    test.shop.invoices().update_fiscal(&Actor::System, product, input(patch), seen).await
}

#[tokio::test]
async fn a_product_says_what_is_its_own_and_the_settings_say_the_rest() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let vela = &order.items[0].product_id;
    let none = test.shop.invoices().get_fiscal(vela).await.expect("there");
    assert_eq!(none, ProductFiscal::default());
    let patch = json!({ "ncm": "33074900", "cest": "2806300", "gtin": "7891000315507", "origin": 2,
                        "unit": "CX", "production": "resale" });
    let known = set(&test, vela, patch, None).await.expect("set");
    assert_eq!(test.shop.invoices().get_fiscal(vela).await.expect("there"), known);
    let seen = known.revision().expect("a revision");
    let less = set(&test, vela, json!({ "unit": null }), Some(seen.clone())).await.expect("set");
    assert_eq!((less.unit, less.ncm), (None, known.ncm));
    let stale = set(&test, vela, json!({ "origin": 0 }), Some(seen)).await.expect_err("stale");
    assert!(matches!(stale, Error::Conflict(Conflict::Changed)));
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'product_fiscal.update'"), 2);

    emit(&test.shop, &order).await.expect("issued");
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    for part in [
        "<NCM>33074900</NCM><CEST>2806300</CEST><CFOP>5102</CFOP><uCom>UN</uCom>",
        "<cEAN>7891000315507</cEAN>",
        "<orig>2</orig><CSOSN>102</CSOSN>",
    ] {
        assert!(xml.contains(part), "{part} is not in {xml}");
    }
}

#[tokio::test]
async fn there_is_nothing_to_say_of_a_product_that_is_not_there() {
    let test = TestShop::open().await;
    let nothing = ProductId::from("nothing");
    let got = test.shop.invoices().get_fiscal(&nothing).await;
    assert!(matches!(got, Err(Error::NotFound(Entity::Product))));
    let set = set(&test, &nothing, json!({ "origin": 0 }), None).await;
    assert!(matches!(set, Err(Error::NotFound(Entity::Product))));
}
