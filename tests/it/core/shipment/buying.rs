//! Which labels are bought, for how much, and how they are given back.

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::catalog::ProductFilter;
use shop_core::error::{Conflict, Refusal};
use shop_core::fulfilment::BuyManyLabels;
use shop_core::fulfilment::RetryShipment;
use shop_core::money::Money;
use shop_core::order::OrderStatus;
use shop_core::shipment::{ShipmentProblemKind as Problem, ShipmentStatus as Status};

use super::wallet::Fate;
use super::{Bench, START, buy, input, paid, states};
use crate::core::fixture::TestShop;

/// Boxes of one candle each make an order of as many parcels as candles.
pub(super) fn one_candle_each(count: usize, line: &str) -> serde_json::Value {
    let parcel = json!({ "length": 16, "width": 11, "height": 8, "weight": 0.4,
                         "items": [{ "orderItemId": line, "quantity": 1 }] });
    json!({ "parcels": vec![parcel; count] })
}

#[tokio::test]
async fn a_paid_order_gets_a_label_that_is_paid_once() {
    let bench = Bench::open().await;
    let order = bench.paid(2).await;
    let bought = bench.buy(&order, json!({})).await.expect("bought");
    let [label] = &bought[..] else { panic!("one parcel: {bought:?}") };
    assert_eq!((label.status, label.parcel), (Status::Generated, 1));
    assert_eq!((label.price, label.quoted_price), (Some(money(2_000)), Some(money(1_800))));
    assert_eq!(label.declared_value, Money::from_cents(9_980));
    assert_eq!(label.service_name.as_deref(), Some("Correios PAC"));
    assert_eq!(label.tracking_code.as_deref(), Some("AAlabel-1BR"));
    assert_eq!((label.paid_at, label.generated_at), (Some(START), Some(START)));
    assert_eq!((label.problem.clone(), label.provider.as_str()), (None, "wallet"));
    assert_eq!(bench.wallet.count("pay"), 1);
    {
        let books = bench.wallet.books();
        let request = &books.requests[0];
        assert_eq!((request.service.as_str(), request.to.document.as_str()), ("1", "52998224725"));
        assert_eq!(request.to.phone.as_deref(), Some("11987654321"));
        assert_eq!(request.from.document, "11222333000181");
        assert_eq!(request.order_number, order.order_number);
        assert_eq!((request.items[0].quantity, request.items[0].grams), (2, 250));
        assert!(request.reference.starts_with(&format!("{}-V1-", order.order_number)));
    }
    // The order waits for no label, and none moves it.
    assert_eq!(
        bench.shop.orders().get(&order.id).await.expect("there").status,
        OrderStatus::Processing
    );
    bench.check().await;
}

#[tokio::test]
async fn a_carrier_is_told_the_digits_of_a_telephone_and_nothing_else() {
    let bench = Bench::open().await;
    let named = input(json!({ "phone": "11 98765-4321 zap" }));
    bench.shop.accounts().update(&bench.ana.id, named).await.expect("named");
    let order = bench.paid(1).await;
    bench.buy(&order, json!({})).await.expect("bought");
    assert_eq!(bench.wallet.books().requests[0].to.phone.as_deref(), Some("11987654321"));
}

#[tokio::test]
async fn the_same_parcels_get_a_second_label_only_when_the_first_was_given_up() {
    let bench = Bench::open().await;
    let order = bench.paid(1).await;
    let first = bench.buy(&order, json!({})).await.expect("bought").remove(0);
    let again = bench.buy(&order, json!({})).await.expect_err("a second one");
    assert!(matches!(again, Error::Conflict(Conflict::ShipmentExists)), "{again:?}");
    let own = bench
        .buy(
            &order,
            json!({ "parcels": [
        { "length": 20, "width": 20, "height": 20, "weight": 1 }] }),
        )
        .await
        .expect_err("the same goods");
    assert!(matches!(own, Error::Conflict(Conflict::ShipmentExists)), "{own:?}");
    let shipments = bench.shop.shipments();
    let given = shipments.cancel(&Actor::System, &first.id).await.expect("given back");
    assert_eq!((given.status, given.cancelled_at), (Status::Cancelled, Some(START)));
    assert_eq!(bench.wallet.books().balance, 100_000, "the money is back");
    let twice =
        shipments.cancel(&Actor::System, &first.id).await.expect_err("nothing to give back");
    assert!(matches!(twice, Error::Conflict(Conflict::ShipmentState)), "{twice:?}");
    let second = bench.buy(&order, json!({})).await.expect("bought anew").remove(0);
    assert_ne!(second.reference, first.reference);
    assert_eq!(states(&bench.shop, &order).await, [Status::Cancelled, Status::Generated]);
    bench.check().await;
}

