//! What the mails about orders and accounts say, and to whom they go.

use serde_json::json;
use shop_core::account::{AccountMail, NewPassword};
use shop_core::actor::Actor;
use shop_core::config::Secret;
use shop_core::demo::{self, DemoSize};
use shop_core::mail::{MailData, MailText, MailTexts};
use shop_core::order::{OrderMail, OrderStatus};

use super::fixture::{Buyer, TestShop, input};
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

async fn shop_called(name: &str) -> (TestShop, SmtpServer) {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(server.url());
    let from = format!("{name} <loja@velas.example>").parse().expect("a mailbox");
    let test = TestShop::with(|config| {
        config.mail.smtp_url = Some(url);
        config.mail.from = from;
        config.mail.per_address_per_hour = 0;
        let page = "https://rapidex.example/t?c={code}".to_owned();
        config.shipping.tracking_urls.insert("Rapidex".to_owned(), page);
    })
    .await;
    (test, server)
}

/// The mails that leave now.
async fn letters(test: &TestShop, server: &SmtpServer) -> Vec<Received> {
    let before = server.received().len();
    test.shop.run_due().await.expect("done");
    server.received().split_off(before)
}

fn subjects(mails: &[Received]) -> Vec<String> {
    mails.iter().map(|mail| mail.header("Subject").expect("a subject")).collect()
}

async fn set(test: &TestShop, order: &shop_core::order::Order, status: OrderStatus) {
    test.shop.orders().set_status(&order.id, status, None).await.expect("set");
}

async fn paid_order(test: &TestShop, buyer: &Buyer) -> shop_core::order::Order {
    let candle = test.product(&format!("vela-{}", buyer.id), 9, 123_450).await;
    let order = test.buy(buyer, &candle, 2).await.expect("an order");
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    order
}

#[tokio::test]
async fn a_posted_order_names_its_carrier_and_leads_to_the_carriers_page() {
    let (test, server) = shop_called("Loja").await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 9, 1990).await;
    for (carrier, code, url) in [
        (
            "Correios",
            "AA123456789BR",
            Some("https://rastreamento.correios.com.br/app/index.php?objetos=AA123456789BR"),
        ),
        ("Rapidex Sul", "a&b/1", Some("https://rapidex.example/t?c=a%26b%2F1")),
        ("Motoboy do bairro", "42", None),
    ] {
        let order = test.buy(&buyer, &candle, 1).await.expect("an order");
        let change = json!({ "trackingCode": code, "carrier": carrier, "status": "SHIPPED" });
        let by = Actor::System;
        test.shop.orders().update(&by, &order.id, input(change), None).await.expect("shipped");
        let mail = letters(&test, &server).await.pop().expect("a mail");
        let text = mail.text();
        assert!(text.contains(&format!("foi postado por {carrier}")), "{text}");
        assert!(text.contains(code) && !text.contains("saiu para entrega"), "{text}");
        match url {
            Some(url) => assert!(text.contains(&format!("Rastrear a entrega:\n{url}")), "{text}"),
            None => assert!(!text.contains("Rastrear"), "{text}"),
        }
    }
}

#[tokio::test]
async fn each_status_that_ends_an_order_is_told_by_one_mail() {
    let (test, server) = shop_called("Loja").await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 9, 1990).await;
    let order = test.buy(&buyer, &candle, 1).await.expect("an order");
    letters(&test, &server).await;
    let number = &order.order_number;
    for (status, subject) in [
        (OrderStatus::Delivered, format!("Seu pedido {number} foi entregue")),
        (OrderStatus::Cancelled, format!("Seu pedido {number} foi cancelado")),
        (OrderStatus::Refunded, format!("Seu pedido {number} foi marcado como reembolsado")),
    ] {
        set(&test, &order, status).await;
        set(&test, &order, status).await;
        let mails = letters(&test, &server).await;
        assert_eq!(subjects(&mails), [subject]);
        if status == OrderStatus::Refunded {
            assert!(mails[0].text().contains("não movimenta dinheiro"), "{}", mails[0].text());
        }
    }
    let told = test.shop.notifications().list(&buyer.id).await.expect("a list");
    assert_eq!(told[0].title, "Pedido marcado como reembolsado");
    assert_eq!(told[0].body, format!("O pedido {number} foi marcado como reembolsado."));
    assert_eq!(told[1].body, format!("O pedido {number} foi cancelado."));
}

