//! The real server, killed while it issues invoices.

use std::time::Duration;

use serde_json::json;
use shop_core::account::Register;

use crate::binary::{Server, post_as};
use crate::core::fixture::{TestShop, input};
use crate::core::nfe::{CPF, paid};

/// How often the server is killed.
const KILLS: u64 = 25;
/// Orders that want an invoice.
const ORDERS: usize = 40;
/// Who asks at the same time.
const CLERKS: usize = 4;

/// Everybody asks for every invoice until the server is killed.
fn burst(server: Server, round: u64, token: &str, paths: &[String]) {
    let address = server.address.clone();
    std::thread::scope(|scope| {
        for clerk in 0..CLERKS {
            let address = &address;
            scope.spawn(move || {
                for path in paths.iter().cycle().skip(clerk * 7) {
                    match post_as(address, token, path, &json!({ "cpf": CPF })) {
                        Some((200 | 503, _)) => {}
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_order_gets_two_invoices_however_the_server_dies() {
    let test = TestShop::with_machine_clock().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 1000, 1990).await);
    let mut paths = Vec::new();
    for _ in 0..ORDERS {
        let order = paid(&test, &buyer, &vela, 1).await;
        paths.push(format!("/api/admin/orders/{}/nfe/emitir", order.id));
    }
    let register: Register = input(
        json!({ "name": "Equipe", "email": "equipe@example.com", "password": "segredo-123" }),
    );
    test.shop.accounts().create_admin(register).await.expect("an admin");
    let token = test.log_in("equipe").await;
    let count =
        |table: &str, rest: &str| test.count(&format!("SELECT count(*) FROM {table} {rest}"));
    let expected = i64::try_from(ORDERS).expect("small");
    for round in 0..KILLS {
        let (file, token, paths) = (test.database(), token.clone(), paths.clone());
        let killed =
            tokio::task::spawn_blocking(move || burst(Server::start(&file), round, &token, &paths));
        killed.await.expect("a burst");
        let numbers = count("nfe", "");
        assert_eq!(test.count("SELECT coalesce(max(last), 0) FROM nfe_series"), numbers);
        assert!(count("sandbox_nfe", "") <= numbers && numbers <= expected);
    }
    let (file, asked) = (test.database(), paths.clone());
    let rest = tokio::task::spawn_blocking(move || {
        let server = Server::start(&file);
        for path in &asked {
            let (status, body) =
                post_as(&server.address, &token, path, &json!({ "cpf": CPF })).expect("an answer");
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
