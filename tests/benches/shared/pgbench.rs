//! PostgreSQL's own `pgbench`, which writes the rows of an order without a shop around it.

use crate::own_postgres::OwnPostgres;

/// The database of PostgreSQL that the shop has.
pub(crate) const DATABASE: &str = "shop";
/// More units than a run can sell.
pub(crate) const SHELVES: &str = "UPDATE stock SET quantity = 1000000000";

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/shared/order.sql");
const LENGTH_S: u64 = 3;

/// Transactions a second by `pgbench`, with or without the row that every order of a day counts on.
pub(crate) fn pgbench(postgres: &OwnPostgres, clients: usize, counted: bool) -> f64 {
    let day = "INSERT INTO order_day (day, last) VALUES ('pgbench', 0) ON CONFLICT DO NOTHING";
    postgres.sql(DATABASE, day);
    let account = postgres.sql(DATABASE, "SELECT id FROM account LIMIT 1");
    let products = postgres.sql(DATABASE, "SELECT max(pk) FROM product");
    let variables = [
        format!("account={account}"),
        format!("products={products}"),
        format!("payload={}", "x".repeat(1200)),
        format!("counted={}", i32::from(counted)),
    ];
    let (clients, length) = (clients.to_string(), LENGTH_S.to_string());
    let mut arguments =
        vec!["-n", "-M", "prepared", "-j", "2", "-c", &clients, "-T", &length, "-f", SCRIPT];
    for variable in &variables {
        arguments.extend(["-D", variable]);
    }
    let said = postgres.client("pgbench", DATABASE, &arguments);
    let tps = said.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
    tps.and_then(|tps| tps.parse().ok()).unwrap_or_else(|| panic!("no figure in: {said}"))
}
