//! Whatever breaks between a number and its authorisation: one order, one invoice.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use shop_core::actor::Actor;
use shop_core::error::{Conflict, Refusal};
use shop_core::invoicing::{InvoiceStatus, WithdrawInvoice};
use shop_core::order::{Order, OrderStatus};
use shop_core::{Error, Shop};

use super::office::{Fault, Office};
use super::{emit, paid, sold};
use crate::core::fixture::TestShop;

/// Issues, and is killed as soon as the office has the document in its hands, or loses it.
async fn killed(shop: &Shop, order: &Order) {
    let ended = tokio::time::timeout(Duration::from_millis(300), emit(shop, order)).await;
    assert!(ended.is_err(), "it should hang: {ended:?}");
}

/// The order has one good invoice, here and at the office, with number 1, and nothing is open.
async fn check_one(test: &TestShop, office: &Office, shop: &Shop, order: &Order) {
    let first = emit(shop, order).await.expect("issued");
    assert_eq!((first.status, first.number), (InvoiceStatus::Authorized, 1));
    let again = emit(shop, order).await.expect("issued");
    assert_eq!(first, again);
    assert_eq!((office.authorized(), office.good()), (1, 1));
    assert_eq!(test.count("SELECT count(*) FROM nfe"), 1);
    assert_eq!(test.count("SELECT count(*) FROM nfe WHERE due_at IS NOT NULL"), 0);
    assert_eq!(test.count("SELECT last FROM nfe_series"), 1);
    let xml = shop.invoices().get_xml(&order.id).await.expect("the XML");
    assert_eq!(Some(xml.key), first.key);
}

#[tokio::test]
async fn a_call_that_breaks_off_is_looked_up_before_anything_is_sent_again() {
    for (fault, sent) in [(Fault::LostBefore, 2), (Fault::LostAfter, 1)] {
        let (test, office) = (TestShop::open().await, Office::default());
        let (order, shop) = (sold(&test).await, office.open(&test).await);
        office.next(fault);
        let error = emit(&shop, &order).await.expect_err("no answer");
        assert!(matches!(error, Error::Provider { .. }), "{error:?}");
        check_one(&test, &office, &shop, &order).await;
        assert_eq!((office.handed_over(), office.asked()), (sent, 1), "{fault:?}");
    }
}

#[tokio::test]
async fn a_program_killed_while_the_office_has_the_document_goes_on_where_it_was() {
    for fault in [Fault::HangsBefore, Fault::HangsAfter] {
        let (test, office) = (TestShop::open().await, Office::default());
        let order = sold(&test).await;
        office.next(fault);
        killed(&office.open(&test).await, &order).await;
        let shop = office.open(&test).await;
        let seen = shop.invoices().get_by_order(&order.id).await.expect("begun");
        assert_eq!(seen.status, InvoiceStatus::Signed);
        check_one(&test, &office, &shop, &order).await;
    }
}

#[tokio::test]
async fn the_background_work_settles_what_nobody_asks_about() {
    for fault in [Fault::HangsBefore, Fault::HangsAfter, Fault::LostAfter, Fault::Later] {
        let (test, office) = (TestShop::open().await, Office::default());
        let (order, shop) = (sold(&test).await, office.open(&test).await);
        office.next(fault);
        drop(tokio::time::timeout(Duration::from_millis(300), emit(&shop, &order)).await);
        // The request that is under way has it for itself for a while.
        test.clock.advance(Duration::from_secs(30));
        assert_eq!(shop.run_due().await.expect("runs").invoices_settled, 0, "{fault:?}");
        test.clock.advance(Duration::from_secs(120));
        assert_eq!(shop.run_due().await.expect("runs").invoices_settled, 1, "{fault:?}");
        let invoice = shop.invoices().get_by_order(&order.id).await.expect("there");
        assert_eq!(invoice.status, InvoiceStatus::Authorized, "{fault:?}");
        check_one(&test, &office, &shop, &order).await;
    }
}