#[tokio::test]
async fn an_order_that_nobody_paid_is_cancelled_with_its_reason() {
    let (test, server) = shop_called("Loja").await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 9, 1990).await;
    test.buy(&buyer, &candle, 1).await.expect("an order");
    test.advance_hours(73);
    let mails = letters(&test, &server).await;
    let text = mails.last().expect("a mail").text();
    assert!(text.contains("porque o pagamento não foi confirmado dentro do prazo"), "{text}");
}

#[tokio::test]
async fn money_that_goes_back_is_told_with_its_amount_and_its_way() {
    let (test, server) = shop_called("Loja").await;
    let buyer = test.buyer("ana").await;
    let order = paid_order(&test, &buyer).await;
    letters(&test, &server).await;
    let refund = |amount: &str| input(json!({ "amount": amount.parse::<f64>().expect("a sum") }));
    let by = Actor::System;
    test.shop.payments().refund(&by, &order.id, refund("5"), None).await.expect("refunded");
    let mails = letters(&test, &server).await;
    let number = &order.order_number;
    assert_eq!(subjects(&mails), [format!("Reembolso de R$ 5,00: pedido {number}")]);
    assert!(mails[0].text().contains("volta por PIX"), "{}", mails[0].text());
    let rest = input(json!({}));
    test.shop.payments().refund(&by, &order.id, rest, None).await.expect("refunded");
    // The order is REFUNDED now, and that is no mail of its own.
    let mails = letters(&test, &server).await;
    assert_eq!(subjects(&mails), [format!("Reembolso de R$ 2.464,00: pedido {number}")]);
    let told = test.shop.notifications().list(&buyer.id).await.expect("a list");
    assert!(told[0].body.ends_with("o valor foi devolvido."), "{}", told[0].body);
}

#[tokio::test]
async fn who_had_the_account_is_told_of_another_password_and_of_another_e_mail() {
    let (test, server) = shop_called("Loja").await;
    let buyer = test.buyer("ana").await;
    letters(&test, &server).await;
    let accounts = test.shop.accounts();
    let change = json!({ "currentPassword": "segredo-123", "newPassword": "another-one" });
    accounts.change_password(&buyer.id, input(change)).await.expect("changed");
    let mails = letters(&test, &server).await;
    assert_eq!(subjects(&mails), ["Sua senha foi alterada"]);
    assert!(mails[0].text().contains("21/11/2026 às 12:00"), "{}", mails[0].text());

    accounts.forgot_password(input(json!({ "email": "ana@example.com" }))).await.expect("asked");
    let link = letters(&test, &server).await.remove(0).text();
    let (_, token) = link.split_once("?token=").expect("a link");
    let token = token.split_whitespace().next().expect("a token");
    let reset = input(json!({ "token": token, "password": "a-third-one" }));
    accounts.reset_password(reset).await.expect("reset");
    assert_eq!(subjects(&letters(&test, &server).await), ["Sua senha foi alterada"]);

    let change = json!({ "currentPassword": "a-third-one", "email": "nova@example.com" });
    accounts.update(&buyer.id, input(change)).await.expect("changed");
    let mails = letters(&test, &server).await;
    assert_eq!(subjects(&mails), ["O e-mail da sua conta foi alterado"]);
    assert_eq!(mails[0].recipient(), "ana@example.com");
    let text = mails[0].text();
    assert!(text.contains("n***@example.com") && !text.contains("nova@example.com"), "{text}");
    // Another case of the same address is no other address.
    let change = input(json!({ "email": "NOVA@example.com", "name": "Ana Lima" }));
    accounts.update(&buyer.id, change).await.expect("changed");
    assert!(letters(&test, &server).await.is_empty());
}

#[tokio::test]
async fn an_admin_whose_password_was_set_from_the_machine_is_told() {
    let (test, server) = shop_called("Loja").await;
    let admin = input(json!({
        "name": "Rita", "email": "rita@example.com", "password": "segredo-123"
    }));
    let admin = test.shop.accounts().create_admin(admin).await.expect("an admin");
    let password: NewPassword = "another-one".parse().expect("a password");
    let by = Actor::System;
    test.shop.accounts().set_admin_password(&by, &admin.id, password).await.expect("set");
    let mails = letters(&test, &server).await;
    assert_eq!(subjects(&mails), ["Sua senha foi alterada"]);
    assert_eq!(mails[0].recipient(), "rita@example.com");
}

