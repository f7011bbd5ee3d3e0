//! Who may ask for what, how a return moves, and what is told about it.

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::api_key::Scope;
use shop_core::audit::AuditFilter;
use shop_core::error::{Conflict, Entity, Refusal};
use shop_core::order::OrderStatus;
use shop_core::order_return::{OrderReturn, ReturnActor, ReturnKind, ReturnStatus};
use shop_core::views::{ReturnFilter, TaskFilter};

use super::{Bench, units_of};
use crate::core::fixture::input;

fn state(refused: &shop_core::Result<OrderReturn>) -> bool {
    matches!(refused, Err(Error::Conflict(Conflict::ReturnState)))
}

#[tokio::test]
async fn a_withdrawal_is_confirmed_at_once_with_its_protocol_and_needs_nobody() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    assert_eq!(asked.protocol, format!("{}-D1", order.order_number));
    assert_eq!((asked.status, asked.reason.as_deref()), (ReturnStatus::Approved, None));
    assert_eq!((asked.amount.cents(), asked.freight.cents()), (9980, 1250));
    assert_eq!((bench.events("return.requested"), bench.mails("return-requested")), (1, 1));
    bench.test.shop.run_due().await.expect("done");
    let mails = bench.test.shop.orders().list_mails(&order.id).await.expect("a list");
    let subject = mails.iter().find(|it| it.kind == "return-requested").expect("there");
    let expected = format!("Devolução {} registrada", asked.protocol);
    assert_eq!(subject.subject.as_deref(), Some(expected.as_str()));
    let notes = bench.test.shop.orders().get_detail(&order.id).await.expect("there");
    assert_eq!(notes.internal_notes[0].note, expected);
    assert_eq!(notes.returns, [asked]);
    bench.test.check_books().await;
}

#[tokio::test]
async fn the_confirmation_says_number_time_and_content() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let what = json!({ "items": units_of(&order, 1), "reason": "Não era a cor <que> pensei" });
    let asked = bench.ask(&order, what).await.expect("asked");
    let kept = "SELECT count(*) FROM mail WHERE kind = 'return-requested' AND letter LIKE '%";
    for said in [asked.protocol.as_str(), "Não era a cor <que> pensei", "\"quantity\":1"] {
        assert_eq!(bench.test.count(&format!("{kept}{said}%'")), 1, "{said}");
    }
    bench.test.shop.run_due().await.expect("done");
    let folder = bench.test.dir.path().join("outbox");
    let mut letter = String::new();
    for file in std::fs::read_dir(folder).expect("the outbox") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("text");
        if text.contains("return-requested") || text.contains("-D1") {
            letter = text;
        }
    }
    assert!(letter.contains("-D1"), "the mail names the protocol: {letter}");
}

#[tokio::test]
async fn a_defect_needs_a_reason_and_a_decision() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let without = bench.ask(&order, json!({ "kind": "DEFECT" })).await;
    assert!(matches!(without, Err(Error::Invalid(_))), "{without:?}");
    let what = json!({ "kind": "DEFECT", "reason": "Trincou", "items": units_of(&order, 1) });
    let asked = bench.ask(&order, what.clone()).await.expect("asked");
    assert_eq!((asked.kind, asked.status), (ReturnKind::Defect, ReturnStatus::Requested));
    let early = bench.refund(&asked, json!({})).await;
    assert!(state(&early), "{early:?}");
    assert!(state(&bench.receive(&asked, json!({})).await));
    assert_eq!(bench.approve(&asked).await.expect("yes").status, ReturnStatus::Approved);
    assert!(state(&bench.approve(&asked).await));
    let other = bench.ask(&order, what).await.expect("the other unit");
    let rejected = bench.reject(&other).await.expect("no");
    assert_eq!(rejected.rejection_reason.as_deref(), Some("O produto foi usado"));
    assert_eq!(rejected.status, ReturnStatus::Rejected);
    assert_eq!((bench.mails("return-approved"), bench.mails("return-rejected")), (1, 1));
    // What was rejected is the customer's, who may ask again.
    bench.ask_units(&order, 1).await.expect("a withdrawal of it");
    bench.test.check_books().await;
}