#[tokio::test]
async fn an_invoice_that_cannot_be_settled_keeps_no_other_from_it() {
    let (test, office) = (TestShop::open().await, Office::default());
    let shop = office.open(&test).await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 100, 4990).await);
    for _ in 0..2 {
        let order = paid(&test, &buyer, &vela, 1).await;
        office.next(Fault::LostAfter);
        emit(&shop, &order).await.expect_err("no answer");
    }
    // A file that somebody repaired by hand.
    test.raw_sql("UPDATE nfe SET digest = NULL WHERE number = 1");
    test.clock.advance(Duration::from_secs(150));
    assert_eq!(shop.run_due().await.expect("runs").invoices_settled, 1);
    assert_eq!(
        test.count("SELECT count(*) FROM nfe WHERE status = 'AUTHORIZED' AND number = 2"),
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_servers_one_asks_the_office_about_each_invoice() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (shop, second) = (office.open(&test).await, office.open(&test).await);
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 100, 4990).await);
    for _ in 0..6 {
        let order = paid(&test, &buyer, &vela, 1).await;
        office.next(Fault::LostAfter);
        emit(&shop, &order).await.expect_err("no answer");
    }
    test.clock.advance(Duration::from_secs(150));
    let (one, two) = tokio::join!(shop.run_due(), second.run_due());
    let settled = one.expect("runs").invoices_settled + two.expect("runs").invoices_settled;
    assert_eq!((settled, office.asked(), office.handed_over()), (6, 6, 6));
    assert_eq!(test.count("SELECT count(*) FROM nfe WHERE status = 'AUTHORIZED'"), 6);
}

/// Drops the future at each of its waits, one after the other: what a kill does at any moment.
#[tokio::test]
async fn a_request_dropped_at_any_moment_leaves_no_second_invoice() {
    for polls in 1..12 {
        let (test, office) = (TestShop::open().await, Office::default());
        let (order, shop) = (sold(&test).await, office.open(&test).await);
        {
            let mut emitting = Box::pin(emit(&shop, &order));
            for _ in 0..polls {
                if (&mut emitting).now_or_never().is_some() {
                    break;
                }
                // The writer goes on by itself; let it come as far as it will.
                wait_for_the_writer(&shop).await;
            }
        }
        check_one(&test, &office, &shop, &order).await;
    }
}

/// Returns when all that is queued is written: jobs are done in the order in which they came.
async fn wait_for_the_writer(shop: &Shop) {
    shop.run_due().await.expect("runs");
}

#[tokio::test]
async fn everybody_who_asks_at_once_gets_the_same_invoice() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    let second = office.open(&test).await;
    let asked = (0..16).map(|n| emit(if n % 2 == 0 { &shop } else { &second }, &order));
    for answer in join_all(asked).await {
        match answer {
            Ok(invoice) => assert_eq!(invoice.number, 1),
            Err(error) => assert!(matches!(error, Error::Busy { .. }), "{error:?}"),
        }
    }
    check_one(&test, &office, &shop, &order).await;
}

#[tokio::test]
async fn a_document_that_was_rejected_gives_its_number_to_the_corrected_one() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::Rejects(225));
    let error = emit(&shop, &order).await.expect_err("rejected");
    let Error::Refused(Refusal::NfeRejected { code, text }) = error else { panic!("{error:?}") };
    assert_eq!((code, text.as_str()), (225, "Rejeicao: 225"));
    let rejected = shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!((rejected.status, rejected.answer_code), (InvoiceStatus::Rejected, Some(225)));
    // Within the same second it is the same document still.
    office.next(Fault::Rejects(225));
    emit(&shop, &order).await.expect_err("rejected");
    assert_eq!(test.count("SELECT count(*) FROM nfe_document"), 1);
    test.clock.advance(Duration::from_secs(60));
    check_one(&test, &office, &shop, &order).await;
    assert_eq!(test.count("SELECT count(*) FROM nfe_document"), 2);
    let authorised = shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!(authorised.key, rejected.key, "the same number in the same month has the same key");
}

