use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::background::DueWork;
use shop_core::error::{Conflict, Entity, Refusal};
use shop_core::id::OrderId;
use shop_core::order::{Order, OrderPatch, OrderStatus};
use shop_core::{Error, Shop};
use shop_tests::repeats;

use super::fixture::{START, TestShop, input};

fn change(json: Value) -> OrderPatch {
    input(json)
}

async fn numbers(shop: &Shop, filter: Value) -> (i64, Vec<String>) {
    let page = shop.orders().list(input(filter)).await.expect("a page");
    (page.pagination.total, page.data.into_iter().map(|row| row.order.order_number).collect())
}

#[tokio::test]
async fn a_code_of_correios_is_kept_as_their_page_finds_it() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    let order = test.buy(&buyer, &vela, 1).await.expect("placed");
    for (copied, kept) in [
        (" aa 123 456 789 br", "AA123456789BR"),
        ("AA123456789BR", "AA123456789BR"),
        ("jad 0001", "jad 0001"),
        ("aa12345678br", "aa12345678br"),
    ] {
        let code = change(json!({ "trackingCode": copied }));
        let detail = test.shop.orders().update(&Actor::System, &order.id, code, None).await;
        assert_eq!(detail.expect("changed").order.tracking_code.as_deref(), Some(kept));
    }
}

#[tokio::test]
async fn staff_see_everything_about_an_order_and_their_changes_are_kept_by_name() {
    let test = TestShop::open().await;
    let accounts = test.shop.accounts();
    let admin = accounts.create_admin(input(json!({
        "name": "Rita", "email": "rita@example.com", "password": "segredo-123"
    })));
    let rita = Actor::Admin(admin.await.expect("an admin").id);
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    let order = test.buy(&buyer, &vela, 2).await.expect("placed");
    let orders = test.shop.orders();
    let shipped = json!({ "status": "SHIPPED", "note": "no balcão", "trackingCode": "BR123", "carrier": "Correios" });
    let detail = orders.update(&rita, &order.id, change(shipped), None).await.expect("updated");
    assert_eq!(detail.order.status, OrderStatus::Shipped);
    assert_eq!(detail.order.tracking_code.as_deref(), Some("BR123"));
    assert_eq!(detail.order.carrier.as_deref(), Some("Correios"));
    assert_eq!((detail.user.id, detail.user.name.as_str()), (buyer.id.clone(), "ana"));
    let [moved] = &detail.history[..] else { panic!("{:?}", detail.history) };
    assert_eq!((moved.actor.as_str(), moved.actor_name.as_deref()), ("STAFF", Some("Rita")));
    assert_eq!((moved.status, moved.note.as_deref()), (OrderStatus::Shipped, Some("no balcão")));
    let log =
        test.shop.audit().list(input(json!({ "resourceId": order.id }))).await.expect("a log");
    assert_eq!((log.data.len(), log.data[0].action.as_str()), (1, "order.update"));
    assert_eq!(
        (&log.data[0].before["status"], &log.data[0].after["status"]),
        (&json!("PENDING"), &json!("SHIPPED"))
    );
    let note = orders.add_note(&rita, &order.id, input(json!({ "note": "ligar antes" }))).await;
    assert_eq!(note.expect("a note").author, "Rita");
    let alone = change(json!({ "note": "ligou" }));
    let detail = orders.update(&rita, &order.id, alone, None).await.expect("updated");
    let notes: Vec<&str> = detail.internal_notes.iter().map(|note| note.note.as_str()).collect();
    assert_eq!((notes, detail.history.len()), (vec!["ligar antes", "ligou"], 1));
    assert_eq!(orders.get_detail(&order.id).await.expect("there"), detail);
    assert_eq!(orders.get(&order.id).await.expect("there"), detail.order);
}

#[tokio::test]
async fn the_same_status_changes_nothing_and_a_stale_view_is_refused() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    let order = test.buy(&buyer, &vela, 1).await.expect("placed");
    let (orders, system) = (test.shop.orders(), Actor::System);
    let events = || test.count("SELECT count(*) FROM event");
    let before = events();
    let same = change(json!({ "status": "PENDING", "note": "nada" }));
    let detail = orders.update(&system, &order.id, same, None).await.expect("nothing");
    assert_eq!((detail.history.len(), events()), (0, before));
    let notes: Vec<&str> = detail.internal_notes.iter().map(|note| note.note.as_str()).collect();
    assert_eq!(notes, ["nada"], "the note is kept");
    assert_eq!(detail.order, order);
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'order.update'"), 0);
    let seen = order.revision().expect("a revision");
    let paid = change(json!({ "status": "PROCESSING" }));
    orders.update(&system, &order.id, paid, Some(seen.clone())).await.expect("as it was seen");
    let late =
        orders.update(&system, &order.id, change(json!({ "carrier": "x" })), Some(seen)).await;
    assert!(matches!(late, Err(Error::Conflict(Conflict::Changed))), "{late:?}");
    let none = OrderId::from("none");
    for lost in [
        orders.update(&system, &none, change(json!({ "status": "SHIPPED" })), None).await.err(),
        orders.get_detail(&none).await.err(),
        orders.add_note(&system, &none, input(json!({ "note": "x" }))).await.err(),
    ] {
        assert!(matches!(lost, Some(Error::NotFound(Entity::Order))), "{lost:?}");
    }
}

