//! What invoices say of a product.

use serde_json::{Value, json};
use shop_core::Error;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::config::Config;
use shop_core::error::{Conflict, Entity};
use shop_core::fiscal::TaxRegime;
use shop_core::id::CategoryId;
use shop_core::id::ProductId;
use shop_core::invoicing::{FiscalDetail, ProductFiscal};
use shop_core::revision::Revision;

use super::office::Office;
use super::{emit, sold};
use crate::core::fixture::{TestShop, input};
use crate::fakes::sefaz::Sefaz;

async fn set(
    test: &TestShop,
    product: &ProductId,
    patch: Value,
    seen: Option<Revision>,
) -> shop_core::Result<FiscalDetail> {
    test.shop.invoices().update_fiscal(&Actor::System, product, input(patch), seen).await
}

#[tokio::test]
async fn a_product_says_what_is_its_own_and_the_settings_say_the_rest() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let vela = &order.items[0].product_id;
    let none = test.shop.invoices().get_fiscal(vela).await.expect("there");
    assert_eq!(none.own, ProductFiscal::default());
    let patch = json!({ "ncm": "33074900", "cest": "2806300", "gtin": "7891000315507", "origin": 2,
                        "unit": "CX", "production": "resale" });
    let known = set(&test, vela, patch, None).await.expect("set");
    assert_eq!(test.shop.invoices().get_fiscal(vela).await.expect("there"), known);
    let seen = known.revision().expect("a revision");
    let less = set(&test, vela, json!({ "unit": null }), Some(seen.clone())).await.expect("set");
    assert_eq!((less.own.unit, less.own.ncm), (None, known.own.ncm));
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

/// The shop on the same file, with other settings.
async fn reopened(test: &TestShop, change: impl FnOnce(&mut Config)) -> Shop {
    let mut config = test.shop.config().clone();
    change(&mut config);
    let builder = Shop::builder(config).clock(test.clock.clone());
    builder.nfe_issuer(Office::default()).open().await.expect("opens")
}

/// A category that a product is in.
async fn category_of(shop: &Shop, product: &ProductId) -> CategoryId {
    let new = input(json!({ "name": "Sabonetes" }));
    let id = shop.categories().create(&Actor::System, new).await.expect("made").id;
    let patch = input(json!({ "categoryId": id }));
    shop.products().update(&Actor::System, product, patch, None).await.expect("moved");
    id
}

fn wrong_fields<T: std::fmt::Debug>(result: shop_core::Result<T>) -> Vec<String> {
    match result {
        Err(Error::Invalid(wrong)) => wrong.field_errors.into_keys().collect(),
        other => panic!("it is {other:?}"),
    }
}

#[tokio::test]
async fn each_value_is_the_products_else_the_categorys_else_the_companys_and_says_so() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 10, 4990).await;
    let category = category_of(&test.shop, &vela).await;
    let invoices = test.shop.invoices();
    let of_category = json!({ "ncm": "34011190", "csosn": "500", "cest": "2003500",
        "cfopInState": "5405", "unit": "CX" });
    let set_category = async |patch: Value| {
        invoices.update_category_fiscal(&Actor::System, &category, input(patch), None).await
    };
    set_category(of_category).await.expect("set");
    let own = json!({ "unit": "UN", "cfopOutOfState": "6404" });
    let detail = set(&test, &vela, own, None).await.expect("set");
    let effective = serde_json::to_value(&detail.effective).expect("JSON");
    let expected = json!({
        "ncm": { "value": "34011190", "from": "category" },
        "cest": { "value": "2003500", "from": "category" },
        "cfopInState": { "value": "5405", "from": "category" },
        "cfopOutOfState": { "value": "6404", "from": "product" },
        "gtin": null,
        "origin": { "value": 0, "from": "company" },
        "csosn": { "value": "500", "from": "category" },
        "unit": { "value": "UN", "from": "product" },
        "production": { "value": "own", "from": "company" },
    });
    assert_eq!(effective, expected);
    assert_eq!(invoices.get_fiscal(&vela).await.expect("there"), detail);
    let buyer = test.buyer("ana").await;
    let order = super::paid(&test, &buyer, &vela, 1).await;
    emit(&test.shop, &order).await.expect("issued");
    let xml = invoices.get_xml(&order.id).await.expect("the XML").nfe_proc;
    for part in ["<CEST>2003500</CEST><CFOP>5405</CFOP><uCom>UN</uCom>", "<ICMSSN500>"] {
        assert!(xml.contains(part), "{part} is not in {xml}");
    }
    // A category has no bar code, and must stay one.
    assert_eq!(wrong_fields(set_category(json!({ "gtin": "7891000315507" })).await), ["gtin"]);
    let unknown = invoices.get_category_fiscal(&"nothing".into()).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Category))));
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'category_fiscal.update'"), 1);
    // With the category goes what it said.
    let none = input(json!({ "categoryId": null }));
    test.shop.products().update(&Actor::System, &vela, none, None).await.expect("moved");
    test.shop.categories().delete(&Actor::System, &category, None).await.expect("deleted");
    assert_eq!(test.count("SELECT count(*) FROM category_fiscal"), 0);
}

