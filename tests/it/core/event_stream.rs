//! The log as a stream: no event is lost, and none comes twice or out of its order.

use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt};
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::error::{Entity, Error};
use shop_core::event::{Event, EventId, EventName, EventStart, EventStream};
use shop_core::order::OrderStatus;
use shop_core::views::EventPayload;

use super::fixture::{TestShop, input};
use super::webhook::emit;
use crate::binary::Server;
use crate::http::client::Client;

async fn subscribe(test: &TestShop, from: EventStart) -> EventStream {
    test.shop.events().subscribe(from).await.expect("a stream")
}

async fn next(events: &mut EventStream) -> Event {
    let next = tokio::time::timeout(Duration::from_secs(60), events.next()).await;
    next.expect("an event within a minute").expect("an event")
}

async fn take(events: &mut EventStream, count: usize) -> Vec<EventId> {
    let mut taken = Vec::new();
    while taken.len() < count {
        taken.push(next(events).await.id);
    }
    taken
}

/// The whole log, page by page.
async fn log(test: &TestShop) -> Vec<EventId> {
    let (mut after, mut ids) = (None, Vec::new());
    loop {
        let page = test.shop.events().list(after, 100).await.expect("a page");
        ids.extend(page.data.iter().map(|event| event.id));
        after = page.next;
        if !page.has_more {
            return ids;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn none_is_lost_while_many_write_at_once() {
    const WRITERS: usize = 8;
    const EACH: usize = 30;
    let test = TestShop::open().await;
    let other = test.open_again().await;
    let mut events = subscribe(&test, EventStart::Oldest).await;
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let product = test.product(&format!("vela-{writer}"), 0, 1990).await;
        // Half of them as another process would.
        let shop = if writer % 2 == 0 { test.shop.clone() } else { other.clone() };
        writers.push(tokio::spawn(async move {
            for units in 1..=EACH {
                let units = i64::try_from(units).expect("few").try_into().expect("units");
                shop.stock().set(&Actor::System, &product, None, units, None).await.expect("set");
            }
        }));
    }
    let reader = tokio::spawn(async move {
        let mut ids = Vec::new();
        let mut updates = 0;
        while updates < WRITERS * EACH {
            let event = next(&mut events).await;
            updates += usize::from(event.event == EventName::StockUpdated);
            ids.push(event.id);
        }
        ids
    });
    join_all(writers).await.into_iter().for_each(|written| written.expect("no panic"));
    let read = reader.await.expect("no panic");
    assert!(read.windows(2).all(|pair| pair[0] < pair[1]), "{read:?}");
    let whole = log(&test).await;
    assert_eq!(read, whole[..read.len()]);
}

#[tokio::test]
async fn a_reader_that_is_slow_finds_all_that_happened_meanwhile() {
    let test = TestShop::open().await;
    test.buyer("antes").await;
    let mut events = subscribe(&test, EventStart::Now).await;
    // More than a page, and one of them heavy.
    emit(&test, 150, 1);
    emit(&test, 2, 50_000);
    emit(&test, 150, 1);
    let read = take(&mut events, 302).await;
    assert_eq!(read, log(&test).await[1..]);
    // At its end it waits, and goes on.
    assert!(events.next().now_or_never().is_none());
    test.buyer("ana").await;
    assert_eq!(next(&mut events).await.event, EventName::CustomerCreated);
}

#[tokio::test]
async fn a_program_goes_on_behind_the_event_that_it_has_dealt_with() {
    let test = TestShop::open().await;
    emit(&test, 5, 1);
    let done = take(&mut subscribe(&test, EventStart::Oldest).await, 3).await;
    let again = test.open_again().await;
    let mut events = again.events().subscribe(EventStart::After(done[2])).await.expect("a stream");
    assert_eq!(take(&mut events, 2).await, log(&test).await[3..]);
}

#[tokio::test]
async fn a_call_that_is_given_up_loses_no_event() {
    let test = TestShop::open().await;
    let mut events = subscribe(&test, EventStart::Now).await;
    let mut read = Vec::new();
    for round in 0..50 {
        emit(&test, 3, 1);
        for _ in 0..round % 7 {
            read.extend(events.next().now_or_never().map(|event| event.expect("an event").id));
            tokio::task::yield_now().await;
        }
    }
    let rest = 150 - read.len();
    read.extend(take(&mut events, rest).await);
    assert_eq!(read, log(&test).await);
}

#[tokio::test]
async fn a_reader_that_comes_too_late_is_told_so_and_goes_on_with_what_is_kept() {
    let test = TestShop::open().await;
    emit(&test, 3, 1);
    let done = take(&mut subscribe(&test, EventStart::Oldest).await, 1).await;
    test.advance_hours(31 * 24);
    // First they are handed on, then forgotten.
    for _ in 0..2 {
        test.shop.run_due().await.expect("done");
    }
    test.buyer("ana").await;
    let mut events = subscribe(&test, EventStart::After(done[0])).await;
    let missed = events.next().await;
    assert!(matches!(missed, Err(Error::NotFound(Entity::Event))), "{missed:?}");
    assert_eq!(take(&mut events, 2).await, log(&test).await);
}

#[tokio::test]
async fn what_another_process_does_is_told_here() {
    let test = TestShop::with_machine_clock().await;
    let mut events = subscribe(&test, EventStart::Now).await;
    let database = test.database();
    let server = tokio::task::spawn_blocking(move || Server::start(&database));
    let server = server.await.expect("starts");
    let client = Client::new(server.address.parse().expect("an address"));
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "password": "segredo-123" });
    assert_eq!(client.post("/api/auth/register", &ana).await.status, 201);
    let event = next(&mut events).await;
    let Ok(EventPayload::CustomerCreated(customer)) = event.payload() else {
        panic!("{event:?}");
    };
    assert_eq!(customer.email.as_str(), "ana@example.com");
}

#[tokio::test]
async fn each_refund_is_told_once_with_what_went_back_and_what_is_back_by_then() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 6, 1990).await;
    let order = test.buy(&buyer, &candle, 5).await.expect("an order");
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let events = subscribe(&test, EventStart::Now).await;
    let events = events.filter_map(async |event| match event.ok()?.payload().ok()? {
        EventPayload::OrderRefunded(refund) => Some(refund),
        _ => None,
    });
    let mut events = std::pin::pin!(events);
    let payments = test.shop.payments();
    let refund = async |what| {
        payments.refund(&Actor::System, &order.id, input(what), None).await.expect("a refund")
    };
    let part = refund(json!({ "amount": 20 })).await;
    let first = events.next().await.expect("an event");
    assert_eq!(
        (&first.refund_id, first.amount, first.total_refunded),
        (&part.id, part.amount, part.amount)
    );
    assert_eq!((first.order.id, first.order.status), (order.id.clone(), OrderStatus::Processing));
    let rest = refund(json!({})).await;
    let second = events.next().await.expect("an event");
    assert_eq!(
        (second.refund_id, second.amount, second.total_refunded),
        (rest.id, rest.amount, order.total)
    );
    assert_eq!(second.order.status, OrderStatus::Refunded);
    // An erased customer is gone from them too.
    let password = input(json!({ "password": "segredo-123" }));
    test.shop.accounts().erase(&buyer.id, password).await.expect("erased");
    test.shop.run_due().await.expect("done");
    let told = "SELECT count(*) FROM event WHERE name = 'order.refunded'";
    assert_eq!(test.count(told), 2);
    assert_eq!(test.count(&format!("{told} AND payload LIKE '%Rua das Flores%'")), 0);
}