#[tokio::test]
async fn an_office_that_is_closed_rejects_nothing() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::Rejects(108));
    let error = emit(&shop, &order).await.expect_err("closed");
    assert!(matches!(error, Error::Refused(Refusal::NfeRejected { code: 108, .. })), "{error:?}");
    let waiting = shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!(waiting.status, InvoiceStatus::Signed);
    test.clock.advance(Duration::from_secs(120));
    assert_eq!(shop.run_due().await.expect("runs").invoices_settled, 1);
    check_one(&test, &office, &shop, &order).await;
    assert_eq!(test.count("SELECT count(*) FROM nfe_document"), 1, "the same document");
}

#[tokio::test]
async fn a_lost_document_that_the_office_has_after_all_is_the_invoice() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    // The first document arrives, and its answer is lost; its number comes back as rejected, as
    // it does when an office's books are late.
    office.next(Fault::LostAfter);
    emit(&shop, &order).await.expect_err("no answer");
    test.raw_sql("UPDATE nfe SET status = 'REJECTED', due_at = NULL");
    test.clock.advance(Duration::from_secs(60));
    check_one(&test, &office, &shop, &order).await;
    // The one of the two documents whose digest the office has.
    assert_eq!(test.count("SELECT count(*) FROM nfe_document"), 2);
    let kept = test.count(
        "SELECT count(*) FROM nfe n JOIN nfe_document d ON d.digest = n.digest
         WHERE n.proc_xml LIKE '%' || d.xml || '%<digVal>' || d.digest || '</digVal>%'",
    );
    assert_eq!(kept, 1);
}

#[tokio::test]
async fn a_document_of_last_month_with_the_same_number_is_found_by_its_own_key() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::LostAfter);
    emit(&shop, &order).await.expect_err("no answer");
    let sent = shop.invoices().get_by_order(&order.id).await.expect("there").key;
    test.raw_sql("UPDATE nfe SET status = 'REJECTED', due_at = NULL");
    test.advance_hours(24 * 12);
    // The key says December now, so the office calls the number taken (539).
    check_one(&test, &office, &shop, &order).await;
    assert_eq!(shop.invoices().get_by_order(&order.id).await.expect("there").key, sent);
}

#[tokio::test]
async fn a_number_of_another_program_is_left_to_it() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.take_number(1);
    let error = emit(&shop, &order).await.expect_err("taken");
    assert!(matches!(error, Error::Refused(Refusal::NfeRejected { code: 539, .. })), "{error:?}");
    let taken = shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!(taken.status, InvoiceStatus::Taken);
    let invoice = emit(&shop, &order).await.expect("issued");
    assert_eq!((invoice.number, office.good()), (2, 1));
}

#[tokio::test]
async fn a_denied_invoice_is_final_and_its_number_is_used_up() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    office.next(Fault::Denies);
    let error = emit(&shop, &order).await.expect_err("denied");
    assert!(matches!(error, Error::Refused(Refusal::NfeDenied { code: 302, .. })), "{error:?}");
    let denied = shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!(denied.status, InvoiceStatus::Denied);
    assert_eq!(emit(&shop, &order).await.expect("issued").number, 2);
}

#[tokio::test]
async fn numbers_have_no_gap_and_no_repeat_however_many_sell_at_once() {
    let (test, office) = (TestShop::open().await, Office::default());
    let shop = office.open(&test).await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 100, 4990).await);
    let mut orders = Vec::new();
    for _ in 0..20 {
        orders.push(paid(&test, &buyer, &vela, 1).await);
    }
    let unpaid = test.buy(&buyer, &vela, 1).await.expect("placed");
    let second = office.open(&test).await;
    let asked = orders.iter().chain([&unpaid]).enumerate();
    let asked = asked.map(|(n, order)| emit(if n % 2 == 0 { &shop } else { &second }, order));
    let answers = join_all(asked).await;
    let mut numbers: Vec<u32> = answers.iter().flatten().map(|invoice| invoice.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<u32>>(), "the unpaid one takes none");
}