#[tokio::test]
async fn an_invoice_of_a_deleted_product_says_what_its_category_said() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let vela = &order.items[0].product_id;
    let category = category_of(&test.shop, vela).await;
    let of_category = input(json!({ "ncm": "33074900", "production": "resale", "unit": "CX" }));
    let invoices = test.shop.invoices();
    let set_category =
        invoices.update_category_fiscal(&Actor::System, &category, of_category, None);
    set_category.await.expect("set");
    set(&test, vela, json!({ "unit": "PAR" }), None).await.expect("set");
    test.shop.products().delete(&Actor::System, vela, None).await.expect("deleted");
    emit(&test.shop, &order).await.expect("issued");
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    assert!(xml.contains("<NCM>33074900</NCM><CFOP>5102</CFOP><uCom>PAR</uCom>"), "{xml}");
    test.check_books().await;
}

#[tokio::test]
async fn codes_that_the_regime_does_not_take_are_refused_where_they_are_entered() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 10, 4990).await;
    let refused = async |shop: &Shop, patch: Value| {
        let patch = input(patch);
        wrong_fields(shop.invoices().update_fiscal(&Actor::System, &vela, patch, None).await)
    };
    assert_eq!(refused(&test.shop, json!({ "csosn": "500" })).await, ["cest"]);
    assert_eq!(refused(&test.shop, json!({ "cfopInState": "6102" })).await, ["cfopInState"]);
    assert_eq!(refused(&test.shop, json!({ "cfopOutOfState": "5102" })).await, ["cfopOutOfState"]);
    let mei = reopened(&test, |config| config.nfe.company.regime = Some(TaxRegime::Mei)).await;
    assert_eq!(refused(&mei, json!({ "csosn": "103" })).await, ["csosn"]);
    assert_eq!(refused(&mei, json!({ "csosn": "500", "cest": "2003500" })).await, ["csosn"]);
    assert_eq!(refused(&mei, json!({ "cfopInState": "5101" })).await, ["cfopInState"]);
    assert_eq!(refused(&mei, json!({ "cfopOutOfState": "6108" })).await, ["cfopOutOfState"]);
    // Whatever a MEI made itself it sells as 5102 and 6102.
    let detail = mei.invoices().get_fiscal(&vela).await.expect("there").effective;
    assert_eq!(detail.cfop_in_state.value.as_str(), "5102");
    assert_eq!(detail.cfop_out_of_state.value.as_str(), "6102");
    // What was right under the former regime is refused before it is sent.
    let patch = json!({ "csosn": "500", "cest": "2003500", "cfopInState": "5405" });
    set(&test, &vela, patch, None).await.expect("set under Simples Nacional");
    let buyer = test.buyer("ana").await;
    let order = super::paid(&test, &buyer, &vela, 1).await;
    assert_eq!(wrong_fields(emit(&mei, &order).await), ["items[0].csosn"]);
    assert_eq!(test.count("SELECT count(*) FROM nfe_series"), 0, "no number was used up");
}

#[tokio::test]
async fn a_product_that_nobody_gives_an_ncm_has_no_invoice_that_counts() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let product = &order.items[0].product_id;
    let detail = test.shop.invoices().get_fiscal(product).await.expect("there");
    let sample = serde_json::to_value(&detail.effective.ncm).expect("JSON");
    assert_eq!(sample, json!({ "value": "34060000", "from": "sample" }));
    let office = Sefaz::start().await;
    let real = reopened(&test, |config| {
        office.adapt(config);
        config.nfe.defaults.ncm = None;
    });
    let real = real.await;
    assert_eq!(real.invoices().get_fiscal(product).await.expect("there").effective.ncm, None);
    let Err(Error::Invalid(wrong)) = emit(&real, &order).await else { panic!("issued") };
    assert!(wrong.to_string().contains("items[0].ncm") && wrong.to_string().contains("vela"));
    assert_eq!(test.count("SELECT count(*) FROM nfe_series"), 0, "no number was used up");
    let said = reopened(&test, |config| office.adapt(config)).await;
    emit(&said, &order).await.expect("issued with the company's");
}
