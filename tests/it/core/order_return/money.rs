//! What goes back, to the cent, and that it goes back once.

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::config::RefundFreight;
use shop_core::error::{Conflict, Refusal};
use shop_core::money::Money;
use shop_core::order::{Order, OrderActor, OrderStatus};
use shop_core::order_return::{OrderReturn, ReturnRefundStatus, ReturnStatus};

use super::{Bench, units_of};
use crate::core::fixture::{input, order_of};

/// A delivered order of 3 units of R$ 49,90 and one of R$ 10,00, with R$ 10,00 off.
async fn discounted(bench: &Bench) -> Order {
    let coupon = input(json!({ "code": "DEZ", "type": "FIXED", "value": 10, "active": true }));
    bench.test.shop.coupons().create(&Actor::System, coupon).await.expect("a coupon");
    let sache = bench.test.product("sache", 10, 1000).await;
    let mut order = order_of(
        &bench.ana,
        json!([{ "productId": bench.vela, "quantity": 3 }, { "productId": sache, "quantity": 1 }]),
    );
    order.coupon_code = Some("DEZ".parse().expect("a code"));
    let order = bench.test.place_order(&bench.ana, order, None).await.expect("placed").order;
    bench.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    bench.set(&order, OrderStatus::Delivered).await
}

fn due(of: &OrderReturn) -> (i64, i64) {
    (of.amount.cents(), of.freight.cents())
}

#[tokio::test]
async fn a_withdrawal_of_the_whole_gives_everything_back_freight_included() {
    let bench = Bench::open().await;
    let order = discounted(&bench).await;
    assert_eq!(order.total.cents(), 14970 + 1000 - 1000 + 1250);
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    assert_eq!(due(&asked), (14970, 1250));
    let back = bench.refund(&asked, json!({})).await.expect("back");
    assert_eq!((back.status, back.refund.amount), (ReturnStatus::Refunded, Some(order.total)));
    assert_eq!(bench.went_back(), order.total.cents());
    assert_eq!((bench.events("return.refunded"), bench.events("order.refunded")), (1, 1));
    assert_eq!(bench.mails("money-refunded"), 1);
    assert_eq!(bench.order(&order).await.status, OrderStatus::Refunded);
    bench.test.check_books().await;
}

#[tokio::test]
async fn what_went_back_before_is_not_given_back_again() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let part = input(json!({ "amount": 30 }));
    bench.test.shop.payments().refund(&Actor::System, &order.id, part, None).await.expect("back");
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let back = bench.refund(&asked, json!({})).await.expect("back");
    assert_eq!(back.refund.amount.expect("an amount").cents(), order.total.cents() - 3000);
    assert_eq!(bench.went_back(), order.total.cents());
    bench.test.check_books().await;
}

#[tokio::test]
async fn parts_of_parts_add_up_to_the_whole() {
    for (rule, freights) in
        [(RefundFreight::Whole, [0, 0, 0, 1250]), (RefundFreight::Share, [390, 391, 390, 79])]
    {
        let bench = Bench::with(|config| config.returns.refund_freight = rule).await;
        let order = discounted(&bench).await;
        let sache = json!([{ "orderItemId": order.items[1].id, "quantity": 1 }]);
        let asked = [units_of(&order, 1), units_of(&order, 1), units_of(&order, 1), sache];
        let (mut goods, mut freight) = (Vec::new(), Vec::new());
        for items in asked {
            let asked = bench.ask(&order, json!({ "items": items })).await.expect("asked");
            let back = bench.refund(&asked, json!({})).await.expect("back");
            let (of_goods, of_freight) = due(&back);
            assert_eq!(back.refund.amount.expect("some").cents(), of_goods + of_freight);
            goods.push(of_goods);
            freight.push(of_freight);
        }
        // R$ 149,70 less R$ 9,37 of discount in three parts, R$ 10,00 less R$ 0,63 in one.
        assert_eq!(goods, [4677, 4678, 4678, 937]);
        assert_eq!(freight, freights, "{rule:?}");
        assert_eq!(bench.went_back(), order.total.cents());
        assert_eq!(bench.order(&order).await.status, OrderStatus::Refunded);
        bench.test.check_books().await;
    }
}

#[tokio::test]
async fn staff_may_name_the_amount_but_no_more_than_is_left() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let asked = bench.ask_units(&order, 1).await.expect("asked");
    let too_much = bench.refund(&asked, json!({ "amount": 112.31 })).await;
    assert!(
        matches!(too_much, Err(Error::Refused(Refusal::RefundTooLarge { .. }))),
        "{too_much:?}"
    );
    let back = bench.refund(&asked, json!({ "amount": 20 })).await.expect("back");
    assert_eq!(back.refund.amount.expect("an amount").cents(), 2000);
    let twice = bench.refund(&asked, json!({})).await;
    assert!(matches!(twice, Err(Error::Conflict(Conflict::ReturnState))), "{twice:?}");
    assert_eq!(bench.went_back(), 2000);
}