#[tokio::test]
async fn nothing_is_ever_mailed_to_people_who_were_made_up() {
    let (test, server) = shop_called("Loja").await;
    let trade = DemoSize::Trade { products: 12, customers: 5, orders: 10 };
    let logins = demo::seed(&test.shop, trade).await.expect("seeded").logins;
    let customer = logins.iter().find(|login| login.role == "CUSTOMER").expect("a customer");
    let log_in = json!({ "email": customer.email, "password": customer.password });
    let session = test.shop.sessions().log_in(input(log_in)).await.expect("logs in");
    let id = session.account.id;
    let address = test.shop.addresses().list(&id).await.expect("a list").remove(0).id;
    let product = test.product("vela", 9, 1990).await;
    let buyer = Buyer { id: id.clone(), address };
    let order = test.buy(&buyer, &product, 1).await.expect("an order");
    for status in [OrderStatus::Shipped, OrderStatus::Cancelled] {
        set(&test, &order, status).await;
    }
    for login in &logins {
        let forgot = input(json!({ "email": login.email }));
        test.shop.accounts().forgot_password(forgot).await.expect("answered");
    }
    for email in [customer.email, "demo-1@velas.example"] {
        let subscribe = input(json!({ "email": email }));
        test.shop.newsletter().subscribe(subscribe).await.expect("subscribed");
    }
    assert!(letters(&test, &server).await.is_empty());
    assert_eq!(test.count("SELECT count(*) FROM mail"), 0);
    // Such an account that gets another address is mailed.
    let change = json!({ "currentPassword": customer.password, "email": "ana@example.com" });
    test.shop.accounts().update(&id, input(change)).await.expect("changed");
    set(&test, &order, OrderStatus::Shipped).await;
    let mails = letters(&test, &server).await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].recipient(), "ana@example.com");
}

/// One of each mail to customers and to the shop.
async fn one_of_each(test: &TestShop, server: &SmtpServer) -> Vec<Received> {
    let buyer = test.buyer("ana").await;
    let order = paid_order(test, &buyer).await;
    for status in [OrderStatus::Shipped, OrderStatus::Delivered, OrderStatus::Cancelled] {
        set(test, &order, status).await;
    }
    let other = paid_order(test, &test.buyer("bia").await).await;
    test.shop
        .payments()
        .refund(&Actor::System, &other.id, input(json!({})), None)
        .await
        .expect("refunded");
    set(test, &order, OrderStatus::Refunded).await;
    let accounts = test.shop.accounts();
    accounts.forgot_password(input(json!({ "email": "ana@example.com" }))).await.expect("asked");
    let mut mails = letters(test, server).await;
    let change = json!({ "currentPassword": "segredo-123", "newPassword": "another-one" });
    accounts.change_password(&buyer.id, input(change)).await.expect("changed");
    let change = json!({ "currentPassword": "another-one", "email": "nova@example.com" });
    accounts.update(&buyer.id, input(change)).await.expect("changed");
    let subscribe = input(json!({ "email": "eva@example.com" }));
    test.shop.newsletter().subscribe(subscribe).await.expect("subscribed");
    let message = input(json!({
        "name": "Bia", "email": "bia@example.com", "subject": "Oi", "message": "Tudo bem?"
    }));
    test.shop.contact_form().send(message).await.expect("kept");
    mails.extend(letters(test, server).await);
    mails
}

/// Where `SHOP_TEST_LETTERS` names a folder, the pages are left there to be looked at.
fn keep_pages(mails: &[Received]) {
    let Ok(folder) = std::env::var("SHOP_TEST_LETTERS") else { return };
    for (n, mail) in mails.iter().enumerate() {
        let path = format!("{folder}/{n:02}.html");
        std::fs::write(path, mail.html()).expect("written");
    }
}

/// An article before the name of a shop would be wrong for half of the shops.
#[tokio::test]
async fn no_mail_depends_on_the_gender_of_the_shops_name() {
    for name in ["Loja de Velas", "Ateliê do Aroma"] {
        let (test, server) = shop_called(name).await;
        let mails = one_of_each(&test, &server).await;
        assert_eq!(mails.len(), 16, "{:?}", subjects(&mails));
        keep_pages(&mails);
        for mail in &mails {
            let texts = [mail.header("Subject").expect("a subject"), mail.text(), mail.html()];
            for text in texts {
                for article in ["a", "o", "à", "ao", "da", "do", "na", "no", "pela", "pelo"] {
                    let wrong = format!(" {article} {name}");
                    assert!(!text.to_lowercase().contains(&wrong.to_lowercase()), "{text}");
                }
            }
        }
    }
}

