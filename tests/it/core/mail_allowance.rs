//! How many mails an hour one address gets.

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::config::Secret;
use shop_core::order::OrderStatus;

use super::fixture::{Buyer, TestShop, input};
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

async fn shop(server: &SmtpServer, limit: u32) -> TestShop {
    let url = Secret::new(server.url());
    TestShop::with(|config| {
        config.mail.smtp_url = Some(url);
        config.mail.per_address_per_hour = limit;
    })
    .await
}

async fn deliver(test: &TestShop) -> usize {
    test.shop.run_due().await.expect("done").mails_sent
}

fn subjects(mails: &[Received]) -> Vec<String> {
    mails.iter().map(|mail| mail.header("Subject").expect("a subject")).collect()
}

#[tokio::test]
async fn what_goes_beyond_the_allowance_leaves_as_one_digest_at_the_end_of_the_hour() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 3).await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let candle = test.product("vela", 100, 1990).await;
    let mut numbers = Vec::new();
    for _ in 0..8 {
        numbers.push(test.buy(&ana, &candle, 1).await.expect("an order").order_number);
    }
    test.buy(&bia, &candle, 1).await.expect("an order");
    // Three to ana, the welcome among them, and both of bia's.
    assert_eq!(deliver(&test).await, 5);
    test.check_books().await;
    test.clock.advance(std::time::Duration::from_secs(3599));
    assert_eq!(deliver(&test).await, 0);
    test.clock.advance(std::time::Duration::from_secs(1));
    assert_eq!(deliver(&test).await, 1);
    let digest = server.received().pop().expect("a mail");
    assert_eq!(digest.recipient(), "ana@example.com");
    assert_eq!(digest.header("Subject").as_deref(), Some("Resumo: 6 avisos da loja"));
    for number in &numbers[2..] {
        assert!(digest.text().contains(&format!("Recebemos seu pedido {number}")), "{number}");
        // A guest has no other way to the order.
        assert!(digest.text().contains(&format!("/pedido/{number}?t=")), "{number}");
    }
    assert!(!digest.text().contains(&numbers[1]), "it was sent by itself");
    // The digest is the first mail of the next hour.
    for _ in 0..2 {
        test.buy(&ana, &candle, 1).await.expect("an order");
    }
    assert_eq!(deliver(&test).await, 2);
    test.check_books().await;
    test.advance_hours(2);
    assert_eq!(deliver(&test).await, 0);
}

#[tokio::test]
async fn three_hundred_orders_of_an_address_that_nobody_confirmed_are_few_mails() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 20).await;
    let ana = test.buyer("ana").await;
    let candle = test.product("vela", 1000, 1990).await;
    for _ in 0..300 {
        test.buy(&ana, &candle, 1).await.expect("an order");
    }
    assert_eq!(deliver(&test).await, 20);
    test.advance_hours(1);
    assert_eq!(deliver(&test).await, 1);
    let subjects = subjects(&server.received());
    assert_eq!(subjects.last().map(String::as_str), Some("Resumo: 281 avisos da loja"));
    let waiting = "SELECT count(*) FROM mail WHERE sent_at IS NULL";
    assert_eq!(test.count(waiting), 0);
}

#[tokio::test]
async fn a_digest_leads_to_the_order_that_was_sent_and_not_to_its_carrier() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 2).await;
    let (ana, candle) = (test.buyer("ana").await, test.product("vela", 100, 1990).await);
    let orders = test.shop.orders();
    let order = test.buy(&ana, &candle, 1).await.expect("an order");
    test.buy(&ana, &candle, 1).await.expect("an order");
    let code = input(json!({ "trackingCode": "AA123456789BR", "carrier": "Correios" }));
    orders.update(&Actor::System, &order.id, code, None).await.expect("kept");
    for status in [OrderStatus::Processing, OrderStatus::Shipped] {
        orders.set_status(&order.id, status, None).await.expect("set");
    }
    assert_eq!(deliver(&test).await, 2);
    test.advance_hours(1);
    assert_eq!(deliver(&test).await, 1);
    let digest = server.received().pop().expect("a mail");
    let number = &order.order_number;
    assert!(digest.text().contains(&format!("Seu pedido {number} foi enviado")));
    assert!(digest.text().contains(&format!("/pedido/{number}?t=")), "{}", digest.text());
    assert!(!digest.text().contains("AA123456789BR"), "{}", digest.text());
}

#[tokio::test]
async fn digests_of_several_people_that_are_due_at_once_tell_of_each_mail_once() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 1).await;
    let candle = test.product("vela", 1000, 1990).await;
    let names = ["ana", "bia", "eva", "ivo"];
    let mut expected = Vec::new();
    for name in names {
        let buyer = test.buyer(name).await;
        for _ in 0..5 {
            let order = test.buy(&buyer, &candle, 1).await.expect("an order");
            expected.push((format!("{name}@example.com"), order.order_number.clone()));
        }
    }
    assert_eq!(deliver(&test).await, names.len(), "the welcome only");
    test.advance_hours(1);
    assert_eq!(deliver(&test).await, names.len());
    let digests = &server.received()[names.len()..];
    for (recipient, number) in expected {
        let told = digests.iter().filter(|mail| {
            let line = format!("Recebemos seu pedido {number}");
            mail.recipient() == recipient && mail.text().matches(&line).count() == 1
        });
        assert_eq!(told.count(), 1, "{recipient} {number}");
    }
    assert_eq!(test.count("SELECT count(*) FROM mail WHERE sent_at IS NULL"), 0);
    test.check_books().await;
}

