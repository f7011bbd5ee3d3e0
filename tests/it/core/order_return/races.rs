//! What happens at once.

use futures_util::future::join_all;
use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::error::Conflict;
use shop_core::order_return::{OrderReturn, ReturnStatus};

use super::{Bench, units_of};
use crate::core::fixture::input;

/// How many ask at the same moment.
const AT_ONCE: usize = 8;

fn done(answers: Vec<shop_core::Result<OrderReturn>>, refused: &Conflict) -> usize {
    let done = answers.iter().filter(|answer| answer.is_ok()).count();
    for answer in answers {
        let fine = match &answer {
            Ok(_) => true,
            Err(Error::Conflict(conflict)) => conflict == refused,
            Err(_) => false,
        };
        assert!(fine, "{answer:?}");
    }
    done
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_requests_for_the_same_units_one_is_a_return() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let asks = (0..AT_ONCE).map(|_| bench.ask(&order, json!({ "items": units_of(&order, 2) })));
    assert_eq!(done(join_all(asks).await, &Conflict::UnitsReturned), 1);
    assert_eq!(bench.mails("return-requested"), 1);
    bench.test.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_requests_for_one_unit_each_as_many_are_returns_as_were_sold() {
    let bench = Bench::open().await;
    let order = bench.delivered(3).await;
    let asks = (0..AT_ONCE).map(|_| bench.ask_units(&order, 1));
    assert_eq!(done(join_all(asks).await, &Conflict::UnitsReturned), 3);
    bench.test.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_approve_one_does() {
    let bench = Bench::open().await;
    let order = bench.delivered(1).await;
    let defect = json!({ "kind": "DEFECT", "reason": "Trincou" });
    let asked = bench.ask(&order, defect).await.expect("asked");
    let approvals = (0..AT_ONCE).map(|_| bench.approve(&asked));
    assert_eq!(done(join_all(approvals).await, &Conflict::ReturnState), 1);
    assert_eq!(bench.mails("return-approved"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_one_who_approves_and_one_who_rejects_one_does() {
    let bench = Bench::open().await;
    let order = bench.delivered(1).await;
    let defect = json!({ "kind": "DEFECT", "reason": "Trincou" });
    let asked = bench.ask(&order, defect).await.expect("asked");
    // As both saw it: what one did is not what the other one wanted to change.
    let seen = asked.revision().expect("a revision");
    let (by, returns) = (Actor::System, bench.test.shop.returns());
    let reason = input(json!({ "reason": "Não" }));
    let (yes, no) = tokio::join!(
        returns.approve(&by, &asked.id, input(json!({})), Some(seen.clone()), None),
        returns.reject(&by, &asked.id, reason, Some(seen.clone()), None),
    );
    assert_eq!(done(vec![yes, no], &Conflict::Changed), 1);
    bench.test.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn however_many_refund_at_once_the_money_goes_back_once() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let asked = bench.ask_units(&order, 1).await.expect("asked");
    bench.receive(&asked, json!({})).await.expect("here");
    let refunds = (0..AT_ONCE).map(|_| bench.refund(&asked, json!({})));
    assert!(done(join_all(refunds).await, &Conflict::ReturnState) >= 1);
    assert_eq!(bench.now(&asked).await.status, ReturnStatus::Refunded);
    assert_eq!((bench.went_back(), bench.events("return.refunded")), (4990, 1));
    bench.test.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_return_that_is_refunded_and_cancelled_at_once_ends_as_one_of_both() {
    for _ in 0..4 {
        let bench = Bench::open().await;
        let order = bench.delivered(1).await;
        let asked = bench.ask(&order, json!({})).await.expect("asked");
        let (back, off) = tokio::join!(bench.refund(&asked, json!({})), bench.cancel(&asked));
        assert!(back.is_ok() != off.is_ok(), "{back:?} {off:?}");
        let paid_back = if back.is_ok() { order.total.cents() } else { 0 };
        assert_eq!(bench.went_back(), paid_back);
        bench.test.check_books().await;
    }
}