#[tokio::test]
async fn a_change_that_cannot_have_its_units_again_changes_nothing_at_all() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 2, 1000).await;
    let order = test.buy(&buyer, &vela, 2).await.expect("placed");
    let orders = test.shop.orders();
    let update = |json| orders.update(&Actor::System, &order.id, change(json), None);
    update(json!({ "status": "CANCELLED" })).await.expect("cancelled");
    test.buy(&buyer, &vela, 1).await.expect("placed");
    let revived = update(json!({ "status": "SHIPPED", "trackingCode": "BR1" })).await;
    let refused = matches!(revived, Err(Error::Refused(Refusal::InsufficientStock { .. })));
    assert!(refused, "{revived:?}");
    let kept = test.shop.orders().get(&order.id).await.expect("there");
    assert_eq!((kept.status, kept.tracking_code), (OrderStatus::Cancelled, None));
    test.check_ledger();
}

#[tokio::test]
async fn orders_are_found_by_number_name_email_status_and_time() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 50, 1000).await;
    test.raw_sql("UPDATE account SET name = 'Ana Conceição' WHERE name = 'ana'");
    let mut placed = Vec::new();
    for n in 0..6 {
        let buyer = if n % 2 == 0 { &ana } else { &bia };
        placed.push(test.buy(buyer, &vela, 1).await.expect("placed"));
        test.advance_hours(12);
    }
    let number = |n: usize| placed[n].order_number.clone();
    let orders = test.shop.orders();
    orders.set_status(&placed[1].id, OrderStatus::Shipped, None).await.expect("set");
    let of = |numbers: &[usize]| numbers.iter().map(|n| number(*n)).collect::<Vec<_>>();
    let count = |n: usize| i64::try_from(n).expect("a count");
    for (filter, found) in [
        (json!({}), vec![5, 4, 3, 2, 1, 0]),
        (json!({ "status": "SHIPPED" }), vec![1]),
        (json!({ "status": "REFUNDED" }), vec![]),
        (json!({ "from": placed[2].created_at }), vec![5, 4, 3, 2]),
        (json!({ "to": placed[2].created_at }), vec![1, 0]),
        (
            json!({ "from": placed[1].created_at, "to": placed[4].created_at, "status": "PENDING" }),
            vec![3, 2],
        ),
        (json!({ "from": placed[4].created_at, "to": placed[4].created_at }), vec![]),
        (json!({ "q": number(3) }), vec![3]),
        (json!({ "q": number(3).to_lowercase() }), vec![3]),
        (json!({ "q": "20261121" }), vec![0]),
        (json!({ "q": "PED-202611" }), vec![5, 4, 3, 2, 1, 0]),
        (json!({ "q": "PED-202611", "status": "SHIPPED" }), vec![1]),
        (json!({ "q": "conceicao" }), vec![4, 2, 0]),
        (json!({ "q": "CONCEIÇÃO an" }), vec![4, 2, 0]),
        (json!({ "q": "bia@exam" }), vec![5, 3, 1]),
        (json!({ "q": "bia", "status": "SHIPPED" }), vec![1]),
        (json!({ "q": "bia", "from": placed[2].created_at }), vec![5, 3]),
        (json!({ "q": "ninguém" }), vec![]),
        (json!({ "q": "%" }), vec![]),
    ] {
        let text = filter.to_string();
        assert_eq!(numbers(&test.shop, filter).await, (count(found.len()), of(&found)), "{text}");
    }
    for (page, found) in [(1, vec![5, 4]), (2, vec![3, 2]), (3, vec![1, 0]), (4, vec![])] {
        for q in ["", "PED-"] {
            let filter = json!({ "page": page, "limit": 2, "q": q });
            assert_eq!(numbers(&test.shop, filter).await, (6, of(&found)), "{page} {q}");
        }
    }
    let page = orders.list(input(json!({ "q": number(0) }))).await.expect("a page");
    assert_eq!(page.data[0].order, orders.get(&placed[0].id).await.expect("there"));
    assert_eq!(page.data[0].user.email.as_str(), "ana@example.com");
}

