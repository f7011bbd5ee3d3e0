//! How often a coupon is used: as often as it may be, and again when an order gives its use back.

use futures_util::future::join_all;
use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::error::{CouponRefusal, Refusal};
use shop_core::id::CouponId;
use shop_core::order::OrderStatus;

use super::coupon::{by_code, coupon, order, why};
use super::fixture::{TestShop, input};

pub(super) fn used(test: &TestShop, coupon: &CouponId) -> i64 {
    // What is counted is always what is noted use by use.
    let noted = test.count(&format!(
        "SELECT used_count - (SELECT count(*) FROM coupon_use WHERE coupon_id = '{coupon}')
         FROM coupon WHERE id = '{coupon}'"
    ));
    assert_eq!(noted, 0, "uses are counted that no order has");
    test.count(&format!("SELECT used_count FROM coupon WHERE id = '{coupon}'"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_orders_at_once_use_a_coupon_exactly_as_often_as_it_may_be() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 1000, 1000).await;
    let seven = coupon(&test, json!({ "maxUses": 7 })).await;
    let placed = join_all((0..50).map(|_| {
        let (shop, buyer) = (test.shop.clone(), buyer.clone());
        let body = json!({ "addressId": buyer.address, "couponId": seven,
                           "cartItems": [{ "productId": vela, "quantity": 1 }] });
        tokio::spawn(async move { shop.orders().place(&buyer.id, input(body), None).await })
    }))
    .await;
    let mut sold = 0;
    for placed in placed {
        match placed.expect("no panic") {
            Ok(placed) => {
                assert_eq!(placed.order.discount.cents(), 100);
                sold += 1;
            }
            refused => assert_eq!(why(refused), CouponRefusal::UsedUp),
        }
    }
    assert_eq!((sold, used(&test, &seven)), (7, 7));
    assert_eq!(test.stock(vela.as_str()), 993);
}

#[tokio::test]
async fn an_order_that_fails_after_its_coupon_or_is_sent_again_uses_it_once_or_not_at_all() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let (vela, gone) =
        (test.product("vela", 5, 1000).await, test.product("esgotada", 0, 1000).await);
    let two = coupon(&test, json!({ "maxUses": 2 })).await;
    let short = order(&test, &buyer, &gone, &two).await;
    assert!(matches!(short, Err(Error::Refused(Refusal::InsufficientStock { .. }))), "{short:?}");
    assert_eq!(used(&test, &two), 0);
    let body = json!({ "addressId": buyer.address, "couponId": two,
                       "cartItems": [{ "productId": vela, "quantity": 1 }] });
    for replayed in [false, true, true] {
        let placed = test.place_order(&buyer, input(body.clone()), Some("key")).await;
        assert_eq!(placed.expect("placed").replayed, replayed);
    }
    assert_eq!(used(&test, &two), 1);
}

#[tokio::test]
async fn an_unpaid_order_that_is_cancelled_gives_its_use_back() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let one = coupon(&test, json!({ "maxUses": 1 })).await;
    let by_staff = order(&test, &buyer, &vela, &one).await.expect("placed");
    let orders = test.shop.orders();
    orders.set_status(&by_staff.id, OrderStatus::Cancelled, None).await.expect("cancelled");
    assert_eq!(used(&test, &one), 0);
    orders.set_status(&by_staff.id, OrderStatus::Refunded, None).await.expect("still without");
    assert_eq!(used(&test, &one), 0);
    order(&test, &buyer, &vela, &one).await.expect("free again");
    test.advance_hours(72);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 1);
    assert_eq!(used(&test, &one), 0);
    order(&test, &buyer, &vela, &one).await.expect("and again");
}

