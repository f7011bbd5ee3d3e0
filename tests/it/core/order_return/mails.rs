//! What the mails about a return ask the customer to do.

use serde_json::{Value, json};
use shop_core::Config;
use shop_core::actor::Actor;
use shop_core::config::Secret;
use shop_core::order_return::OrderReturn;

use super::Bench;
use crate::core::fixture::input;
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

/// A shop whose mails arrive here.
async fn bench() -> (Bench, SmtpServer) {
    bench_with(|_| {}).await
}

async fn bench_with(adapt: impl FnOnce(&mut Config)) -> (Bench, SmtpServer) {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(server.url());
    let bench = Bench::with(|config| {
        config.mail.smtp_url = Some(url);
        config.mail.per_address_per_hour = 0;
        adapt(config);
    })
    .await;
    (bench, server)
}

/// The mails that leave now.
async fn letters(bench: &Bench, server: &SmtpServer) -> Vec<Received> {
    let before = server.received().len();
    bench.test.shop.run_due().await.expect("done");
    server.received().split_off(before)
}

async fn send(bench: &Bench, of: &OrderReturn, parcel: Value) {
    let returns = bench.test.shop.returns();
    let sent = returns.mark_in_transit(&Actor::System, &of.id, input(parcel), None, None).await;
    sent.expect("sent");
}

/// The title and text of the latest notification.
async fn notice(bench: &Bench) -> (String, String) {
    let told = bench.test.shop.notifications().list(&bench.ana.id).await.expect("a list");
    (told[0].title.clone(), told[0].body.clone())
}

#[tokio::test]
async fn a_posting_code_comes_with_where_to_post_and_at_whose_cost() {
    let (bench, server) = bench().await;
    for (what, carrier, place) in [
        (json!({}), Some("Correios"), "uma agência dos Correios"),
        (json!({ "kind": "DEFECT", "reason": "Trincou" }), Some("Jadlog"), "uma agência da Jadlog"),
        (json!({}), None, "uma agência da transportadora"),
    ] {
        let order = bench.delivered(1).await;
        let asked = bench.ask(&order, what).await.expect("asked");
        let _ = bench.approve(&asked).await;
        letters(&bench, &server).await;
        send(&bench, &asked, json!({ "trackingCode": "AA1BR", "carrier": carrier })).await;
        let mail = letters(&bench, &server).await.pop().expect("a mail");
        let protocol = &asked.protocol;
        let subject = mail.header("Subject").expect("a subject");
        assert_eq!(subject, format!("Devolução {protocol}: poste os produtos"));
        let text = mail.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let do_so = format!("leve os produtos a {place} com o código AA1BR");
        assert!(text.contains(&do_so) && text.contains("não tem custo para você"), "{text}");
        assert!(!text.contains("estão a caminho"), "{text}");
        let (title, body) = notice(&bench).await;
        assert_eq!(title, "Poste os produtos da devolução");
        assert_eq!(body, format!("Devolução {protocol}: {do_so}."));
    }
}

#[tokio::test]
async fn a_corrected_code_is_told_as_such_and_the_same_one_not_again() {
    let (bench, server) = bench().await;
    let order = bench.delivered(1).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    send(&bench, &asked, json!({ "trackingCode": "AA1BR", "carrier": "Correios" })).await;
    letters(&bench, &server).await;
    for same in [json!({ "note": "ligou" }), json!({ "trackingCode": "AA1BR" })] {
        let before = bench.test.count("SELECT count(*) FROM notification");
        send(&bench, &asked, same).await;
        assert!(letters(&bench, &server).await.is_empty());
        assert_eq!(bench.test.count("SELECT count(*) FROM notification"), before);
    }
    send(&bench, &asked, json!({ "trackingCode": "AA2BR" })).await;
    let mail = letters(&bench, &server).await.pop().expect("a mail");
    let subject = mail.header("Subject").expect("a subject");
    assert_eq!(subject, format!("Devolução {}: novos dados para a postagem", asked.protocol));
    let text = mail.text();
    assert!(
        text.contains("AA2BR") && text.contains("mudaram") && !text.contains("AA1BR"),
        "{text}"
    );
}

#[tokio::test]
async fn without_a_code_the_goods_are_on_their_way_and_by_courtesy_nobody_promises_free_posting() {
    let (bench, server) = bench().await;
    let order = bench.delivered(1).await;
    bench.test.advance_hours(24 * 11);
    let open = input(json!({ "orderId": order.id }));
    let by = Actor::System;
    let asked = bench.test.shop.returns().open(&by, open, None).await.expect("opened");
    let opened = letters(&bench, &server).await.pop().expect("a mail");
    send(&bench, &asked, json!({})).await;
    let sent = letters(&bench, &server).await.pop().expect("a mail");
    assert!(sent.text().contains("estão a caminho da loja"), "{}", sent.text());
    send(&bench, &asked, json!({ "trackingCode": "AA1BR" })).await;
    let told = letters(&bench, &server).await.pop().expect("a mail");
    let subject = told.header("Subject").expect("a subject");
    assert_eq!(subject, format!("Devolução {}: poste os produtos", asked.protocol));
    for mail in [opened, told] {
        assert!(!mail.text().contains("custo para você"), "{}", mail.text());
    }
}

#[tokio::test]
async fn the_mail_of_a_delivery_says_until_when_one_may_withdraw_and_leads_there() {
    for (days, last_day) in [(7, "30/11/2026"), (30, "21/12/2026")] {
        let (bench, server) = bench_with(|config| config.returns.withdrawal_days = days).await;
        let order = bench.delivered(1).await;
        let mails = letters(&bench, &server).await;
        let mail = mails.last().expect("a mail");
        let subject = mail.header("Subject").expect("a subject");
        assert_eq!(subject, format!("Seu pedido {} foi entregue", order.order_number));
        let text = mail.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&format!("desistir da compra até {last_day},")), "{text}");
        assert!(text.contains(&format!("/pedido/{}?t=", order.order_number)), "{text}");
        assert!(mail.html().contains(last_day), "{}", mail.html());
        // The day is that of the term by which a withdrawal is taken.
        let asked = bench.ask(&order, json!({})).await.expect("asked");
        let end = asked.term_ends_at.expect("an end");
        let last = end.minus(std::time::Duration::from_millis(1)).local_day();
        assert_eq!(last.format("%d/%m/%Y").to_string(), last_day);
    }
}