#[tokio::test]
async fn a_return_is_closed_without_money_where_none_is_due() {
    let bench = Bench::open().await;
    let order = bench.delivered(1).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    bench.receive(&asked, json!({})).await.expect("here");
    let all = input(json!({}));
    bench.test.shop.payments().refund(&Actor::System, &order.id, all, None).await.expect("back");
    assert_eq!(bench.now(&asked).await.status, ReturnStatus::Received, "it was not its refund");
    let nothing = bench.refund(&asked, json!({})).await;
    assert!(matches!(nothing, Err(Error::Refused(Refusal::NothingToRefund))), "{nothing:?}");
    let closed = bench.refund(&asked, json!({ "amount": 0 })).await.expect("closed");
    assert_eq!(
        (closed.status, closed.refund.status),
        (ReturnStatus::Refunded, ReturnRefundStatus::Done)
    );
    assert_eq!((bench.mails("return-closed"), bench.went_back()), (1, order.total.cents()));
    bench.test.check_books().await;
}

#[tokio::test]
async fn a_refund_that_is_declined_finds_what_went_back_already_and_gives_the_rest() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    bench.receive(&asked, json!({})).await.expect("here");
    // Money went back in the provider's own pages, and the shop was never told.
    bench.test.raw_sql("UPDATE sandbox_payment SET refunded = 5000");
    let declined = bench.refund(&asked, json!({})).await;
    assert!(matches!(declined, Err(Error::Refused(Refusal::RefundDeclined))), "{declined:?}");
    let now = bench.now(&asked).await;
    assert_eq!(
        (now.status, now.refund.status),
        (ReturnStatus::Received, ReturnRefundStatus::Failed)
    );
    let back = bench.refund(&asked, json!({})).await.expect("back");
    assert_eq!(back.status, ReturnStatus::Refunded);
    assert_eq!((bench.went_back(), bench.events("return.refunded")), (order.total.cents(), 1));
    bench.test.check_books().await;
}

#[tokio::test]
async fn money_that_staff_recorded_is_booked_at_once() {
    let bench = Bench::open().await;
    let order = bench.test.buy(&bench.ana, &bench.vela, 1).await.expect("placed");
    let cash = input(json!({ "method": "CASH" }));
    bench.test.shop.payments().record(&Actor::System, &order.id, cash, None).await.expect("paid");
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let back = bench.refund(&asked, json!({})).await.expect("back");
    assert_eq!(
        (back.status, back.refund.status),
        (ReturnStatus::Refunded, ReturnRefundStatus::Done)
    );
    bench.test.check_books().await;
}

#[tokio::test]
async fn a_key_gives_the_first_answer_again() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let returns = bench.test.shop.returns();
    let key = || Some("k".parse().expect("a key"));
    let first = returns.request(&bench.ana.id, &order.id, input(json!({})), key()).await;
    let first = first.expect("asked");
    let again = returns.request(&bench.ana.id, &order.id, input(json!({})), key()).await;
    assert_eq!(again.expect("asked"), first);
    let other = input(json!({ "reason": "Outra" }));
    let reused = returns.request(&bench.ana.id, &order.id, other, key()).await;
    assert!(matches!(reused, Err(Error::Refused(Refusal::IdempotencyKeyReused))), "{reused:?}");
    let by = &Actor::System;
    let here = returns.receive(by, &first.id, input(json!({})), None, key()).await.expect("here");
    let again = returns.receive(by, &first.id, input(json!({})), None, key()).await;
    assert_eq!(again.expect("here"), here);
    let back = returns.refund(by, &first.id, input(json!({})), None, key()).await.expect("back");
    let again = returns.refund(by, &first.id, input(json!({})), None, key()).await;
    assert_eq!(again.expect("back"), back);
    assert_eq!(bench.went_back(), order.total.cents());
}

#[tokio::test]
async fn a_return_of_goods_that_cost_nothing_is_closed_without_naming_an_amount() {
    let bench = Bench::with(|config| config.shipping.fallback_price = Money::ZERO).await;
    let order = bench.of_nothing(1).await;
    assert_eq!(order.total, Money::ZERO);
    let order = bench.set(&order, OrderStatus::Delivered).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    bench.receive(&asked, json!({})).await.expect("here");
    let closed = bench.refund(&asked, json!({})).await.expect("closed");
    assert_eq!(
        (closed.status, closed.refund.status, closed.refund.amount),
        (ReturnStatus::Refunded, ReturnRefundStatus::Done, Some(Money::ZERO))
    );
    assert_eq!(bench.order(&order).await.status, OrderStatus::Refunded);
    bench.test.check_books().await;
}

/// No payment says of it that it is refunded whole, and nobody would ever see it end.
#[tokio::test]
async fn an_order_of_nothing_ends_with_the_last_of_its_units() {
    let bench = Bench::with(|config| config.shipping.fallback_price = Money::ZERO).await;
    let order = bench.of_nothing(3).await;
    assert_eq!((order.total, order.status), (Money::ZERO, OrderStatus::Processing));
    let one = bench.ask_units(&order, 1).await.expect("asked");
    bench.refund(&one, json!({})).await.expect("closed");
    assert_eq!(bench.order(&order).await.status, OrderStatus::Processing, "two are to be sent");
    let changes = bench.events("order.status_changed");
    let rest = bench.ask(&order, json!({})).await.expect("asked");
    bench.refund(&rest, json!({ "amount": 0 })).await.expect("closed");
    let detail = bench.test.shop.orders().get_detail(&order.id).await.expect("there");
    assert_eq!(detail.order.status, OrderStatus::Refunded);
    let last = detail.history.last().expect("a move");
    assert_eq!((last.status, last.actor), (OrderStatus::Refunded, OrderActor::Payment));
    assert_eq!(bench.events("order.status_changed"), changes + 1);
    bench.receive(&rest, json!({})).await.expect("the goods may come afterwards");
    bench.test.check_books().await;
}
