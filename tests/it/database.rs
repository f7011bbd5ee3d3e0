//! Where a test's shop keeps its data: a file of its own, or a database of its own on the PostgreSQL
//! server that `SHOP_TEST_POSTGRES` names (a URL whose user may create databases).

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use postgres::{Client, NoTls};
use shop_core::storage::Postgres;

/// A database that lasts as long as this value.
pub(crate) struct Database {
    /// Its path or its URL.
    name: String,
    is_server: bool,
}

impl Database {
    /// A new one, with or without a schema, without any data.
    pub(crate) fn new(dir: &Path) -> Self {
        match server() {
            Some(server) => Self { name: on_server(server), is_server: true },
            None => Self { name: dir.join("shop.db").display().to_string(), is_server: false },
        }
    }

    /// What a configuration calls it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A number that a query gives, for what the API does not show.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        if self.is_server {
            let sql = format!("SELECT CAST(({sql}) AS BIGINT)");
            return aside(&self.name, move |client| {
                client.query_one(&sql, &[]).expect("a row").get(0)
            });
        }
        let conn = rusqlite::Connection::open(&self.name).expect("the file");
        conn.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    /// Changes the data behind the shop's back.
    pub(crate) fn meddle(&self, sql: &str) {
        if self.is_server {
            let sql = sql.to_owned();
            return aside(&self.name, move |client| {
                client.batch_execute(&sql).expect("a statement")
            });
        }
        let conn = rusqlite::Connection::open(&self.name).expect("the file");
        conn.busy_timeout(Duration::from_secs(5)).expect("a timeout");
        conn.execute_batch(sql).expect("a statement");
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let name = self.name.rsplit('/').next().unwrap_or_default();
        let sql = format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)");
        if let Some(server) = server() {
            aside(server, move |client| client.batch_execute(&sql).expect("dropped"));
        }
    }
}

/// The URL of the PostgreSQL server, where there is one.
pub(crate) fn server() -> Option<&'static str> {
    static SERVER: OnceLock<Option<String>> = OnceLock::new();
    SERVER.get_or_init(|| std::env::var("SHOP_TEST_POSTGRES").ok()).as_deref()
}

/// A copy of a template that is migrated once.
fn on_server(server: &'static str) -> String {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let (host, _) = server.rsplit_once('/').expect("a database in the URL");
    let template = TEMPLATE.get_or_init(|| {
        let name = format!("shop_test_{}", std::process::id());
        let create = format!("CREATE DATABASE \"{name}\"");
        aside(server, move |client| client.batch_execute(&create).expect("created"));
        let url = format!("{host}/{name}");
        std::thread::spawn(move || drop(Postgres::open(&url).expect("migrated")))
            .join()
            .expect("done");
        name
    });
    let name = format!("{template}_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let create = format!("CREATE DATABASE \"{name}\" TEMPLATE \"{template}\"");
    aside(server, move |client| client.batch_execute(&create).expect("created"));
    format!("{host}/{name}")
}

/// The driver blocks, so it must not run on an async thread.
fn aside<T: Send + 'static>(url: &str, run: impl FnOnce(&mut Client) -> T + Send + 'static) -> T {
    let url = url.to_owned();
    let work = move || run(&mut Client::connect(&url, NoTls).expect("connects"));
    std::thread::spawn(work).join().expect("no panic")
}