#[tokio::test]
async fn a_withdrawal_in_its_term_cannot_be_rejected() {
    let bench = Bench::open().await;
    let order = bench.delivered(1).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let refused = bench.reject(&asked).await;
    assert!(matches!(refused, Err(Error::Conflict(Conflict::WithdrawalStands))), "{refused:?}");
}

#[tokio::test]
async fn only_ones_own_orders_that_are_paid_or_sent_can_be_returned() {
    let bench = Bench::open().await;
    let order = bench.delivered(1).await;
    let eve = bench.test.buyer("eve").await;
    let returns = bench.test.shop.returns();
    let foreign = returns.request(&eve.id, &order.id, input(json!({})), None).await;
    assert!(matches!(foreign, Err(Error::NotFound(Entity::Order))), "{foreign:?}");
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let foreign = returns.cancel_by_customer(&eve.id, &order.id, &asked.id, None).await;
    assert!(matches!(foreign, Err(Error::NotFound(Entity::Return))), "{foreign:?}");
    assert!(returns.list_for_customer(&eve.id, &order.id).await.is_err());
    let unpaid = bench.test.buy(&bench.ana, &bench.vela, 1).await.expect("placed");
    let closed = bench.paid(1).await;
    bench.set(&closed, OrderStatus::Cancelled).await;
    for order in [unpaid, closed] {
        let refused = bench.ask(&order, json!({})).await;
        assert!(matches!(refused, Err(Error::Refused(Refusal::OrderNotReturnable))), "{refused:?}");
    }
    let unknown = json!({ "items": [{ "orderItemId": "x", "quantity": 1 }] });
    assert!(matches!(bench.ask(&order, unknown).await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_customer_calls_a_return_off_until_it_is_on_its_way() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let first = bench.ask(&order, json!({})).await.expect("asked");
    assert_eq!(bench.cancel(&first).await.expect("off").status, ReturnStatus::Cancelled);
    assert_eq!(bench.mails("return-cancelled"), 1);
    assert!(state(&bench.cancel(&first).await));
    let second = bench.ask(&order, json!({})).await.expect("asked again");
    assert_eq!(second.protocol, format!("{}-D2", order.order_number));
    let parcel = input(json!({ "trackingCode": "AA1BR", "carrier": "Correios" }));
    let returns = bench.test.shop.returns();
    let sent = returns.mark_in_transit(&Actor::System, &second.id, parcel, None, None).await;
    let sent = sent.expect("sent");
    assert_eq!(
        (sent.status, sent.tracking_code.as_deref()),
        (ReturnStatus::InTransit, Some("AA1BR"))
    );
    // Said again it is nothing new, and leaves no trace.
    bench.test.advance_hours(1);
    let traces = || {
        ["order_return_history", "audit"]
            .map(|table| bench.test.count(&format!("SELECT count(*) FROM {table}")))
    };
    let before = traces();
    for said in [json!({ "trackingCode": "AA1BR", "carrier": "Correios" }), json!({})] {
        let again = returns.mark_in_transit(&Actor::System, &second.id, input(said), None, None);
        assert_eq!(again.await.expect("the same"), sent);
    }
    assert_eq!(traces(), before);
    let note = input(json!({ "note": "Avisou por telefone" }));
    let noted = returns.mark_in_transit(&Actor::System, &second.id, note, None, None).await;
    assert_ne!(noted.expect("noted").updated_at, sent.updated_at);
    assert_eq!(traces(), before.map(|count| count + 1));
    assert!(state(&bench.cancel(&second).await));
    // Staff may, as where the parcel never came.
    let nothing = input(json!({}));
    let off = returns.cancel(&Actor::System, &second.id, nothing, None, None).await.expect("off");
    assert_eq!(off.status, ReturnStatus::Cancelled);
    bench.test.check_books().await;
}

#[tokio::test]
async fn the_history_names_who_did_what_and_the_audit_log_too() {
    use ReturnStatus as S;

    let bench = Bench::open().await;
    let order = bench.delivered(1).await;
    let what = json!({ "kind": "DEFECT", "reason": "Trincou" });
    let asked = bench.ask(&order, what).await.expect("asked");
    bench.approve(&asked).await.expect("yes");
    let parcel = input(json!({ "trackingCode": "AA123456789BR" }));
    let returns = bench.test.shop.returns();
    let erp = Actor::Key(bench.test.key(&[Scope::OrdersWrite]).await.key.id);
    returns.mark_in_transit(&erp, &asked.id, parcel, None, None).await.expect("sent");
    bench.receive(&asked, json!({ "note": "Veio inteira" })).await.expect("here");
    bench.refund(&asked, json!({})).await.expect("back");
    let detail = bench.test.shop.returns().get_detail(&asked.id).await.expect("there");
    let steps: Vec<_> = detail.history.iter().map(|it| (it.step.status, it.step.actor)).collect();
    let (customer, system) = (ReturnActor::Customer, ReturnActor::System);
    let expected = [
        (S::Requested, customer),
        (S::Approved, system),
        (S::InTransit, ReturnActor::Key),
        (S::Received, system),
        (S::Refunded, ReturnActor::Payment),
    ];
    assert_eq!(steps, expected);
    assert_eq!(detail.history[2].actor_name.as_deref(), Some("ERP"));
    assert_eq!(detail.history[3].step.note.as_deref(), Some("Veio inteira"));
    assert_eq!(detail.user.name, "ana");
    let filter = AuditFilter {
        resource_id: Some(asked.id.as_str().parse().expect("an id")),
        ..AuditFilter::default()
    };
    let log = bench.test.shop.audit().list(filter).await.expect("a log").data;
    let actions: Vec<_> = log.iter().map(|it| it.action.as_str()).collect();
    let done = ["return.refund", "return.receive", "return.in_transit", "return.approve"];
    assert_eq!(actions, done);
    // The whole code leads to the person, and the log outlives the account.
    assert_eq!(log[2].after["trackingCode"], "…89BR");
}

#[tokio::test]
async fn staff_find_returns_by_state_order_and_words_and_see_what_waits() {
    let bench = Bench::open().await;
    let (first, second) = (bench.delivered(1).await, bench.delivered(1).await);
    let defect = json!({ "kind": "DEFECT", "reason": "Trincou" });
    let asked = bench.ask(&first, defect).await.expect("asked");
    let withdrawn = bench.ask(&second, json!({})).await.expect("asked");
    let returns = bench.test.shop.returns();
    let found = async |what: serde_json::Value| {
        let filter: ReturnFilter = input(what);
        let page = returns.list(filter).await.expect("a page");
        let ids: Vec<_> = page.data.iter().map(|row| row.returned.protocol.clone()).collect();
        assert_eq!(usize::try_from(page.pagination.total), Ok(ids.len()));
        ids
    };
    let (one, two) = (asked.protocol.clone(), withdrawn.protocol.clone());
    assert_eq!(found(json!({})).await, [two.clone(), one.clone()]);
    assert_eq!(found(json!({ "status": "REQUESTED" })).await, std::slice::from_ref(&one));
    assert_eq!(found(json!({ "kind": "WITHDRAWAL" })).await, std::slice::from_ref(&two));
    assert_eq!(found(json!({ "order": first.order_number })).await, std::slice::from_ref(&one));
    assert_eq!(found(json!({ "order": second.id })).await, std::slice::from_ref(&two));
    assert_eq!(found(json!({ "q": one.to_lowercase() })).await, std::slice::from_ref(&one));
    assert_eq!(found(json!({ "q": "ana" })).await, [two.clone(), one.clone()]);
    assert_eq!(found(json!({ "q": "eve" })).await, Vec::<String>::new());
    assert_eq!(returns.get_by_protocol(&one.to_lowercase()).await.expect("there").id, asked.id);
    let tasks = bench.test.shop.dashboard().get_tasks(TaskFilter::default()).await.expect("tasks");
    let waiting: Vec<_> = tasks.returns.first.iter().map(|it| it.protocol.clone()).collect();
    assert_eq!((tasks.returns.count, waiting), (2, vec![one, two]));
}