/// What the dashboard and the list say must be what one finds by counting.
async fn check_against_counting(test: &TestShop) {
    let placed = "status NOT IN ('CANCELLED', 'REFUNDED')";
    let sold = "status IN ('PROCESSING', 'SHIPPED', 'DELIVERED')";
    let overview = test.shop.dashboard().get_overview(input(json!({ "period": "7d" }))).await;
    let overview = overview.expect("an overview");
    let from = START.millis() - 12 * 3_600_000; // the day of the start is within 7 days in these tests
    let within = format!("FROM orders WHERE {sold} AND created_at >= {from}");
    let orders = format!("SELECT count(*) FROM orders WHERE {placed} AND created_at >= {from}");
    assert_eq!(overview.orders.total, test.count(&orders));
    let revenue = format!("SELECT coalesce(sum(total), 0) {within}");
    assert_eq!(overview.revenue.total.cents(), test.count(&revenue));
    // Each day is there, whether or not anything was ordered on it, and all make up the whole.
    let sum = overview.days.iter().map(|day| day.revenue.cents()).sum::<i64>();
    let placed = overview.days.iter().map(|day| day.orders).sum::<i64>();
    assert_eq!((sum, placed), (overview.revenue.total.cents(), overview.orders.total));
    let dates: Vec<&str> = overview.days.iter().map(|day| day.date.as_str()).collect();
    assert_eq!((dates.len(), dates.is_sorted()), (7, true), "{dates:?}");
    for top in &overview.top_products {
        let of_product = |what: &str| {
            test.count(&format!(
                "SELECT coalesce(sum({what}), 0) FROM order_item i
                 WHERE product_id = '{}' AND order_id IN (SELECT id {within})",
                top.product_id
            ))
        };
        assert_eq!((top.sales, top.revenue.cents()), (of_product("quantity"), of_product("total")));
    }
    let units = format!(
        "SELECT coalesce(sum(quantity), 0) FROM order_item WHERE order_id IN (SELECT id {within})"
    );
    assert_eq!(overview.top_products.iter().map(|top| top.sales).sum::<i64>(), test.count(&units));
    for status in OrderStatus::ALL {
        let filter = json!({ "status": status, "limit": 1 });
        let counted = format!("SELECT count(*) FROM orders WHERE status = '{}'", status.as_str());
        assert_eq!(numbers(&test.shop, filter).await.0, test.count(&counted), "{status:?}");
    }
    let stats = test.shop.dashboard().get_totals().await.expect("stats");
    assert_eq!(stats.total_orders, test.count("SELECT count(*) FROM orders"));
    assert_eq!(
        stats.pending_orders,
        test.count("SELECT count(*) FROM orders WHERE status = 'PENDING'")
    );
    let all = format!("SELECT coalesce(sum(total), 0) FROM orders WHERE {sold}");
    assert_eq!(stats.total_revenue.cents(), test.count(&all));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: repeats(4, 12), failure_persistence: None, ..ProptestConfig::default() })]

    /// Orders placed and moved in any order, with days that pass and are summed up in between.
    #[test]
    fn the_counters_are_what_counting_finds(
        steps in prop::collection::vec((0..4_u8, 0..8_usize, 0..6_usize), 1..40)
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let test = TestShop::open().await;
            let buyer = test.buyer("ana").await;
            let products = [
                test.product("vela", 1000, 1000).await,
                test.product("difusor", 1000, 2575).await,
                test.product("sache", 1000, 399).await,
            ];
            let mut placed: Vec<Order> = Vec::new();
            let mut hours = 0;
            for (what, which, to) in steps {
                match what {
                    0 | 1 => {
                        let product = &products[which % 3];
                        let units = i64::try_from(1 + to).expect("a number");
                        placed.push(test.buy(&buyer, product, units).await.expect("placed"));
                    }
                    2 if !placed.is_empty() => {
                        let order = &placed[which % placed.len()];
                        let to = OrderStatus::ALL[to];
                        test.shop.orders().set_status(&order.id, to, None).await.expect("set");
                    }
                    _ if hours < 6 * 24 => {
                        hours += 9;
                        test.clock.advance(Duration::from_secs(9 * 3600));
                        let _: DueWork = test.shop.run_due().await.expect("done");
                    }
                    _ => {}
                }
            }
            check_against_counting(&test).await;
            test.check_ledger();
            test.check_books().await;
        });
    }
}

