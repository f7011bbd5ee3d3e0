//! The real server, killed while it issues invoices.

use std::time::Duration;

use serde_json::{Value, json};
use shop_core::account::Register;
use shop_core::actor::Actor;
use shop_core::id::ProductId;
use shop_core::invoicing::ReturnGoods;
use shop_core::order::Order;
use shop_tests::repeats;

use crate::binary::{Server, post_as};
use crate::core::fixture::{Buyer, TestShop, input};
use crate::core::nfe::{CPF, paid};

/// How often the server is killed.
fn kills() -> u64 {
    repeats(6, 25)
}

/// Orders that want an invoice.
const ORDERS: usize = 40;
/// Who asks at the same time.
const CLERKS: usize = 4;

/// Requests by their paths and bodies.
type Requests = Vec<(String, Value)>;

/// Everybody sends every request until the server is killed.
fn burst(server: Server, round: u64, token: &str, requests: &Requests, answers: &[u16]) {
    let address = server.address.clone();
    std::thread::scope(|scope| {
        for clerk in 0..CLERKS {
            let address = &address;
            scope.spawn(move || {
                for (path, body) in requests.iter().cycle().skip(clerk * 7) {
                    match post_as(address, token, path, body) {
                        Some((status, _)) if answers.contains(&status) => {}
                        Some((status, body)) => panic!("{status}: {body}"),
                        None => return,
                    }
                }
            });
        }
        // Anywhere from the first numbers to the last documents.
        std::thread::park_timeout(Duration::from_millis(2 + round * 7919 % 97));
        server.kill();
    });
}

