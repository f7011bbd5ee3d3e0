//! The real server, killed while it issues invoices.

use std::time::Duration;

use serde_json::{Value, json};
use shop_core::account::Register;
use shop_core::actor::Actor;
use shop_core::invoicing::ReturnGoods;

use crate::binary::{Server, post_as};
use crate::core::fixture::{TestShop, input};
use crate::core::nfe::{CPF, paid};

/// How often the server is killed.
const KILLS: u64 = 25;
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
    for round in 0..KILLS {
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
        let order = paid(&test, &buyer, &vela, 3).await;
        let cpf = CPF.parse().expect("a CPF");
        invoices.emit(&Actor::System, &order.id, Some(cpf)).await.expect("issued");
        let item = json!({ "orderItemId": order.items[0].id, "quantity": 1 });
        let path = format!("/api/admin/orders/{}/nfe/devolucao", order.id);
        requests.push((path, json!({ "items": [item] })));
        orders.push(order);
    }
    let token = staff(&test).await;
    let count = |sql: &str| test.count(&format!("SELECT {sql}"));
    for round in 0..KILLS / 2 {
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
