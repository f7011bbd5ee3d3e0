//! The outbox of mails and its way to a mail server.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::clock::ManualClock;
use shop_core::config::Secret;
use shop_core::mail::{Mailer, NotSent, OutgoingMail};
use shop_core::order::OrderStatus;

use super::fixture::{Buyer, TestShop, input};
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

async fn shop_with(server: &SmtpServer) -> TestShop {
    let url = server.url();
    TestShop::with(|config| {
        config.mail.smtp_url = Some(Secret::new(url));
        config.mail.per_address_per_hour = 0;
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
async fn a_purchase_is_told_by_mail_from_the_welcome_to_the_parcel() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop_with(&server).await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 9, 123_450).await;
    test.raw_sql("UPDATE product SET name = 'vela<de>lavanda'");
    let order = test.buy(&buyer, &candle, 2).await.expect("an order");
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let code = input(json!({ "trackingCode": "AA123456789BR" }));
    let coded = test.shop.orders().update(&Actor::System, &order.id, code, None).await;
    assert_eq!(coded.expect("kept").order.tracking_code.as_deref(), Some("AA123456789BR"));
    for status in [OrderStatus::Shipped, OrderStatus::Shipped, OrderStatus::Delivered] {
        test.shop.orders().set_status(&order.id, status, None).await.expect("set");
    }
    assert_eq!(deliver(&test).await, 5);
    assert_eq!(deliver(&test).await, 0);
    let mails = server.received();
    let number = &order.order_number;
    assert_eq!(
        subjects(&mails),
        [
            "Boas-vindas! Sua conta está pronta".to_owned(),
            format!("Recebemos seu pedido {number}"),
            format!("Pagamento confirmado: pedido {number}"),
            format!("Seu pedido {number} foi enviado"),
            format!("Seu pedido {number} foi entregue"),
        ]
    );
    for mail in &mails {
        assert_eq!(mail.recipient(), "ana@example.com");
        assert_eq!(mail.header("From").as_deref(), Some("Loja de Velas <loja@velas.example>"));
        assert_eq!(mail.header("To").as_deref(), Some("ana <ana@example.com>"));
        assert!(mail.text().contains("Olá, ana!"), "{}", mail.text());
    }
    let text = mails[1].text().replace('\u{a0}', " ");
    for part in ["2 x vela<de>lavanda: R$ 2.469,00", "Frete: Grátis", "Total: R$ 2.469,00"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("Rua das Flores, 123\nCentro, São Paulo - SP\nCEP 01001-000"), "{text}");
    let html = mails[1].html();
    assert!(html.contains("vela&lt;de&gt;lavanda") && !html.contains("vela<de>"), "{html}");
    let link = format!("http://127.0.0.1:8080/pedido/{}?t=", order.order_number);
    assert!(html.contains(&link));
    // An encoding would break the lines of the page, and so its links.
    assert!(mails[1].data.contains(&format!("<a href=\"{link}")), "{}", mails[1].data);
    assert!(mails[1].data.contains("S&#227;o Paulo") && html.contains("São Paulo"), "{html}");
    assert!(mails[3].text().contains("Código de rastreio:\nAA123456789BR"));
}

#[tokio::test]
async fn the_conversation_is_smtp() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop_with(&server).await;
    test.buyer("ana").await;
    assert_eq!(deliver(&test).await, 1);
    let mails = server.wait_for(1).await;
    let verbs: Vec<&str> = mails[0].commands.iter().map(String::as_str).collect();
    assert_eq!(verbs[..2], ["EHLO velas.example", "MAIL FROM:<loja@velas.example>"]);
    assert_eq!(verbs[2..4], ["RCPT TO:<ana@example.com>", "DATA"]);
    let id = mails[0].header("Message-ID").expect("an id");
    assert!(id.starts_with('<') && id.ends_with("@velas.example>"), "{id}");
    assert_eq!(mails[0].header("Date").as_deref(), Some("Sat, 21 Nov 2026 15:00:00 +0000"));
}