/// The token of a member of the staff.
async fn staff(test: &TestShop) -> String {
    let register: Register = input(
        json!({ "name": "Equipe", "email": "equipe@example.com", "password": "segredo-123" }),
    );
    test.shop.accounts().create_admin(register).await.expect("an admin");
    test.log_in("equipe").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_order_gets_two_invoices_however_the_server_dies() {
    let test = TestShop::with_machine_clock().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 1000, 1990).await);
    let mut requests = Requests::new();
    for _ in 0..ORDERS {
        let order = paid(&test, &buyer, &vela, 1).await;
        let path = format!("/api/admin/orders/{}/nfe/emitir", order.id);
        requests.push((path, json!({ "cpf": CPF })));
    }
    let token = staff(&test).await;
    let count =
        |table: &str, rest: &str| test.count(&format!("SELECT count(*) FROM {table} {rest}"));
    let expected = i64::try_from(ORDERS).expect("small");
    for round in 0..kills() {
        let (file, token, requests) = (test.database(), token.clone(), requests.clone());
        let killed = move || burst(Server::start(&file), round, &token, &requests, &[200, 503]);
        tokio::task::spawn_blocking(killed).await.expect("a burst");
        let numbers = count("nfe", "");
        assert_eq!(test.count("SELECT coalesce(max(last), 0) FROM nfe_series"), numbers);
        assert!(count("sandbox_nfe", "") <= numbers && numbers <= expected);
    }
    let file = test.database();
    let rest = tokio::task::spawn_blocking(move || {
        let server = Server::start(&file);
        for (path, body) in &requests {
            let (status, body) = post_as(&server.address, &token, path, body).expect("an answer");
            assert_eq!((status, &body["status"]), (200, &json!("autorizada")), "{body}");
        }
        server.kill();
    });
    rest.await.expect("issued");
    assert_eq!(count("nfe", "WHERE status = 'AUTHORIZED' AND proc_xml IS NOT NULL"), expected);
    assert_eq!((count("nfe", ""), count("sandbox_nfe", "")), (expected, expected));
    assert_eq!(test.count("SELECT count(DISTINCT number) FROM nfe"), expected);
    assert_eq!(test.count("SELECT max(number) FROM nfe"), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_unit_comes_back_twice_however_the_server_dies() {
    const RETURNS: usize = 12;
    let test = TestShop::with_machine_clock().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 1000, 1990).await);
    let invoices = test.shop.invoices();
    let (mut orders, mut requests) = (Vec::new(), Requests::new());
    for _ in 0..RETURNS {
        let order = invoiced(&test, &buyer, &vela, 3).await;
        let item = json!({ "orderItemId": order.items[0].id, "quantity": 1 });
        let path = format!("/api/admin/orders/{}/nfe/devolucao", order.id);
        requests.push((path, json!({ "items": [item] })));
        orders.push(order);
    }
    let token = staff(&test).await;
    let count = |sql: &str| test.count(&format!("SELECT {sql}"));
    for round in 0..kills() / 2 {
        let (file, token, requests) = (test.database(), token.clone(), requests.clone());
        // 400: all units are back, or on their way.
        let killed =
            move || burst(Server::start(&file), round, &token, &requests, &[201, 400, 503]);
        tokio::task::spawn_blocking(killed).await.expect("a burst");
        assert_eq!(count("max(last) FROM nfe_series"), count("count(*) FROM nfe"));
        let most = count(
            "coalesce(max(units), 0) FROM (SELECT sum(quantity) AS units
          FROM nfe_return_item GROUP BY order_item_id) AS returned",
        );
        assert!(most <= 3, "{most} units of 3 came back");
    }
    for order in &orders {
        for back in invoices.list_returns(&order.id).await.expect("a list") {
            invoices.retry_return(&back.invoice.id).await.expect("issued");
        }
        let rest = ReturnGoods { refund_shipping: Some(true), ..ReturnGoods::default() };
        match invoices.issue_return(&Actor::System, &order.id, rest, None).await {
            Ok(_) | Err(shop_core::Error::Refused(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    let units = i64::try_from(RETURNS * 3).expect("small");
    assert_eq!(count("CAST(sum(quantity) AS BIGINT) FROM nfe_return_item"), units);
    assert_eq!(count("count(*) FROM nfe WHERE status <> 'AUTHORIZED'"), 0);
    assert_eq!(count("count(*) FROM nfe"), count("count(*) FROM sandbox_nfe"));
    test.check_books().await;
}

/// Waits until a statement finds something.
async fn until(test: &TestShop, sql: &str, found: i64) {
    for _ in 0..600 {
        if test.count(sql) == found {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{sql} is {} and not {found}", test.count(sql));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_order_is_left_out_or_invoiced_twice_by_automatic_issuing_however_the_server_dies() {
    const WANTED: i64 = 10;
    let test = TestShop::with_machine_clock().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 1000, 1990).await);
    let start = || {
        let file = test.database();
        let automatic = [("SHOP_NFE__ISSUE", "when_paid")];
        tokio::task::spawn_blocking(move || Server::start_with(&file, automatic))
    };
    // Orders count from when on the setting is there.
    let server = start().await.expect("a server");
    until(&test, "SELECT count(*) FROM setting WHERE key = 'nfe_issue_after'", 1).await;
    server.kill();
    for _ in 0..WANTED {
        paid(&test, &buyer, &vela, 1).await;
    }
    for round in 0..kills() / 3 {
        // What a server that died had for itself, another one may have after a while.
        test.raw_sql(
            "UPDATE nfe_to_issue SET due_at = 0; UPDATE nfe SET due_at = 0 WHERE due_at > 0",
        );
        let server = start().await.expect("a server");
        tokio::time::sleep(Duration::from_millis(round * 7919 % 89)).await;
        server.kill();
        assert_eq!(
            test.count("SELECT coalesce(max(last), 0) FROM nfe_series"),
            test.count("SELECT count(*) FROM nfe")
        );
    }
    test.raw_sql("UPDATE nfe_to_issue SET due_at = 0; UPDATE nfe SET due_at = 0 WHERE due_at > 0");
    let server = start().await.expect("a server");
    until(&test, "SELECT count(*) FROM nfe WHERE status = 'AUTHORIZED'", WANTED).await;
    until(&test, "SELECT count(*) FROM nfe_to_issue", 0).await;
    server.kill();
    for all in
        ["count(*) FROM nfe", "count(DISTINCT order_id) FROM nfe", "count(*) FROM sandbox_nfe"]
    {
        assert_eq!(test.count(&format!("SELECT {all}")), WANTED, "{all}");
    }
}

/// An order whose sale is invoiced.
async fn invoiced(test: &TestShop, buyer: &Buyer, product: &ProductId, units: i64) -> Order {
    let order = paid(test, buyer, product, units).await;
    let cpf = CPF.parse().expect("a CPF");
    test.shop.invoices().emit(&Actor::System, &order.id, Some(cpf)).await.expect("issued");
    order
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_invoice_gets_a_correction_letter_twice_however_the_server_dies() {
    const CORRECTED: i64 = 12;
    let test = TestShop::with_machine_clock().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 1000, 1990).await);
    let mut requests = Requests::new();
    for number in 0..CORRECTED {
        let order = invoiced(&test, &buyer, &vela, 1).await;
        let path = format!("/api/admin/orders/{}/nfe/correcao", order.id);
        requests.push((path, json!({ "text": format!("O número da casa é {number}.") })));
    }
    let token = staff(&test).await;
    let count = |sql: &str| test.count(&format!("SELECT {sql}"));
    for round in 0..kills() / 2 {
        let (file, token, requests) = (test.database(), token.clone(), requests.clone());
        let killed = move || burst(Server::start(&file), round, &token, &requests, &[200, 503]);
        tokio::task::spawn_blocking(killed).await.expect("a burst");
        assert!(
            count("count(*) FROM sandbox_nfe_correction") <= count("count(*) FROM nfe_correction")
        );
    }
    let file = test.database();
    let rest = tokio::task::spawn_blocking(move || {
        let server = Server::start(&file);
        for (path, body) in &requests {
            let (status, answer) = post_as(&server.address, &token, path, body).expect("an answer");
            assert_eq!((status, &answer["numero"]), (200, &json!(1)), "{answer}");
            assert_eq!(
                (&answer["status"], &answer["texto"]),
                (&json!("registrada"), &body["text"])
            );
        }
        server.kill();
    });
    rest.await.expect("registered");
    assert_eq!(count("count(*) FROM nfe_correction WHERE status = 'REGISTERED'"), CORRECTED);
    assert_eq!(count("count(*) FROM nfe_correction"), CORRECTED);
    assert_eq!(count("count(*) FROM sandbox_nfe_correction"), CORRECTED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_return_has_one_invoice_of_its_amount_however_the_server_dies() {
    const RETURNS: i64 = 8;
    let test = TestShop::with_machine_clock().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 1000, 1990).await);
    let (mut returns, mut requests) = (Vec::new(), Requests::new());
    for _ in 0..RETURNS {
        let order = invoiced(&test, &buyer, &vela, 3).await;
        let part = json!({ "items": [{ "orderItemId": order.items[0].id, "quantity": 2 }] });
        let asked = test.shop.returns().request(&buyer.id, &order.id, input(part), None).await;
        let asked = asked.expect("asked");
        let path = format!("/api/admin/orders/{}/nfe/devolucao", order.id);
        requests.push((path, json!({ "returnId": asked.id })));
        returns.push(asked);
    }
    let token = staff(&test).await;
    for round in 0..kills() / 2 {
        let (file, token, requests) = (test.database(), token.clone(), requests.clone());
        // 400: its units are on one already.
        let killed =
            move || burst(Server::start(&file), round, &token, &requests, &[201, 400, 503]);
        tokio::task::spawn_blocking(killed).await.expect("a burst");
    }
    for asked in &returns {
        let of = test.shop.returns().get_detail(&asked.id).await.expect("there").returned;
        let back = match of.invoices.as_slice() {
            [] => {
                let goods = input(json!({ "returnId": of.id }));
                let invoices = test.shop.invoices();
                invoices.issue_return(&Actor::System, &of.order_id, goods, None).await
            }
            [one] => test.shop.invoices().retry_return(&one.id).await,
            more => panic!("{more:?}"),
        };
        let back = back.expect("issued");
        assert_eq!((back.items[0].quantity, back.invoice.total), (2, of.amount + of.freight));
        let money = input(json!({}));
        let money = test.shop.returns().refund(&Actor::System, &of.id, money, None, None).await;
        assert_eq!(money.expect("back").refund.amount, Some(back.invoice.total));
    }
    let count = |sql: &str| test.count(&format!("SELECT {sql}"));
    assert_eq!(count("count(*) FROM nfe_return"), RETURNS);
    assert_eq!(count("count(*) FROM nfe WHERE status = 'AUTHORIZED'"), 2 * RETURNS);
    assert_eq!(count("count(*) FROM sandbox_nfe"), 2 * RETURNS);
    test.check_books().await;
}