#[tokio::test]
async fn a_repeat_with_the_same_key_buys_nothing_more() {
    let bench = Bench::open().await;
    let order = bench.paid(1).await;
    let shipments = bench.shop.shipments();
    let key = || Some("etiqueta-1".parse().expect("a key"));
    let first =
        shipments.buy(&Actor::System, &order.id, input(json!({})), key()).await.expect("bought");
    let again =
        shipments.buy(&Actor::System, &order.id, input(json!({})), key()).await.expect("again");
    assert_eq!(first, again);
    assert_eq!(bench.wallet.count("pay"), 1);
}

#[tokio::test]
async fn only_an_order_that_can_be_sent_gets_labels() {
    let bench = Bench::open().await;
    let order = bench.paid(1).await;
    let unpaid = {
        let found = bench.shop.products().list(ProductFilter::default()).await.expect("products");
        bench.test.buy(&bench.ana, &found.data[0].id, 1).await.expect("placed")
    };
    let refused = bench.buy(&unpaid, json!({})).await.expect_err("not paid");
    assert!(matches!(refused, Error::Refused(Refusal::OrderNotShippable)), "{refused:?}");
    let orders = bench.shop.orders();
    orders.set_status(&order.id, OrderStatus::Cancelled, None).await.expect("cancelled");
    let refused = bench.buy(&order, json!({})).await.expect_err("cancelled");
    assert!(matches!(refused, Error::Refused(Refusal::OrderNotShippable)), "{refused:?}");
    let refused = buy(&bench.test.shop, &order, json!({})).await.expect_err("no provider");
    assert!(matches!(refused, Error::Refused(Refusal::NoLabelProvider)), "{refused:?}");
    assert!(bench.wallet.books().calls.is_empty());
}

#[tokio::test]
async fn what_is_missing_for_a_label_is_named_before_anything_is_bought() {
    let bench = Bench::open().await;
    let eva = bench.test.buyer("eva").await;
    let order = paid(&bench.test, &eva, 1).await;
    let refused = bench.buy(&order, json!({})).await.expect_err("without a CPF");
    let Error::Invalid(fields) = refused else { panic!("{refused:?}") };
    assert_eq!(fields.field_errors.keys().collect::<Vec<_>>(), ["recipient.document"]);
    let many = bench.shop.shipments().buy_many(&Actor::System, BuyManyLabels::default()).await;
    let many = many.expect("a report");
    assert_eq!((many.shipments.len(), many.refused.len()), (0, 1));
    assert_eq!(many.refused[0].fields, ["recipient.document"]);
    assert_eq!(many.refused[0].order_number, order.order_number);
    let named = json!({ "recipientCpf": "529.982.247-25" });
    let label = bench.buy(&order, named).await.expect("bought").remove(0);
    assert_eq!(label.status, Status::Generated);
    assert_eq!(bench.wallet.books().requests[0].to.document, "52998224725");
    let kept = bench.shop.orders().get(&order.id).await.expect("there").buyer.expect("a buyer");
    assert_eq!(kept.cpf.expect("a CPF").as_str(), "52998224725");
    assert_eq!(kept.name.as_deref(), Some("eva"));
}

#[tokio::test]
async fn a_number_that_is_known_is_not_replaced_by_the_one_of_a_purchase() {
    let bench = Bench::open().await;
    let order = bench.paid(1).await;
    bench.buy(&order, json!({ "recipientCpf": "111.444.777-35" })).await.expect("bought");
    assert_eq!(bench.wallet.books().requests[0].to.document, "52998224725");
}

#[tokio::test]
async fn the_address_of_an_order_is_fixed_while_a_label_says_it() {
    let bench = Bench::open().await;
    let order = bench.paid(1).await;
    let elsewhere = json!({ "address": { "street": "Avenida Nova", "number": "99",
        "district": "Novo", "city": "São Paulo", "state": "SP", "zipCode": "01001000" } });
    let mend = async || {
        let change = input(elsewhere.clone());
        bench.shop.orders().update(&Actor::System, &order.id, change, None).await
    };
    let label = bench.buy(&order, json!({})).await.expect("bought").remove(0);
    let refused = mend().await.expect_err("a label says the other one");
    assert!(matches!(refused, Error::Conflict(Conflict::AddressFixed)), "{refused:?}");
    bench.shop.shipments().cancel(&Actor::System, &label.id).await.expect("given back");
    mend().await.expect("mended");
}