#[tokio::test]
async fn with_the_mail_server_down_orders_go_on_and_every_mail_arrives_once() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let (mut test, address) = (shop_with(&server).await, server.address);
    server.stop().await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 100, 1990).await;
    for _ in 0..10 {
        test.buy(&buyer, &candle, 1).await.expect("an order");
        assert_eq!(deliver(&test).await, 0);
        test.clock.advance(Duration::from_secs(7));
    }
    assert!(test.count("SELECT min(attempts) FROM mail WHERE created_at < 1795273250000") > 1);
    assert_eq!(test.count("SELECT count(*) FROM mail WHERE last_error IS NULL"), 0);
    // The shop starts again, and only then the mail server is back.
    test.shop = test.open_again().await;
    let server = SmtpServer::start_at(address, SmtpBehaviour::Takes).await;
    test.advance_hours(1);
    assert_eq!(deliver(&test).await, 11);
    test.advance_hours(60);
    assert_eq!(deliver(&test).await, 0);
    let mails = server.received();
    let ids: HashSet<_> = mails.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!((mails.len(), ids.len()), (11, 11));
}

#[tokio::test]
async fn a_mail_server_that_is_busy_is_asked_again_and_less_and_less_often() {
    let server = SmtpServer::start(SmtpBehaviour::Busy).await;
    let test = shop_with(&server).await;
    test.buyer("ana").await;
    // 5 s after the first try, 10 s after the second, 20 s after the third.
    for (after, tries) in [(0, 1), (4, 1), (1, 2), (9, 2), (1, 3), (19, 3), (1, 4)] {
        test.clock.advance(Duration::from_secs(after));
        assert_eq!(deliver(&test).await, 0);
        assert_eq!(server.received().len(), tries);
    }
    // After five days nobody wants to read it any more.
    test.advance_hours(5 * 24);
    deliver(&test).await;
    let given_up = "SELECT count(*) FROM mail WHERE next_try_at IS NULL AND sent_at IS NULL";
    assert_eq!(test.count(given_up), 1);
}

#[tokio::test]
async fn what_is_refused_for_good_is_not_tried_again() {
    let server = SmtpServer::start(SmtpBehaviour::RefusesAndRepeats).await;
    let test = shop_with(&server).await;
    test.buyer("ana").await;
    for _ in 0..3 {
        assert_eq!(deliver(&test).await, 0);
        test.advance_hours(1);
    }
    assert_eq!(server.received().len(), 1);
    // What the server said, once.
    let told = "SELECT count(*) FROM mail
                WHERE last_error LIKE 'SMTP 554: %' AND last_error NOT LIKE '%permanent error%'";
    assert_eq!(test.count(told), 1);
}

#[tokio::test]
async fn staff_have_a_mail_sent_again_that_was_given_up_and_no_other() {
    let server = SmtpServer::start(SmtpBehaviour::RefusesAndRepeats).await;
    let test = shop_with(&server).await;
    test.buyer("ana").await;
    assert_eq!(deliver(&test).await, 0);
    let address = server.address;
    server.stop().await;
    let failing = || async {
        let tasks = test.shop.dashboard().get_tasks(input(json!({}))).await.expect("tasks");
        tasks.failing_mails.first
    };
    let given_up = failing().await.remove(0);
    assert_eq!(given_up.next_try_at, None);
    // Bia's waits for a server that is away.
    test.buyer("bia").await;
    assert_eq!(deliver(&test).await, 0);
    let waiting = failing().await.remove(1);
    assert!(waiting.next_try_at.is_some());
    let ids = json!([given_up.id, waiting.id, "none", given_up.id]);
    let resend = || async {
        let ids = input(json!({ "ids": ids }));
        test.shop.mails().resend(&Actor::System, ids).await.expect("in the queue").queued
    };
    assert_eq!(resend().await, 1);
    assert_eq!(resend().await, 0, "it waits already");
    let server = SmtpServer::start_at(address, SmtpBehaviour::Takes).await;
    assert_eq!(deliver(&test).await, 1);
    assert_eq!(server.received()[0].recipient(), "ana@example.com");
    assert_eq!(resend().await, 0, "it has left");
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'mail.resend'"), 1);
}