#[tokio::test]
async fn revenue_is_what_is_prepared_sent_or_delivered() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let mut order = test.buy(&buyer, &vela, 2).await.expect("placed");
    let dashboard = async || {
        let overview =
            test.shop.dashboard().get_overview(input(json!({}))).await.expect("an overview");
        let stats = test.shop.dashboard().get_totals().await.expect("stats");
        assert_eq!((stats.total_orders, stats.total_revenue), (1, overview.revenue.total));
        let sold: i64 = overview.top_products.iter().map(|top| top.sales).sum();
        let averaged = overview.avg_order_value.cents();
        (overview.orders.total, overview.revenue.total.cents(), averaged, sold)
    };
    let total = order.total.cents();
    for (to, found) in [
        (OrderStatus::Pending, (1, 0, 0, 0)),
        (OrderStatus::Processing, (1, total, total, 2)),
        (OrderStatus::Shipped, (1, total, total, 2)),
        (OrderStatus::Refunded, (0, 0, 0, 0)),
        (OrderStatus::Delivered, (1, total, total, 2)),
        (OrderStatus::Cancelled, (0, 0, 0, 0)),
    ] {
        order = test.shop.orders().set_status(&order.id, to, None).await.expect("set");
        assert_eq!(dashboard().await, found, "{to:?}");
    }
}

#[tokio::test]
async fn an_order_is_found_by_the_last_part_of_its_number() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 500, 1000).await;
    let mut placed = Vec::new();
    for _ in 0..28 {
        placed.push(test.buy(&buyer, &vela, 1).await.expect("placed"));
    }
    test.advance_hours(24);
    let tomorrow = test.buy(&buyer, &vela, 1).await.expect("placed");
    for (q, found) in [
        ("0027", vec![&placed[26]]),
        ("27", vec![&placed[26]]),
        ("1", vec![&tomorrow, &placed[0]]),
        ("0001", vec![&tomorrow, &placed[0]]),
        ("29", vec![]),
        ("0", vec![]),
    ] {
        let found: Vec<String> = found.iter().map(|order| order.order_number.clone()).collect();
        let total = i64::try_from(found.len()).expect("a count");
        assert_eq!(numbers(&test.shop, json!({ "q": q })).await, (total, found), "{q}");
    }
    let shipped = json!({ "q": "27", "status": "SHIPPED" });
    assert_eq!(numbers(&test.shop, shipped).await.0, 0);
    let later = json!({ "q": "1", "from": tomorrow.created_at });
    assert_eq!(numbers(&test.shop, later).await.0, 1);
}

#[tokio::test]
async fn a_period_is_compared_with_the_one_before_by_local_days() {
    let test = TestShop::with(|config| config.orders.unpaid_ttl_hours = 0).await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let buy = async |units| {
        let order = test.buy(&buyer, &vela, units).await?;
        test.shop.orders().set_status(&order.id, OrderStatus::Processing, None).await
    };
    let overview = async |period: &str| {
        let found = test.shop.dashboard().get_overview(input(json!({ "period": period }))).await;
        found.expect("an overview")
    };
    assert_eq!(overview("7d").await.avg_order_value.cents(), 0);
    buy(1).await.expect("placed");
    buy(1).await.expect("placed");
    // A minute before midnight seven days later the first day is still among those before.
    test.clock.advance(Duration::from_secs(7 * 24 * 3600 + 12 * 3600 - 60));
    buy(4).await.expect("placed");
    let week = overview("7d").await;
    assert_eq!((week.orders.total, week.revenue.total.cents()), (1, 4000));
    assert_eq!((week.orders.change, week.revenue.change), (-50.0, 100.0));
    assert_eq!((week.avg_order_value.cents(), week.new_customers), (4000, 0));
    let month = overview("30d").await;
    assert_eq!((month.orders.total, month.orders.change, month.new_customers), (3, 100.0, 1));
    assert_eq!(month.top_products[0].sales, 6);
    let default = test.shop.dashboard().get_overview(input(json!({}))).await.expect("an overview");
    assert_eq!(default, month);
    // The sums of days that are over change nothing, also for a product that is gone.
    test.shop.run_due().await.expect("done");
    assert!(test.count("SELECT count(*) FROM product_day") > 0);
    test.shop.products().delete(&Actor::System, &vela, None).await.expect("deleted");
    let later = overview("30d").await;
    assert_eq!((&later.top_products, later.orders.total), (&month.top_products, 3));
}
