//! Through the shop: one order, one invoice, however the office behaves.

use std::time::Duration;

use futures_util::future::join_all;
use shop_core::actor::Actor;
use shop_core::error::Refusal;
use shop_core::invoicing::{CorrectionStatus, InvoiceStatus, IssuedInvoice, WithdrawInvoice};
use shop_core::order::Order;
use shop_core::{Error, Result};

use crate::core::fixture::{TestShop, input};
use crate::fakes::sefaz::{Behavior, Sefaz};

/// An office, a shop that asks it, and a paid order.
async fn sold() -> (Sefaz, TestShop, Order) {
    let office = Sefaz::start().await;
    let test = TestShop::with(|config| office.adapt(config)).await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 100, 4990).await;
    let order = test.buy(&buyer, &vela, 2).await.expect("placed");
    let order = test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    (office, test, order)
}

async fn emit(test: &TestShop, order: &Order) -> Result<IssuedInvoice> {
    let cpf = Some(input("52998224725".into()));
    test.shop.invoices().emit(&Actor::System, &order.id, cpf).await
}

async fn cancel(test: &TestShop, order: &Order) -> Result<IssuedInvoice> {
    let why = WithdrawInvoice::default();
    test.shop.invoices().cancel(&Actor::System, &order.id, why).await
}