#[tokio::test]
async fn a_mail_server_that_refuses_the_shop_itself_loses_no_mail() {
    for behaviour in [
        SmtpBehaviour::RefusesEverybody,
        SmtpBehaviour::WantsALogin,
        SmtpBehaviour::RefusesTheSender,
    ] {
        let server = SmtpServer::start(behaviour).await;
        let test = shop_with(&server).await;
        test.buyer("ana").await;
        assert_eq!(deliver(&test).await, 0);
        assert_eq!(test.count("SELECT count(*) FROM mail WHERE last_error LIKE '%SMTP 5%'"), 1);
        let address = server.address;
        server.stop().await;
        // Somebody mended it.
        let server = SmtpServer::start_at(address, SmtpBehaviour::Takes).await;
        test.advance_hours(1);
        assert_eq!(deliver(&test).await, 1, "{behaviour:?}");
        assert_eq!(server.received().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_one_sends_each_mail() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop_with(&server).await;
    let other = test.open_again().await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 100, 1990).await;
    for _ in 0..40 {
        test.buy(&buyer, &candle, 1).await.expect("an order");
    }
    let (one, two) = tokio::join!(test.shop.run_due(), other.run_due());
    let sent = one.expect("done").mails_sent + two.expect("done").mails_sent;
    let mails = server.received();
    let ids: HashSet<_> = mails.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!((sent, mails.len(), ids.len()), (41, 41, 41));
}

#[tokio::test]
async fn a_mail_leaves_as_soon_as_it_is_written() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop_with(&server).await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let shop = test.shop.clone();
    let running =
        tokio::spawn(async move { shop.run_background(async { drop(stopped.await) }).await });
    test.buyer("ana").await;
    server.wait_for(1).await;
    // Another process knows nothing of this one's bell; the mail is found all the same.
    let elsewhere = test.open_again().await;
    let message = input(json!({
        "name": "Bia", "email": "bia@example.com", "subject": "Oi", "message": "Tudo bem?"
    }));
    elsewhere.contact_form().send(message).await.expect("kept");
    assert_eq!(subjects(&server.wait_for(2).await)[1], "[Contato] Oi");
    stop.send(()).expect("it runs");
    running.await.expect("it ends");
}

#[tokio::test]
async fn without_a_mail_server_mails_are_files() {
    let test = TestShop::open().await;
    let _: Buyer = test.buyer("ana").await;
    assert_eq!(deliver(&test).await, 1);
    let folder = &test.shop.config().outbox_dir().expect("a folder");
    let files: Vec<_> = std::fs::read_dir(folder).expect("the folder").collect();
    assert_eq!(files.len(), 1);
    let path = files[0].as_ref().expect("a file").path();
    assert_eq!(path.extension().and_then(|end| end.to_str()), Some("eml"));
    let data = std::fs::read_to_string(path).expect("a mail");
    let mail = Received { commands: Vec::new(), data };
    assert_eq!(mail.header("Subject").as_deref(), Some("Boas-vindas! Sua conta está pronta"));
    assert!(mail.html().starts_with("<!DOCTYPE html>"));
}

#[tokio::test]
async fn mails_of_long_ago_are_forgotten_but_none_that_waits() {
    let test = TestShop::open().await;
    test.buyer("ana").await;
    assert_eq!(deliver(&test).await, 1);
    test.advance_hours(90 * 24 - 1);
    test.buyer("bia").await;
    assert_eq!(test.shop.run_due().await.expect("done").mails_forgotten, 0);
    test.advance_hours(1);
    assert_eq!(test.shop.run_due().await.expect("done").mails_forgotten, 1);
    assert_eq!(test.count("SELECT count(*) FROM mail WHERE recipient = 'bia@example.com'"), 1);
}

