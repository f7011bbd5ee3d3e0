//! Who an invoice is for: people and companies.

use roxmltree::Document;
use serde_json::{Value, json};
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::config::Config;
use shop_core::fiscal::TaxEnvironment;
use shop_core::invoicing::EmitInvoice;
use shop_core::order::Order;

use super::office::Office;
use super::read::{element, text};
use super::{paid, sold};
use crate::core::fixture::{Buyer, TestShop, input};
use crate::fakes::sefaz::Sefaz;

/// A buyer whose account says these of its company, and a paid order of two candles.
async fn sold_to(test: &TestShop, company: Value) -> (Buyer, Order) {
    let buyer = test.buyer("ana").await;
    test.shop.accounts().update(&buyer.id, input(company)).await.expect("changed");
    let vela = test.product("vela", 100, 4990).await;
    let order = paid(test, &buyer, &vela, 2).await;
    (buyer, order)
}

async fn emitted(test: &TestShop, order: &Order, buyer: EmitInvoice) -> shop_core::Result<String> {
    test.shop.invoices().emit(&Actor::System, &order.id, buyer).await?;
    Ok(test.shop.invoices().get_xml(&order.id).await?.nfe_proc)
}

#[tokio::test]
async fn an_invoice_is_the_companys_that_the_account_buys_for() {
    let test = TestShop::open().await;
    let company = json!({ "cpf": "529.982.247-25", "cnpj": "12.ABC.345/01DE-35",
        "companyName": "Empório Lima Ltda", "stateRegistration": "110.042.490.114",
        "buysToResell": true });
    let (buyer, order) = sold_to(&test, company).await;
    let kept = order.buyer.clone().expect("kept");
    assert_eq!(
        kept.company.cnpj.as_ref().map(shop_core::nfe::Cnpj::as_str),
        Some("12ABC34501DE35")
    );
    // What the account says later is not what the order said.
    let other = json!({ "cnpj": "11.444.777/0001-61", "buysToResell": false });
    test.shop.accounts().update(&buyer.id, input(other)).await.expect("changed");
    let xml = emitted(&test, &order, EmitInvoice::default()).await.expect("issued");
    let document = Document::parse(&xml).expect("XML");
    let said = element(&document, "dest");
    assert_eq!(text(said, "CNPJ"), Some("12ABC34501DE35"));
    assert_eq!((text(said, "indIEDest"), text(said, "IE")), (Some("1"), Some("110042490114")));
    assert_eq!(text(element(&document, "ide"), "indFinal"), Some("0"));
}

#[tokio::test]
async fn an_order_keeps_the_name_of_its_buyer_beside_the_number() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (buyer, order) = sold_to(&test, json!({ "cpf": "529.982.247-25" })).await;
    let other = json!({ "name": "Roberto Silva", "cpf": "111.444.777-35" });
    test.shop.accounts().update(&buyer.id, input(other)).await.expect("changed");
    let sefaz = Sefaz::start().await;
    let in_production = |config: &mut Config| {
        sefaz.adapt(config);
        config.nfe.environment = TaxEnvironment::Production;
    };
    let shop = office.open_with(&test, in_production).await;
    shop.invoices().emit(&Actor::System, &order.id, None).await.expect("issued");
    let xml = shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    let document = Document::parse(&xml).expect("XML");
    let said = element(&document, "dest");
    assert_eq!((text(said, "CPF"), text(said, "xNome")), (Some("52998224725"), Some("ana")));
}

#[tokio::test]
async fn the_request_names_another_buyer_than_the_order() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let both = json!({ "cpf": "52998224725", "cnpj": "12ABC34501DE35" });
    let refused = async |buyer: Value, field: &str| {
        let result = emitted(&test, &order, input(buyer)).await;
        let Err(Error::Invalid(wrong)) = result else { panic!("{field}: issued") };
        assert!(wrong.field_errors.contains_key(field), "{wrong}");
    };
    refused(both, "cnpj").await;
    refused(json!({ "stateRegistration": "110042490114" }), "cnpj").await;
    refused(json!({ "cnpj": "12ABC34501DE35", "buysToResell": true }), "stateRegistration").await;
    refused(json!({ "cnpj": "11222333000181" }), "cnpj").await;
    assert_eq!(test.count("SELECT count(*) FROM nfe_series"), 0, "no number was used up");
    let company = input(json!({ "cnpj": "12ABC34501DE35", "companyName": "Condomínio Sol" }));
    let xml = emitted(&test, &order, company).await.expect("issued");
    assert!(
        xml.contains("<CNPJ>12ABC34501DE35</CNPJ>") && xml.contains("<indIEDest>9</indIEDest>")
    );
}

#[tokio::test]
async fn a_contributor_elsewhere_gets_no_code_of_consumers() {
    let test = TestShop::open().await;
    let company = json!({ "cnpj": "12ABC34501DE35", "stateRegistration": "110042490114" });
    let (_, order) = sold_to(&test, company).await;
    test.raw_sql(
        "UPDATE orders SET address = replace(replace(replace(address, 'São Paulo',
           'Rio de Janeiro'), '\"SP\"', '\"RJ\"'), '01001000', '20010020')",
    );
    let xml = emitted(&test, &order, EmitInvoice::default()).await.expect("issued");
    assert!(xml.contains("<CFOP>6101</CFOP>"), "6107 is for consumers: {xml}");
}

#[tokio::test]
async fn csosn_900_is_for_contributors_only() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let patch = input(json!({ "csosn": "900" }));
    let product = &order.items[0].product_id;
    let invoices = test.shop.invoices();
    invoices.update_fiscal(&Actor::System, product, patch, None).await.expect("set");
    let Err(Error::Invalid(wrong)) = emitted(&test, &order, EmitInvoice::default()).await else {
        panic!("issued to a consumer")
    };
    assert!(wrong.field_errors.contains_key("items[0].csosn"), "{wrong}");
    let company = json!({ "cnpj": "12ABC34501DE35", "stateRegistration": "110042490114" });
    let xml = emitted(&test, &order, input(company)).await.expect("issued");
    assert!(xml.contains("<ICMSSN900>"));
}

#[tokio::test]
async fn what_an_account_says_of_its_company_goes_together() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let refused = async |patch: Value, field: &str| {
        let result = test.shop.accounts().update(&buyer.id, input(patch)).await;
        let Err(Error::Invalid(wrong)) = result else { panic!("{field}: taken") };
        assert!(wrong.field_errors.contains_key(field), "{wrong}");
    };
    refused(json!({ "stateRegistration": "110042490114" }), "cnpj").await;
    refused(json!({ "cnpj": "12ABC34501DE35", "buysToResell": true }), "stateRegistration").await;
    let whole = json!({ "cnpj": "12ABC34501DE35", "stateRegistration": "110042490114",
        "companyName": "Empório", "buysToResell": true });
    test.shop.accounts().update(&buyer.id, input(whole)).await.expect("changed");
    let none = json!({ "cnpj": null });
    let account = test.shop.accounts().update(&buyer.id, input(none)).await.expect("changed");
    assert!(account.company.state_registration.is_none() && !account.company.buys_to_resell);
}

#[tokio::test]
async fn a_real_office_gets_a_company_without_any_cpf() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (_, order) = sold_to(&test, json!({ "cnpj": "12ABC34501DE35" })).await;
    let shop = office.open(&test).await;
    shop.invoices().emit(&Actor::System, &order.id, None).await.expect("issued");
}
