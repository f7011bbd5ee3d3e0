//! PostgreSQL plans for any parameter what it has seen a few times, and finds its rows by an index
//! nevertheless.

use super::{Stage, aside};
use crate::core::fixture::{START, TestShop};
use crate::database::{Database, say};
use crate::own_postgres::OwnPostgres;

const EVENTS: i64 = 20_000;
/// After five times a connection keeps a plan for all parameters.
const ORDERS: usize = 12;

#[tokio::test]
async fn whoever_looks_for_new_events_does_not_read_the_old_ones() {
    let Some(postgres) = aside(OwnPostgres::start).await else {
        say("left out, because PostgreSQL is not installed: plans of statements");
        return;
    };
    postgres.sql("postgres", "CREATE DATABASE shop");
    let data = Database::elsewhere(&postgres.url("shop"));
    let dir = tempfile::tempdir().expect("a folder");
    let stage = Stage::of(TestShop::on(data, dir, START, |_| {}).await).await;
    postgres.sql(
        "shop",
        &format!(
            "INSERT INTO event (name, payload, created_at)
             SELECT 'order.created', '{{}}', 0 FROM generate_series(1, {EVENTS}); ANALYZE event"
        ),
    );
    for _ in 0..ORDERS {
        stage.test.buy(&stage.buyer, &stage.vela, 1).await.expect("placed");
        stage.test.shop.run_due().await.expect("done");
    }
    drop(stage);
    // A connection tells what it read when it ends, if not before.
    let others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shop-core'";
    while postgres.sql("shop", others) != "0" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let read = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'event'";
    let read: i64 = postgres.sql("shop", read).parse().expect("a number");
    assert!(read < EVENTS, "{read} rows were read");
}