#[tokio::test]
async fn what_people_write_never_becomes_a_header() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop_with(&server).await;
    let evil = "Ana\r\nBcc: eva@example.com\r\n\r\n.\r\nRCPT TO:<eva@example.com>";
    let register = json!({ "name": evil, "email": "ana@example.com", "password": "segredo-123" });
    test.shop.accounts().register(input(register)).await.expect("registered");
    let message = json!({
        "name": evil, "email": "bia@example.com", "subject": evil, "message": evil
    });
    test.shop.contact_form().send(input(message)).await.expect("kept");
    let subscribe = json!({ "name": evil, "email": "eva@example.com" });
    test.shop.newsletter().subscribe(input(subscribe)).await.expect("subscribed");
    assert_eq!(deliver(&test).await, 3);
    let mails = server.received();
    let recipients: Vec<String> = mails.iter().map(Received::recipient).collect();
    assert_eq!(recipients, ["ana@example.com", "loja@velas.example", "eva@example.com"]);
    let one_line = "Ana Bcc: eva@example.com . RCPT TO:<eva@example.com>";
    assert_eq!(mails[1].header("Subject"), Some(format!("[Contato] {one_line}")));
    assert_eq!(mails[1].header("Reply-To"), Some(format!("{one_line} <bia@example.com>")));
    assert_eq!(mails[0].header("To"), Some(format!("{one_line} <ana@example.com>")));
    for mail in &mails {
        assert!(!mail.header_names().iter().any(|name| name.eq_ignore_ascii_case("bcc")));
        let rcpts = mail.commands.iter().filter(|line| line.starts_with("RCPT")).count();
        assert_eq!(rcpts, 1);
    }
}

/// Panics at each mail to Ana, and takes all others.
struct Nervous;

impl Mailer for Nervous {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        assert!(!mail.to.email.as_str().starts_with("ana"), "a mailer that panics, on purpose");
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn a_mailer_that_panics_at_one_mail_sends_the_others_and_tries_that_one_again() {
    let test = TestShop::open().await;
    let builder = shop_core::Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let shop = builder.mailer(Nervous).open().await.expect("opens");
    test.buyer("ana").await;
    test.buyer("bia").await;
    assert_eq!(shop.run_due().await.expect("done").mails_sent, 1);
    let waits = "SELECT count(*) FROM mail WHERE recipient LIKE 'ana%' AND attempts = ";
    assert_eq!(test.count(&format!("{waits}1")), 1);
    test.clock.advance(Duration::from_secs(6));
    assert_eq!(shop.run_due().await.expect("done").mails_sent, 0);
    assert_eq!(test.count(&format!("{waits}2")), 1);
}

/// Takes a second for each mail.
struct Slow {
    clock: ManualClock,
    taken: Arc<Mutex<Vec<String>>>,
}

impl Mailer for Slow {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        self.clock.advance(Duration::from_secs(1));
        self.taken.lock().expect("unlocked").push(mail.to.email.as_str().to_owned());
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn a_slow_mail_server_gets_each_mail_once_and_in_turn() {
    let test = TestShop::open().await;
    let taken = Arc::new(Mutex::new(Vec::new()));
    let slow = Slow { clock: test.clock.clone(), taken: Arc::clone(&taken) };
    let builder = shop_core::Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let shop = builder.mailer(slow).open().await.expect("opens");
    let names: Vec<String> =
        (b'a'..=b'l').map(|letter| format!("an{}", char::from(letter))).collect();
    for name in &names {
        test.buyer(name).await;
        test.clock.advance(Duration::from_millis(5));
    }
    assert_eq!(shop.run_due().await.expect("done").mails_sent, names.len());
    let expected: Vec<_> = names.iter().map(|name| format!("{name}@example.com")).collect();
    assert_eq!(*taken.lock().expect("unlocked"), expected);
    test.check_books().await;
}

#[tokio::test]
async fn a_mail_greets_by_what_looks_like_a_name_and_never_by_an_address() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let test = shop_with(&server).await;
    for (name, greeting) in [
        ("ana maria", "Olá, ana!"),
        ("D’Ávila Jr.", "Olá, D’Ávila!"),
        ("Jr. Ana", "Olá, Jr.!"),
        ("https://golpe.example/premio agora", "Olá!"),
        ("golpe.example ganhe", "Olá!"),
        ("Voc\u{ea}\u{ad}ganhou\u{ad}R$500 veja", "Olá!"),
    ] {
        let reader = json!({ "name": name, "email": "vitima@example.com" });
        test.raw_sql("DELETE FROM newsletter_reader");
        test.shop.newsletter().subscribe(input(reader)).await.expect("subscribed");
        assert_eq!(deliver(&test).await, 1);
        let text = server.received().last().expect("a mail").text();
        assert!(text.contains(&format!("{greeting}\n")), "{name}: {text}");
    }
}