/// The office has one invoice, and it is the shop's.
async fn check_one(office: &Sefaz, test: &TestShop, order: &Order) {
    let invoice = emit(test, order).await.expect("issued");
    assert_eq!((invoice.status, invoice.number), (InvoiceStatus::Authorized, 1));
    assert_eq!(office.good(), invoice.key.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(office.authorised(), 1);
    assert_eq!(emit(test, order).await.expect("issued"), invoice, "the same again");
    assert_eq!(test.count("SELECT count(*) FROM nfe"), 1);
}

#[tokio::test]
async fn an_order_has_one_invoice_whatever_becomes_of_the_first_call() {
    for behavior in [
        Behavior::Works,
        Behavior::Receipts(0),
        Behavior::SilentBefore,
        Behavior::SilentAfter,
        Behavior::HangsUpAfter,
        Behavior::Garbage,
        Behavior::Fault,
        Behavior::OtherXml,
        Behavior::Paused,
        Behavior::Rejects(215, "Rejeição: Falha no schema XML do lote de NFe"),
        Behavior::Rejects(999, "Rejeição: Erro não catalogado"),
    ] {
        let (office, test, order) = sold().await;
        office.behaves(behavior);
        let first = emit(&test, &order).await;
        let at_once = matches!(behavior, Behavior::Works | Behavior::Receipts(_));
        assert_eq!(first.is_ok(), at_once, "{behavior:?}: {first:?}");
        office.behaves(Behavior::Works);
        check_one(&office, &test, &order).await;
    }
}

#[tokio::test]
async fn a_word_that_cannot_be_read_authorises_nothing_and_is_asked_about_again() {
    let (office, test, order) = sold().await;
    office.behaves(Behavior::SilentAfter);
    emit(&test, &order).await.expect_err("no answer");
    office.behaves(Behavior::Unreadable);
    let unreadable = emit(&test, &order).await;
    assert!(matches!(unreadable, Err(Error::Provider { .. })), "{unreadable:?}");
    let invoice = test.shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!((invoice.status, invoice.answer_code), (InvoiceStatus::Signed, None));
    office.behaves(Behavior::Works);
    test.clock.advance(Duration::from_secs(3600));
    assert_eq!(test.shop.run_due().await.expect("runs").invoices_settled, 1);
    let invoice = test.shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!((invoice.status, invoice.answer_code), (InvoiceStatus::Authorized, Some(100)));
    check_one(&office, &test, &order).await;
}

#[tokio::test]
async fn a_rejection_is_told_in_the_offices_own_words() {
    let (office, test, order) = sold().await;
    let words = "Rejeição: CPF do destinatário inválido";
    office.behaves(Behavior::Rejects(237, words));
    let error = emit(&test, &order).await.expect_err("rejected");
    let Error::Refused(Refusal::NfeRejected { code, text }) = error else { panic!("{error:?}") };
    assert_eq!((code, text.as_str()), (237, words));
}

#[tokio::test]
async fn a_buyer_who_is_not_in_order_is_a_rejection_whose_number_the_next_document_takes() {
    let (office, test, order) = sold().await;
    for code in [302, 303, 307, 781] {
        office.behaves(Behavior::Rejects(code, "Rejeição: Irregularidade fiscal"));
        let error = emit(&test, &order).await.expect_err("rejected");
        let Error::Refused(Refusal::NfeRejected { code: said, .. }) = error else {
            panic!("{error:?}")
        };
        assert_eq!(said, code);
        test.clock.advance(Duration::from_secs(1));
    }
    office.behaves(Behavior::Works);
    assert_eq!(emit(&test, &order).await.expect("issued").number, 1);
}

#[tokio::test]
async fn an_alert_authorises_and_all_its_messages_are_told() {
    let (office, test, order) = sold().await;
    office.behaves(Behavior::Alerts);
    let invoice = emit(&test, &order).await.expect("issued");
    assert_eq!((invoice.status, invoice.answer_code), (InvoiceStatus::Authorized, Some(120)));
    let told = "Autorizado o uso da NF-e com alerta; 9001 - Confira a IE; 9002 - Confira o CEP";
    assert_eq!(invoice.answer.as_deref(), Some(told));
    check_one(&office, &test, &order).await;
    assert!(test.shop.invoices().render_danfe(&order.id).await.is_ok());
}

#[tokio::test]
async fn the_background_work_finds_out_what_became_of_a_lost_answer() {
    for behavior in [Behavior::SilentBefore, Behavior::SilentAfter] {
        let (office, test, order) = sold().await;
        office.behaves(behavior);
        emit(&test, &order).await.expect_err("no answer");
        office.behaves(Behavior::Works);
        test.clock.advance(Duration::from_secs(180));
        assert_eq!(test.shop.run_due().await.expect("runs").invoices_settled, 1, "{behavior:?}");
        let handed_over = office.asked().iter().filter(|it| *it == "NFeAutorizacao4").count();
        assert_eq!(
            handed_over,
            if behavior == Behavior::SilentBefore { 2 } else { 1 },
            "{behavior:?}"
        );
        check_one(&office, &test, &order).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_at_once_make_one_invoice() {
    let (office, test, order) = sold().await;
    for answer in join_all((0..12).map(|_| emit(&test, &order))).await {
        assert!(matches!(answer, Ok(_) | Err(Error::Busy { .. })), "{answer:?}");
    }
    check_one(&office, &test, &order).await;
}

#[tokio::test]
async fn a_cancellation_happens_once_or_not_at_all() {
    for behavior in
        [Behavior::Works, Behavior::SilentBefore, Behavior::SilentAfter, Behavior::Garbage]
    {
        let (office, test, order) = sold().await;
        emit(&test, &order).await.expect("issued");
        office.behaves(behavior);
        let first = cancel(&test, &order).await;
        assert_eq!(first.is_ok(), behavior == Behavior::Works, "{behavior:?}: {first:?}");
        office.behaves(Behavior::Works);
        let cancelled = cancel(&test, &order).await.expect("cancelled");
        assert_eq!(cancelled.status, InvoiceStatus::Cancelled, "{behavior:?}");
        assert!(office.good().is_empty(), "{behavior:?}");
        let kept = "SELECT count(*) FROM nfe WHERE cancel_proc_xml LIKE '%<cStat>135</cStat>%'";
        assert_eq!(test.count(kept), 1, "{behavior:?}");
    }
}

#[tokio::test]
async fn a_cancellation_that_comes_too_late_leaves_the_invoice_as_it_is() {
    let (office, test, order) = sold().await;
    emit(&test, &order).await.expect("issued");
    office.behaves(Behavior::TooLate);
    let error = cancel(&test, &order).await.expect_err("too late");
    assert!(
        matches!(&error, Error::Refused(Refusal::NfeRejected { code: 501, text })
            if text.contains("Prazo de Cancelamento")),
        "{error:?}"
    );
    office.behaves(Behavior::Works);
    check_one(&office, &test, &order).await;
}

#[tokio::test]
async fn a_letter_of_correction_is_registered_once_whatever_becomes_of_the_first_call() {
    for behavior in
        [Behavior::Works, Behavior::SilentBefore, Behavior::SilentAfter, Behavior::HangsUpAfter]
    {
        correct_twice(Behavior::Works, behavior).await;
    }
}

#[tokio::test]
async fn a_letter_for_an_invoice_that_was_authorised_with_an_alert_is_settled_too() {
    correct_twice(Behavior::Alerts, Behavior::SilentAfter).await;
}

/// Corrects an invoice that was issued in this way; the first call goes like that.
async fn correct_twice(issued: Behavior, behavior: Behavior) {
    let (office, test, order) = sold().await;
    office.behaves(issued);
    emit(&test, &order).await.expect("issued");
    office.behaves(behavior);
    let correct = async |text: &str| {
        let new = input(serde_json::json!({ "text": text }));
        test.shop.invoices().correct(&Actor::System, &order.id, new, None).await
    };
    let first = correct("Número correto do endereço: 86").await;
    assert_eq!(first.is_ok(), behavior == Behavior::Works, "{behavior:?}: {first:?}");
    office.behaves(Behavior::Works);
    let correction = correct("Número correto do endereço: 86").await.expect("registered");
    assert_eq!((correction.sequence, correction.status), (1, CorrectionStatus::Registered));
    assert_eq!(correction.protocol.as_deref(), Some("135260000099999"), "{behavior:?}");
    let next = correct("Número correto do endereço: 86, fundos").await.expect("registered");
    assert_eq!(next.sequence, 2);
}