#[tokio::test]
async fn one_mail_too_many_leaves_as_it_is() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 1).await;
    let ana = test.buyer("ana").await;
    let candle = test.product("vela", 100, 1990).await;
    let order = test.buy(&ana, &candle, 1).await.expect("an order");
    assert_eq!(deliver(&test).await, 1);
    test.advance_hours(1);
    assert_eq!(deliver(&test).await, 1);
    let subject = format!("Recebemos seu pedido {}", order.order_number);
    assert_eq!(subjects(&server.received())[1], subject);
}

#[tokio::test]
async fn orders_never_keep_a_link_or_a_warning_from_leaving() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 2).await;
    let ana = test.buyer("ana").await;
    let candle = test.product("vela", 100, 1990).await;
    for _ in 0..5 {
        test.buy(&ana, &candle, 1).await.expect("an order");
    }
    assert_eq!(deliver(&test).await, 2);
    let forgot = input(json!({ "email": "ana@example.com" }));
    test.shop.accounts().forgot_password(forgot).await.expect("answered");
    let change = json!({ "currentPassword": "segredo-123", "newPassword": "another-one" });
    assert_eq!(deliver(&test).await, 1);
    test.shop.accounts().change_password(&ana.id, input(change)).await.expect("changed");
    assert_eq!(deliver(&test).await, 1);
    let subjects = subjects(&server.received());
    assert_eq!(subjects[2..], ["Redefinição de senha", "Sua senha foi alterada"]);
}

#[tokio::test]
async fn a_mail_server_that_is_down_uses_nothing_up() {
    let server = SmtpServer::start(SmtpBehaviour::Busy).await;
    let test = shop(&server, 2).await;
    let ana = test.buyer("ana").await;
    let candle = test.product("vela", 100, 1990).await;
    test.buy(&ana, &candle, 1).await.expect("an order");
    for _ in 0..5 {
        assert_eq!(deliver(&test).await, 0);
        test.clock.advance(std::time::Duration::from_secs(300));
    }
    assert_eq!(test.count("SELECT count(*) FROM mail WHERE held_for IS NOT NULL"), 0);
}

#[tokio::test]
async fn messages_to_the_shop_are_never_held_back() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 1).await;
    for n in 0..4 {
        let message = input(json!({
            "name": "Bia", "email": "bia@example.com", "subject": format!("{n}"), "message": "Oi"
        }));
        test.shop.contact_form().send(message).await.expect("kept");
    }
    assert_eq!(deliver(&test).await, 4);
}

#[tokio::test]
async fn of_an_erased_person_no_address_is_left_behind() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 1).await;
    let ana = test.buyer("ana").await;
    let change = json!({ "currentPassword": "segredo-123", "email": "nova@example.com" });
    test.shop.accounts().update(&ana.id, input(change)).await.expect("changed");
    deliver(&test).await;
    assert!(test.count("SELECT count(*) FROM mail WHERE recipient = 'ana@example.com'") > 0);
    let erase = input(json!({ "password": "segredo-123" }));
    test.shop.accounts().erase(&ana.id, erase).await.expect("erased");
    // Those that were sent go soon after.
    assert_eq!(deliver(&test).await, 0);
    assert_eq!(test.count("SELECT count(*) FROM mail"), 0);
    // Who is erased and comes back has no more mails an hour than others.
    assert!(test.count("SELECT count(*) FROM mail_allowance") > 0);
    test.advance_hours(1);
    deliver(&test).await;
    assert_eq!(test.count("SELECT count(*) FROM mail_allowance"), 0);
}

#[tokio::test]
async fn who_erases_an_account_with_a_guests_address_takes_none_of_the_guests_mails_away() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop(&server, 5).await;
    let guest = json!({ "name": "Ana", "email": "ana@example.com", "phone": "11987654321" });
    let guest = test.shop.accounts().register_guest(input(guest), None).await.expect("a guest");
    let id = guest.account.id;
    let address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    });
    let address = test.shop.addresses().create(&id, input(address)).await.expect("an address").id;
    let candle = test.product("vela", 100, 1990).await;
    test.buy(&Buyer { id, address }, &candle, 1).await.expect("an order");
    let other = test.buyer("ana").await;
    let erase = input(json!({ "password": "segredo-123" }));
    test.shop.accounts().erase(&other.id, erase).await.expect("erased");
    assert_eq!(deliver(&test).await, 1, "of the order, and no welcome");
}
