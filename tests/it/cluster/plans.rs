//! Which way PostgreSQL takes to its rows once it has made one plan of a statement for any
//! parameters.

use std::time::Duration;

use super::{Stage, own_postgres};
use crate::core::webhook::wait_until;

const EVENTS: i64 = 20_000;
/// More than the five runs after which a connection may keep to one plan.
const ORDERS: usize = 12;

/// What the shop has open.
const CONNECTIONS: &str = "SELECT count(*) FROM pg_stat_activity
  WHERE datname = 'shop' AND backend_type = 'client backend' AND pid <> pg_backend_pid()";

#[tokio::test]
async fn whoever_looks_for_new_events_does_not_read_the_old_ones() {
    let Some(postgres) = own_postgres("plans of statements").await else { return };
    let stage = Stage::on(&postgres, None).await;
    let fill = format!(
        "INSERT INTO event (name, payload, created_at)
         SELECT 'order.created', '{{}}', 0 FROM generate_series(1, {EVENTS}); ANALYZE event"
    );
    postgres.sql("shop", &fill);
    for _ in 0..ORDERS {
        stage.test.buy(&stage.buyer, &stage.vela, 1).await.expect("placed");
        stage.test.shop.run_due().await.expect("done");
    }
    drop(stage);
    // Whatever a connection read is counted when it ends, if not before.
    wait_until(Duration::from_secs(20), || postgres.sql("shop", CONNECTIONS) == "0").await;
    let count = |column: &str| -> i64 {
        let sql = format!("SELECT {column} FROM pg_stat_user_tables WHERE relname = 'event'");
        postgres.sql("shop", &sql).parse().expect("a number")
    };
    assert!(count("idx_scan") > 0, "nothing of what was read is counted");
    assert!(count("seq_tup_read") < EVENTS, "{} rows were read", count("seq_tup_read"));
}