#[tokio::test]
async fn labels_for_all_orders_that_wait_are_bought_at_once() {
    let bench = Bench::open().await;
    let (one, other, done) = (bench.paid(1).await, bench.paid(2).await, bench.paid(1).await);
    bench.buy(&done, json!({})).await.expect("bought");
    let waiting = bench.shop.shipments().waiting_orders().await.expect("a list");
    assert_eq!(waiting, [one.id.clone(), other.id.clone()]);
    let many = bench.shop.shipments().buy_many(&Actor::System, BuyManyLabels::default()).await;
    let many = many.expect("bought");
    assert!(many.refused.is_empty() && many.shipments.len() == 2, "{many:?}");
    assert!(many.shipments.iter().all(|it| it.status == Status::Generated), "{many:?}");
    assert_eq!(bench.wallet.books().spent(), 6_000);
    bench.check().await;
}

#[tokio::test]
async fn labels_that_were_begun_are_told_of_where_the_database_fails_for_the_rest() {
    if !crate::database::is_file("a trigger of SQLite makes the database fail") {
        return;
    }
    let bench = Bench::open().await;
    for _ in 0..3 {
        bench.paid(1).await;
    }
    bench.test.raw_sql(
        "CREATE TRIGGER full BEFORE INSERT ON shipment WHEN (SELECT count(*) FROM shipment) > 0
         BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    let buy_many =
        async || bench.shop.shipments().buy_many(&Actor::System, BuyManyLabels::default()).await;
    let many = buy_many().await.expect("a report");
    assert_eq!((many.shipments.len(), many.refused.len()), (1, 2), "{many:?}");
    assert_eq!(many.shipments[0].status, Status::Generated);
    assert!(many.refused.iter().all(|it| it.code == "internal_error"), "{many:?}");
    let nothing = buy_many().await;
    assert!(matches!(nothing, Err(Error::Internal(_))), "nothing was begun: {nothing:?}");
    bench.test.raw_sql("DROP TRIGGER full");
    bench.check().await;
}

#[tokio::test]
async fn the_labels_of_an_order_together_cost_no_more_than_was_quoted_and_a_little() {
    let bench = Bench::open().await;
    let order = bench.paid(3).await;
    let line = order.items[0].id.as_str().to_owned();
    // R$ 60,00 for what was quoted at R$ 18,00.
    let bought = bench.buy(&order, one_candle_each(3, &line)).await.expect("drafted");
    for label in &bought {
        let problem = label.problem.as_ref().map(|it| it.kind);
        assert_eq!((label.status, problem), (Status::InCart, Some(Problem::PriceAboveQuote)));
    }
    assert_eq!(bench.wallet.count("pay"), 0);
    assert_eq!(bench.later(120).await, 0, "staff decide");
    let retry = |price: &str| input(json!({ "maxPrice": price.parse::<f64>().expect("a price") }));
    let shipments = bench.shop.shipments();
    let still =
        shipments.retry(&Actor::System, &bought[0].id, retry("59.99")).await.expect("tried");
    assert_eq!(still.status, Status::InCart);
    shipments.retry(&Actor::System, &bought[0].id, retry("60")).await.expect("accepted");
    assert_eq!(states(&bench.shop, &order).await, [Status::Generated; 3]);
    bench.check().await;
}

#[tokio::test]
async fn a_parcel_of_goods_that_the_order_has_not_is_refused() {
    let bench = Bench::open().await;
    let order = bench.paid(2).await;
    let line = order.items[0].id.as_str().to_owned();
    let foreign =
        bench.buy(&order, one_candle_each(1, "other-1")).await.expect_err("foreign goods");
    assert!(matches!(foreign, Error::Invalid(_)), "{foreign:?}");
    let more = bench.buy(&order, one_candle_each(3, &line)).await.expect_err("three of two");
    let Error::Invalid(more) = more else { panic!("{more:?}") };
    assert!(more.field_errors.contains_key("parcels[2].items[0].quantity"), "{more:?}");
    let part = bench.buy(&order, one_candle_each(1, &line)).await.expect("a part");
    assert_eq!(part[0].parcel, 1);
    let rest = bench.buy(&order, one_candle_each(1, &line)).await.expect("the rest");
    assert_eq!(rest[0].parcel, 2);
}

#[tokio::test]
async fn a_label_waits_in_the_cart_until_there_is_money() {
    let bench = Bench::open().await;
    bench.wallet.books().balance = 1_999;
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    let problem = label.problem.map(|it| it.kind);
    assert_eq!((label.status, problem), (Status::InCart, Some(Problem::InsufficientBalance)));
    bench.later(5).await;
    assert_eq!(bench.get(&label.id).await.status, Status::InCart);
    bench.wallet.books().balance = 100_000;
    bench.later(60).await;
    assert_eq!(bench.get(&label.id).await.status, Status::Generated);
    bench.check().await;
}

#[tokio::test]
async fn a_label_goes_on_when_the_shop_is_let_in_again() {
    let bench = Bench::open().await;
    for call in ["add", "pay", "generate"] {
        bench.wallet.fail(move |name| {
            if name == call || name == "find" { Fate::NotConnected } else { Fate::Answered }
        });
        let order = bench.paid(1).await;
        let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
        if call != "generate" {
            assert_eq!(label.problem.map(|it| it.kind), Some(Problem::NotConnected), "{call}");
            assert!(label.paid_at.is_none(), "{call}");
        }
        bench.wallet.answer_all();
        bench.settle().await;
        assert_eq!(bench.get(&label.id).await.status, Status::Generated, "{call}");
    }
    bench.check().await;
}

#[tokio::test]
async fn a_label_that_the_provider_refuses_to_make_fails_and_the_parcel_is_free() {
    let bench = Bench::open().await;
    bench.wallet.fail_once("add", Fate::Refused);
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    let problem = label.problem.expect("says why");
    assert_eq!((label.status, problem.kind), (Status::Failed, Problem::Refused));
    assert_eq!(problem.text.as_deref(), Some("not today"));
    let next = bench.buy(&order, json!({})).await.expect("bought").remove(0);
    assert_eq!(next.status, Status::Generated);
    bench.check().await;
}

#[tokio::test]
async fn a_payment_that_is_refused_waits_for_staff() {
    let bench = Bench::open().await;
    bench.wallet.fail_once("pay", Fate::Refused);
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    let problem = label.problem.map(|it| it.kind);
    assert_eq!((label.status, problem), (Status::InCart, Some(Problem::Refused)));
    assert_eq!(bench.later(24 * 60).await, 0, "nothing is tried by itself");
    let again =
        bench.shop.shipments().retry(&Actor::System, &label.id, RetryShipment::default()).await;
    assert_eq!(again.expect("tried").status, Status::Generated);
    bench.check().await;
}

#[tokio::test]
async fn an_order_that_is_cancelled_takes_its_unpaid_label_along() {
    let bench = Bench::open().await;
    bench.wallet.books().balance = 0;
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    let dear = bench.paid(2).await;
    let parcels = one_candle_each(2, dear.items[0].id.as_str());
    let waiting = bench.buy(&dear, parcels).await.expect("drafted");
    let orders = bench.shop.orders();
    for order in [&order, &dear] {
        orders.set_status(&order.id, OrderStatus::Cancelled, None).await.expect("cancelled");
    }
    bench.wallet.books().balance = 100_000;
    bench.later(120).await;
    for label in waiting {
        assert_eq!(label.problem.map(|it| it.kind), Some(Problem::PriceAboveQuote));
        assert_eq!(bench.get(&label.id).await.status, Status::Cancelled);
    }
    let label = bench.get(&label.id).await;
    let problem = label.problem.map(|it| it.kind);
    assert_eq!((label.status, problem), (Status::Cancelled, Some(Problem::OrderClosed)));
    assert_eq!(bench.wallet.count("pay"), 1, "the first try alone");
    bench.check().await;
}

#[tokio::test]
async fn what_the_order_was_quoted_for_is_the_service_that_is_bought() {
    let bench = Bench::open().await;
    let order = bench.paid(1).await;
    bench.test.raw_sql("UPDATE order_packing SET option_id = 'wallet-7', quoted_price = 2500");
    let label = bench.buy(&order, json!({})).await.expect("bought").remove(0);
    assert_eq!((label.service.as_str(), label.quoted_price), ("7", Some(money(2_500))));
}

#[tokio::test]
async fn the_option_that_the_customer_chose_is_kept_with_the_order() {
    let test = TestShop::with(super::adapt).await;
    let ana = test.buyer("ana").await;
    test.product("vela", 10, 4_990).await;
    let tariff =
        input(json!({ "name": "Sudeste", "states": ["SP"], "price": 12.5, "estimatedDays": 5 }));
    test.shop.shipping().create_tariff(&Actor::System, tariff).await.expect("a tariff");
    paid(&test, &ana, 1).await;
    let kept = test.count(
        "SELECT count(*) FROM order_packing WHERE option_id LIKE 'static-%' AND quoted_price > 0",
    );
    assert_eq!(kept, 1);
}

fn money(cents: i64) -> Money {
    Money::from_cents(cents)
}
