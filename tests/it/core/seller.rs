//! Who sells, as the law wants it shown: at the foot of the mails to customers.

use serde_json::json;
use shop_core::Config;
use shop_core::config::Secret;

use super::fixture::{TestShop, input};
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

/// A company that is set in full.
pub(crate) fn set_company(config: &mut Config) {
    let text = |text: &str| Some(text.to_owned());
    config.mail.from = "Aurora <loja@aurora.example>".parse().expect("a mailbox");
    let company = &mut config.nfe.company;
    company.cnpj = "12ABC34501DE35".parse().ok();
    company.name = text("Aurora & Filhas Velas Ltda");
    company.street = text("Rua das Flores");
    company.number = text("100");
    company.complement = text("sala 2");
    company.district = text("Centro");
    company.city_code = text("3550308");
    company.state = "SP".parse().ok();
    company.zip_code = "01001000".parse().ok();
    company.phone = text("1133334444");
}

const LINE: &str = "Velas Ltda, CNPJ 12.ABC.345/01DE-35, Rua das Flores, 100, sala 2, Centro, \
                    São Paulo - SP, CEP 01001-000";

/// A shop whose mails arrive here.
async fn shop(adapt: impl FnOnce(&mut Config)) -> (TestShop, SmtpServer) {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(server.url());
    let test = TestShop::with(|config| {
        config.mail.smtp_url = Some(url);
        adapt(config);
    })
    .await;
    (test, server)
}

#[tokio::test]
async fn mails_to_customers_end_with_who_sells_and_mails_to_the_shop_do_not() {
    let (test, server) = shop(set_company).await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 9, 4990).await;
    test.buy(&buyer, &candle, 1).await.expect("an order");
    let message = json!({
        "name": "Bia", "email": "bia@example.com", "subject": "Entrega", "message": "À noite?"
    });
    test.shop.contact_form().send(input(message)).await.expect("sent");
    test.shop.run_due().await.expect("done");
    let (mut to_customers, mut to_the_shop) = (0, 0);
    for mail in server.received() {
        let (text, html) = (mail.text(), mail.html());
        if mail.recipient() == "loja@aurora.example" {
            assert!(!text.contains(LINE) && !html.contains(LINE), "{text}");
            to_the_shop += 1;
        } else {
            let foot = format!("-- \nAurora\nAurora & Filhas {LINE}\n");
            assert!(text.replace("\r\n", "\n").ends_with(&foot), "{text}");
            assert!(html.contains(&format!("<br>Aurora &amp; Filhas {LINE}</td>")), "{html}");
            to_customers += 1;
        }
    }
    assert!(to_customers > 0);
    assert_eq!(to_the_shop, 1);
}

#[tokio::test]
async fn no_mail_shows_the_company_that_the_sandbox_makes_up() {
    let (test, server) = shop(|config| config.nfe.company.name = Some("Aurora".to_owned())).await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 9, 4990).await;
    test.buy(&buyer, &candle, 1).await.expect("an order");
    test.shop.run_due().await.expect("done");
    for mail in server.received() {
        assert!(!mail.text().contains("CNPJ"), "{}", mail.text());
    }
}
