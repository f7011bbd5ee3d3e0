//! The customer's copies of an invoice: the mail that brings them, and the library's calls.

use std::io::Cursor;
use std::time::Duration;

use image::ImageFormat;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::config::{Environment, NfeConfig, Secret};
use shop_core::error::Entity;
use shop_core::id::AccountId;
use shop_core::invoicing::WithdrawInvoice;
use shop_core::{Config, Error, Shop};

use super::office::{Fault, Office};
use super::{emit, sold};
use crate::core::fixture::{JWT_SECRET, TestShop, input};
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

/// A shop whose mails go to this server.
async fn with_mail(server: &SmtpServer) -> TestShop {
    let url = Secret::new(server.url());
    TestShop::with(|config| config.mail.smtp_url = Some(url)).await
}

/// The mails of invoices that arrived.
fn of_invoices(server: &SmtpServer) -> Vec<Received> {
    let is_of_invoice = |mail: &Received| {
        mail.header("Subject").is_some_and(|subject| subject.starts_with("Nota fiscal do pedido"))
    };
    server.received().into_iter().filter(is_of_invoice).collect()
}

#[tokio::test]
async fn an_authorised_invoice_is_mailed_once_with_its_danfe_and_its_xml() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = with_mail(&server).await;
    let order = sold(&test).await;
    let invoice = emit(&test.shop, &order).await.expect("issued");
    emit(&test.shop, &order).await.expect("the same");
    test.shop.run_due().await.expect("runs");
    test.shop.run_due().await.expect("runs");
    let mails = of_invoices(&server);
    assert_eq!(mails.len(), 1);
    let key = invoice.key.expect("a key");
    let files = mails[0].attachments();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [format!("danfe-{key}.pdf"), format!("{key}-procNFe.xml")]);
    assert!(files[0].1.starts_with(b"%PDF-"));
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    assert_eq!(files[1].1, xml.as_bytes());
    let shown = test.shop.orders().list_mails(&order.id).await.expect("a list");
    let of_invoice = shown.iter().find(|mail| mail.kind == "invoice-issued").expect("the mail");
    assert_eq!(
        of_invoice.subject.as_deref(),
        Some(&*format!("Nota fiscal do pedido {}", order.order_number))
    );
}

#[tokio::test]
async fn the_mail_has_the_logo_that_was_there_when_the_shop_was_opened() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = with_mail(&server).await;
    let folder = tempfile::tempdir().expect("a folder");
    let logo = folder.path().join("logo.png");
    let mut png = Vec::new();
    image::RgbImage::new(40, 20)
        .write_to(&mut Cursor::new(&mut png), ImageFormat::Png)
        .expect("a PNG");
    std::fs::write(&logo, png).expect("written");
    let shop = test.open_again_with(|config| config.nfe.logo = Some(logo.clone())).await;
    std::fs::remove_file(&logo).expect("removed");
    emit(&shop, &sold(&test).await).await.expect("issued");
    shop.run_due().await.expect("runs");
    let pdf = of_invoices(&server)[0].attachments().swap_remove(0).1;
    assert!(pdf.windows(6).any(|it| it == b"/Image"), "the logo is part of it");
    // One that cannot be printed is told at once.
    std::fs::write(&logo, "no picture").expect("written");
    let config = Config {
        nfe: NfeConfig { logo: Some(logo), ..NfeConfig::default() },
        ..test.shop.config().clone()
    };
    let error = Shop::open(config).await.expect_err("unusable");
    assert!(format!("{error:?}").contains("nfe.logo"), "{error:?}");
}

#[tokio::test]
async fn an_invoice_that_the_background_work_finds_authorised_is_mailed_once_too() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let (test, office) = (with_mail(&server).await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::LostAfter);
    emit(&shop, &order).await.expect_err("no answer");
    shop.run_due().await.expect("runs");
    assert_eq!(of_invoices(&server).len(), 0, "nothing is authorised yet");
    test.clock.advance(Duration::from_secs(150));
    shop.run_due().await.expect("runs");
    shop.run_due().await.expect("runs");
    assert_eq!(of_invoices(&server).len(), 1);
}

#[tokio::test]
async fn the_setting_and_invoices_that_do_not_count_keep_the_mail_back() {
    let off = TestShop::with(|config| config.nfe.mail_customer = false).await;
    // A shop that sells, whose invoices are the sandbox's.
    let live = TestShop::with(|config| {
        config.environment = Environment::Production;
        config.jwt_secret = Some(Secret::new(JWT_SECRET));
    })
    .await;
    for (test, mails) in [(off, 0), (live, 0), (TestShop::open().await, 1)] {
        let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 9, 4990).await);
        let order = test.buy(&buyer, &vela, 1).await.expect("placed");
        let cash = input(json!({ "method": "CASH" }));
        test.shop.payments().record(&Actor::System, &order.id, cash, None).await.expect("paid");
        emit(&test.shop, &order).await.expect("issued");
        let failed = "SELECT count(*) FROM mail WHERE last_error IS NOT NULL";
        assert_eq!(test.count(failed), 0);
        let kept = test.count("SELECT count(*) FROM mail WHERE kind = 'invoice-issued'");
        assert_eq!(kept, mails);
    }
}

#[tokio::test]
async fn an_invoice_that_was_cancelled_before_its_mail_left_is_not_sent() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = with_mail(&server).await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    let why = WithdrawInvoice::default();
    test.shop.invoices().cancel(&Actor::System, &order.id, why).await.expect("cancelled");
    test.shop.run_due().await.expect("runs");
    assert_eq!(of_invoices(&server).len(), 0);
}

#[tokio::test]
async fn a_customer_gets_the_authorised_invoice_of_the_own_order_and_of_no_other() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let stranger = test.buyer("bia").await.id;
    let invoices = test.shop.invoices();
    let asked = async |customer: &AccountId| {
        let xml = invoices.get_xml_for_customer(customer, &order.id).await;
        let danfe = invoices.render_danfe_for_customer(customer, &order.id).await;
        match (xml, danfe) {
            (Ok(xml), Ok(danfe)) => Ok((xml, danfe)),
            (Err(Error::NotFound(one)), Err(Error::NotFound(other))) if one == other => Err(one),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(asked(&order.user_id).await.expect_err("none yet"), Entity::Invoice);
    assert_eq!(asked(&stranger).await.expect_err("another's"), Entity::Order);
    emit(&test.shop, &order).await.expect("issued");
    let (xml, danfe) = asked(&order.user_id).await.expect("the own one");
    assert!(xml.nfe_proc.contains("<cStat>100</cStat>") && danfe.starts_with(b"%PDF-"));
    assert_eq!(asked(&stranger).await.expect_err("another's"), Entity::Order);
    let why = WithdrawInvoice::default();
    invoices.cancel(&Actor::System, &order.id, why).await.expect("cancelled");
    assert_eq!(asked(&order.user_id).await.expect_err("cancelled"), Entity::Invoice);
}