#[tokio::test]
async fn a_cancellation_that_breaks_off_is_looked_up_too() {
    for (fault, settled) in [
        (Fault::LostBefore, false),
        (Fault::LostAfter, false),
        (Fault::HangsAfter, true),
        (Fault::HangsBefore, true),
    ] {
        let (test, office) = (TestShop::open().await, Office::default());
        let (order, shop) = (sold(&test).await, office.open(&test).await);
        emit(&shop, &order).await.expect("issued");
        office.next(fault);
        let by = Actor::System;
        let cancel =
            async || shop.invoices().cancel(&by, &order.id, WithdrawInvoice::default()).await;
        let first = tokio::time::timeout(Duration::from_millis(300), cancel()).await;
        assert!(!matches!(first, Ok(Ok(_))), "{fault:?}");
        if settled {
            test.clock.advance(Duration::from_secs(150));
            assert_eq!(shop.run_due().await.expect("runs").invoices_settled, 1, "{fault:?}");
        }
        let cancelled = cancel().await.expect("cancelled");
        assert_eq!((cancelled.status, office.good()), (InvoiceStatus::Cancelled, 0), "{fault:?}");
        assert_eq!(test.count("SELECT count(*) FROM nfe WHERE cancel_proc_xml IS NOT NULL"), 1);
    }
}

#[tokio::test]
async fn a_pause_of_the_office_ends_no_cancellation_that_may_be_registered() {
    let (test, office) = (TestShop::open().await, Office::default());
    let (order, shop) = (sold(&test).await, office.open(&test).await);
    emit(&shop, &order).await.expect("issued");
    let by = Actor::System;
    let cancel = async || shop.invoices().cancel(&by, &order.id, WithdrawInvoice::default()).await;
    office.next(Fault::LostAfter);
    cancel().await.expect_err("no answer");
    for code in [108, 656] {
        office.pause(Some(code));
        let error = cancel().await.expect_err("paused");
        let Error::Refused(Refusal::NfeRejected { code: said, .. }) = error else { panic!() };
        assert_eq!(said, code);
        test.clock.advance(Duration::from_secs(150));
        shop.run_due().await.expect("runs");
    }
    office.pause(None);
    test.advance_hours(2);
    assert_eq!(shop.run_due().await.expect("runs").invoices_settled, 1);
    let cancelled = cancel().await.expect("cancelled");
    assert_eq!((cancelled.status, office.good()), (InvoiceStatus::Cancelled, 0));
}

#[tokio::test]
async fn a_cancellation_that_waits_is_dropped_when_the_goods_leave() {
    for sent in [OrderStatus::Shipped, OrderStatus::Delivered] {
        let (test, office) = (TestShop::open().await, Office::default());
        let (order, shop) = (sold(&test).await, office.open(&test).await);
        emit(&shop, &order).await.expect("issued");
        office.next(Fault::LostBefore);
        let by = Actor::System;
        let cancel =
            async || shop.invoices().cancel(&by, &order.id, WithdrawInvoice::default()).await;
        cancel().await.expect_err("no answer");
        shop.orders().set_status(&order.id, sent, None).await.expect("sent");
        test.advance_hours(2);
        shop.run_due().await.expect("runs");
        let left = cancel().await.expect_err("the goods have left");
        assert!(matches!(left, Error::Conflict(Conflict::GoodsLeft)), "{left:?}");
        assert_eq!(office.good(), 1);
        assert_eq!(test.count("SELECT count(*) FROM nfe WHERE cancel_xml IS NOT NULL"), 0);
    }
}