#[tokio::test]
async fn money_that_only_ever_was_under_review_uses_no_coupon_and_verifies_no_review() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let one = coupon(&test, json!({ "maxUses": 1 })).await;
    let placed = order(&test, &buyer, &vela, &one).await.expect("placed");
    let payments = test.shop.payments();
    let part = input(json!({ "method": "TRANSFER", "amount": 1 }));
    let part = payments.record(&Actor::System, &placed.id, part, None).await.expect("recorded");
    let back = input(json!({ "paymentId": part.id }));
    payments.refund(&Actor::System, &placed.id, back, None).await.expect("back");
    payments.cancel_order(&buyer.id, &placed.id).await.expect("cancelled");
    assert_eq!(used(&test, &one), 0);
    let review = input(json!({ "rating": 5, "body": "Perfume ótimo" }));
    let review = test.shop.reviews().create(&buyer.id, "vela", review).await.expect("written");
    assert!(!review.verified_purchase);
    test.check_books().await;
}

#[tokio::test]
async fn a_paid_order_keeps_its_use_when_it_is_cancelled_and_takes_none_when_it_comes_back() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let one = coupon(&test, json!({ "maxUses": 1 })).await;
    let placed = order(&test, &buyer, &vela, &one).await.expect("placed");
    test.shop.payments().create_pix(&buyer.id, &placed.id, None).await.expect("a code");
    test.shop.sandbox().pay(&placed.order_number).await.expect("paid");
    let orders = test.shop.orders();
    for status in [OrderStatus::Cancelled, OrderStatus::Processing, OrderStatus::Refunded] {
        orders.set_status(&placed.id, status, None).await.expect("set");
        assert_eq!(used(&test, &one), 1, "{status:?}");
    }
}

#[tokio::test]
async fn an_order_that_named_its_coupon_by_code_takes_its_use_again_when_it_comes_back() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let one = coupon(&test, json!({ "maxUses": 1 })).await;
    let placed = by_code(&test, &buyer, &vela, "vela10").await.expect("placed");
    let orders = test.shop.orders();
    for (status, uses) in [(OrderStatus::Cancelled, 0), (OrderStatus::Pending, 1)] {
        orders.set_status(&placed.id, status, None).await.expect("set");
        assert_eq!(used(&test, &one), uses, "{status:?}");
    }
    assert_eq!(why(by_code(&test, &buyer, &vela, "vela10").await), CouponRefusal::UsedUp);
}

#[tokio::test]
async fn money_that_comes_too_late_revives_the_order_with_its_use_even_beyond_the_limit() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 9, 1000).await;
    let one = coupon(&test, json!({ "maxUses": 1 })).await;
    let late = order(&test, &buyer, &vela, &one).await.expect("placed");
    let charge = test.shop.payments().create_pix(&buyer.id, &late.id, None).await.expect("a code");
    test.advance_hours(72);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 1);
    order(&test, &buyer, &vela, &one).await.expect("the use was free");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    for _ in 0..2 {
        test.shop.payments().receive_notice(notice.clone()).await.expect("taken");
    }
    let revived = test.shop.orders().get_for_customer(&buyer.id, &late.id).await.expect("there");
    assert_eq!((revived.status, revived.discount.cents()), (OrderStatus::Processing, 100));
    assert_eq!(used(&test, &one), 2);
    let full = order(&test, &buyer, &vela, &one).await;
    assert_eq!(why(full), CouponRefusal::UsedUp);
}

#[tokio::test]
async fn an_order_of_nothing_is_paid_so_its_coupon_stays_used() {
    let test = TestShop::open().await;
    test.raw_sql("UPDATE shipping_tariff SET price = 0");
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 5, 1000).await);
    let all = coupon(&test, json!({ "value": 100, "maxUses": 1 })).await;
    let free = order(&test, &buyer, &vela, &all).await.expect("placed");
    assert_eq!((free.is_paid(), used(&test, &all)), (true, 1));
    for to in [OrderStatus::Shipped, OrderStatus::Delivered, OrderStatus::Refunded] {
        test.shop.orders().set_status(&free.id, to, None).await.expect("set");
    }
    assert_eq!(used(&test, &all), 1);
}
