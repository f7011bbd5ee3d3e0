//! A PostgreSQL that takes no writes: whoever asks is told to come back, and once it takes them
//! again, or another one does, the servers go on by themselves.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Stage, aside, client, own_postgres};
use crate::http::client::Client;
use crate::own_postgres::OwnPostgres;

/// How many connections a server has at most.
const CONNECTIONS: usize = 15;
/// How long a standby may take to be the primary.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends every connection, so that the next ones have the settings of the database.
const END_ALL: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                       WHERE datname = 'shop' AND pid <> pg_backend_pid()";

/// Orders, which is a job beside others, and changes the profile, which is one of a lane; both are
/// told to come back. What is there can be read.
async fn takes_none(buyer: &Client, body: &Value) {
    let name = json!({ "name": "Ana Maria Souza" });
    for answer in [buyer.post("/api/orders", body).await, buyer.put("/api/auth/me", &name).await] {
        assert_eq!(answer.refused(503).1, "busy");
        assert_eq!(answer.header("retry-after"), Some("5"));
    }
    buyer.get("/api/orders").await.expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_takes_no_writes_is_waited_for() {
    let Some(postgres) = own_postgres("a database that takes no writes").await else { return };
    let stage = Stage::on(&postgres, None).await;
    let servers = stage.servers(1, &[]).await;
    let buyer = client(&servers[0]).with_token(stage.token.clone());
    buyer.post("/api/orders", &stage.body()).await.expect(201);
    let switch = |postgres: OwnPostgres, how: &'static str| {
        aside(move || {
            postgres.sql("postgres", &format!("ALTER DATABASE shop {how}"));
            postgres
        })
    };
    let postgres = switch(postgres, "SET default_transaction_read_only = on").await;
    postgres.sql("postgres", END_ALL);
    takes_none(&buyer, &stage.body()).await;
    let postgres = switch(postgres, "RESET default_transaction_read_only").await;
    // Connections keep the setting that they began with; each that refuses is given up.
    let mut left = CONNECTIONS;
    while buyer.post("/api/orders", &stage.body()).await.status != 201 {
        left = left.checked_sub(1).expect("the server finds its database again");
    }
    drop((servers, stage, postgres));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_is_not_written_to_until_it_is_promoted() {
    let Some(mut primary) = own_postgres("a standby that takes over").await else { return };
    let stage = Stage::on(&primary, None).await;
    let (primary_url, (standby, returned)) =
        (primary.url("shop"), aside(move || (primary.replica(), primary)).await);
    primary = returned;
    let both = format!("{},{}", primary_url.trim_end_matches("/shop"), place(&standby));
    let server = aside(move || {
        let none = std::iter::empty::<(&str, &str)>();
        crate::binary::Server::start_with(format!("{both}/shop").as_ref(), none)
    });
    let server = server.await;
    let buyer = client(&server).with_token(stage.token.clone());
    buyer.post("/api/orders", &stage.body()).await.expect(201);
    let position = primary.sql("shop", "SELECT pg_current_wal_insert_lsn()");
    let begun = Instant::now();
    let question = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
    while standby.sql("shop", &question) != "t" {
        assert!(begun.elapsed() < PATIENCE, "the standby does not catch up");
    }
    primary.kill();
    takes_none(&buyer, &stage.body()).await;
    standby.sql("postgres", "SELECT pg_promote()");
    buyer.post("/api/orders", &stage.body()).await.expect(201);
    drop((server, stage));
}

/// Host and port of a server.
fn place(postgres: &OwnPostgres) -> String {
    let url = postgres.url("shop");
    let (_, place) = url.rsplit_once('@').expect("a user");
    place.trim_end_matches("/shop").to_owned()
}