/// Whether an amount in a text is written as programs write it (`5.00`) and not as people in Brazil
/// do (`5,00`).
fn has_point_amount(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (1..bytes.len()).any(|at| {
        bytes[at] == b'.' && digit(at - 1) && digit(at + 1) && digit(at + 2) && !digit(at + 3)
    })
}

#[tokio::test]
async fn no_text_for_people_has_an_amount_with_a_point() {
    assert!(has_point_amount("R$ 5.00") && !has_point_amount("R$ 1.234,56"));
    let (test, server) = shop_called("Loja").await;
    for mail in one_of_each(&test, &server).await {
        // Links aside, of which a token may have a point between digits.
        let text = mail.text();
        let lines = text.lines().filter(|line| !line.starts_with("http"));
        let text = lines.collect::<Vec<_>>().join("\n");
        assert!(!has_point_amount(&text), "{text}");
        assert!(text.contains("R$ ") || !text.contains("R$"), "{text}");
    }
    let texts = "SELECT body FROM notification UNION ALL SELECT body FROM order_note
                 UNION ALL SELECT coalesce(note, '') FROM order_history";
    for row in test.data.rows(texts) {
        let text = row[0].clone().expect("a text");
        assert!(!has_point_amount(&text), "{text}");
    }
}

/// Says some mails in English, and has the rest as the shop says them.
struct English;

impl MailTexts for English {
    fn render(&self, mail: &MailData<'_>) -> Option<MailText> {
        let text = match (mail.data(), mail.data()) {
            (Some(OrderMail::OrderPlaced { order }), _) => {
                format!("{}: {}, {}", order.order_number, order.total, mail.link?)
            }
            (_, Some(AccountMail::PasswordReset { .. })) => mail.link?.to_owned(),
            _ => return None,
        };
        let (subject, html) = (format!("{} in English", mail.kind), mail.standard.html.clone());
        Some(MailText { subject, text, html })
    }
}

#[tokio::test]
async fn a_programs_own_words_are_made_of_the_same_values_and_links() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = TestShop::with(|config| {
        config.base_url = Some("https://velas.example/".to_owned());
        config.mail.smtp_url = Some(Secret::new(server.url()));
        config.mail.links.order = "/meus-pedidos/{id}?de=e-mail".to_owned();
        config.mail.links.reset_password = "https://conta.example/senha#{token}".to_owned();
    })
    .await;
    let builder = shop_core::Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let shop = builder.mail_texts(English).open().await.expect("opens");
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let order = test.buy(&ana, &vela, 1).await.expect("an order");
    let forgot = json!({ "email": "ana@example.com" });
    shop.accounts().forgot_password(input(forgot)).await.expect("a link");
    assert_eq!(shop.run_due().await.expect("done").mails_sent, 3);
    let mails = server.received();
    let of = |subject: &str| {
        let found = mails.iter().find(|it| it.header("Subject").as_deref() == Some(subject));
        found.unwrap_or_else(|| panic!("no mail {subject}"))
    };
    assert!(of("Boas-vindas! Sua conta está pronta").text().contains("https://velas.example/"));
    let placed = of("order-placed in English");
    let url = format!("https://velas.example/meus-pedidos/{}?de=e-mail", order.id);
    assert_eq!(placed.text().trim(), format!("{}: 10.00, {url}", order.order_number));
    assert!(placed.html().contains(&url), "the shop's own page");
    let reset = of("password-reset in English").text();
    assert!(reset.starts_with("https://conta.example/senha#"), "{reset}");
}

#[test]
fn links_of_mails_are_addresses_with_what_must_stand_in_them() {
    for (key, good, bad) in [
        ("home", "https://velas.example", "velas.example"),
        ("order", "/pedido?id={id}", "/pedido"),
        ("reset_password", "/senha/{token}", "/senha"),
    ] {
        let parse =
            |link: &str| shop_core::Config::parse(&format!("[mail.links]\n{key} = '{link}'"), []);
        assert!(parse(good).is_ok(), "{key} = {good}");
        let told = parse(bad).expect_err("refused").to_string();
        assert!(told.contains(&format!("mail.links.{key} = \"{bad}\": expected")), "{told}");
    }
}
