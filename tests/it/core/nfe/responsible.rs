//! The company that answers for the program.

use roxmltree::Document;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::config::Secret;
use shop_core::nfe::{AccessKey, Invoice};

use super::read::{element, text};
use super::samples::{certificate, plain, responsible};
use super::sold;
use crate::core::fixture::TestShop;

#[test]
fn the_hash_of_the_code_is_that_of_the_technical_note() {
    let key = "41180678393592000146558900000006041028190697";
    let key: AccessKey = key.parse().expect("a key");
    let csrt = responsible().csrt.expect("a code");
    assert_eq!(csrt.hash(&key), "aWv6LeEM4X6u4+qBI2OYZ8grigw=");
}

#[test]
fn who_answers_stands_last_in_the_document_and_the_code_nowhere() {
    let invoice = Invoice { responsible: Some(responsible()), ..plain() };
    let signed = invoice.sign(&certificate()).expect("a document");
    let document = Document::parse(&signed.xml).expect("XML");
    let last = element(&document, "infNFe").last_element_child().expect("children");
    let said: Vec<_> = last.children().map(|it| (it.tag_name().name(), it.text())).collect();
    let hash = responsible().csrt.expect("a code").hash(&signed.key);
    let expected = [
        ("CNPJ", Some("12ABC34501DE35")),
        ("xContato", Some("Equipe - Notas")),
        ("email", Some("nfe@velas.example")),
        ("fone", Some("4133334444")),
        ("idCSRT", Some("01")),
        ("hashCSRT", Some(&*hash)),
    ];
    assert_eq!((last.tag_name().name(), &said[..]), ("infRespTec", &expected[..]));
    assert!(!signed.xml.contains("G8063VRTNDMO886SFNK5LDUDEI24XJ22YIPO"));
    assert!(!format!("{invoice:?}").contains("G8063VRTNDMO886SFNK5LDUDEI24XJ22YIPO"));
}

#[tokio::test]
async fn every_invoice_of_a_shop_names_who_its_settings_name() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let builder = builder.configure(|config| {
        let named = &mut config.nfe.responsible;
        named.cnpj = "12ABC34501DE35".parse().ok();
        named.contact = Some("Equipe".to_owned());
        named.email = "nfe@velas.example".parse().ok();
        named.phone = Some("4133334444".to_owned());
        named.csrt_id = Some("01".to_owned());
        named.csrt = Some(Secret::new("hush"));
    });
    let shop = builder.open().await.expect("opens");
    let invoices = shop.invoices();
    invoices.emit(&Actor::System, &order.id, None).await.expect("issued");
    let xml = invoices.get_xml(&order.id).await.expect("the XML").nfe_proc;
    let document = Document::parse(&xml).expect("XML");
    let named = element(&document, "infRespTec");
    assert_eq!(text(named, "CNPJ"), Some("12ABC34501DE35"));
    assert_eq!(text(named, "hashCSRT").map(str::len), Some(28));
    assert!(!xml.contains("hush"));
}
