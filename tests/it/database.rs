//! Where a test's shop keeps its data: a file of its own, or a database of its own on the
//! PostgreSQL server that `SHOP_TEST_POSTGRES` names (a URL whose user may create databases).

use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use postgres::{Client, NoTls, SimpleQueryMessage};
use rusqlite::types::ValueRef;
use shop_core::storage::{Postgres, Sqlite};

/// A database that lasts as long as this value.
pub(crate) struct Database {
    /// Its path or its URL.
    name: String,
    is_server: bool,
    /// The connection to a file that tests look into it by, since each new one reads the whole
    /// schema.
    open: Mutex<Option<OpenFile>>,
}

/// A connection, and the number of the file that had the name when it was opened.
struct OpenFile {
    conn: rusqlite::Connection,
    inode: u64,
}

impl Database {
    /// A new one, with or without a schema, without any data.
    pub(crate) fn new(dir: &Path) -> Self {
        if let Some(server) = server() {
            return Self::of(on_server(server), true);
        }
        Self::migrated_file(dir)
    }

    /// A new one without a schema.
    pub(crate) fn empty(dir: &Path) -> Self {
        match server() {
            Some(server) => Self::of(create(server, ""), true),
            None => Self::file(dir),
        }
    }

    /// A file, whatever engine the other tests run on.
    pub(crate) fn file(dir: &Path) -> Self {
        Self::of(dir.join("shop.db").display().to_string(), false)
    }

    /// The same, with a schema and without any data.
    pub(crate) fn migrated_file(dir: &Path) -> Self {
        Self::copy(dir, migrated_once())
    }

    /// A copy of a file.
    pub(crate) fn copy(dir: &Path, bytes: &[u8]) -> Self {
        let copy = Self::file(dir);
        let mut options = std::fs::OpenOptions::new();
        // As the shop makes it: nobody else reads it.
        let made = options.write(true).create_new(true).mode(0o600).open(&copy.name);
        made.and_then(|mut file| file.write_all(bytes)).expect("a database");
        copy
    }

    /// One on another PostgreSQL, which ends by itself.
    pub(crate) fn elsewhere(url: &str) -> Self {
        Self::of(url.to_owned(), true)
    }

    fn of(name: String, is_server: bool) -> Self {
        Self { name, is_server, open: Mutex::default() }
    }

    /// Whether it is SQLite's.
    pub(crate) fn is_a_file(&self) -> bool {
        !self.is_server
    }

    /// What a configuration calls it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A number that a query gives, for what the API does not show.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        let rows = self.rows(sql);
        let number = rows.first().and_then(|row| row.first()?.as_deref()).expect("a number");
        number.parse().expect("a whole number")
    }

    /// What a query gives, as text.
    pub(crate) fn rows(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        if self.is_server {
            let sql = sql.to_owned();
            return aside(&self.name, move |client| rows_of_server(client, &sql));
        }
        self.ask_file(|conn| rows_of_file(conn, sql)).expect("rows")
    }

    /// Changes the data behind the shop's back.
    pub(crate) fn raw_sql(&self, sql: &str) {
        if self.is_server {
            let sql = sql.to_owned();
            return aside(&self.name, move |client| {
                client.batch_execute(&sql).expect("a statement");
            });
        }
        self.ask_file(|conn| conn.execute_batch(sql)).expect("a statement");
    }

    /// Every table with its columns. SQLite's full-text indexes are left out: they are no tables of
    /// texts.
    pub(crate) fn tables(&self) -> Vec<(String, Vec<String>)> {
        let sql = if self.is_server {
            "SELECT table_name, column_name FROM information_schema.columns
             WHERE table_schema = 'public' ORDER BY table_name"
        } else {
            "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
             WHERE t.type = 'table' AND t.name NOT LIKE '%search%' ORDER BY t.name"
        };
        let mut tables: Vec<(String, Vec<String>)> = Vec::new();
        for row in self.rows(sql) {
            let [Some(table), Some(column)] = &row[..] else { panic!("{row:?}") };
            match tables.last_mut() {
                Some((last, columns)) if last == table => columns.push(column.clone()),
                _ => tables.push((table.clone(), vec![column.clone()])),
            }
        }
        tables
    }

    /// All that is kept, whatever of it has a name: the file's bytes, or every row as text.
    pub(crate) fn everything(&self) -> Vec<u8> {
        if !self.is_server {
            self.raw_sql("PRAGMA wal_checkpoint(TRUNCATE)");
            return std::fs::read(&self.name).expect("the file");
        }
        let mut text = String::new();
        for (table, _) in self.tables() {
            let rows = self.rows(&format!("SELECT CAST(t AS TEXT) FROM \"{table}\" t"));
            text.extend(rows.into_iter().flatten().flatten());
        }
        text.into_bytes()
    }

    fn ask_file<T>(&self, ask: impl FnOnce(&rusqlite::Connection) -> T) -> T {
        let mut open = self.open.lock().expect("no test ended within a question");
        let inode = || std::fs::metadata(&self.name).map(|file| file.ino());
        // Another file may have its place by now.
        let known = open.take().filter(|known| inode().is_ok_and(|now| now == known.inode));
        let known = known.unwrap_or_else(|| {
            let conn = rusqlite::Connection::open(&self.name).expect("a file");
            conn.busy_timeout(Duration::from_secs(5)).expect("a timeout");
            OpenFile { conn, inode: inode().expect("a file") }
        });
        ask(&open.insert(known).conn)
    }
}

fn rows_of_file(
    conn: &rusqlite::Connection,
    sql: &str,
) -> rusqlite::Result<Vec<Vec<Option<String>>>> {
    let mut select = conn.prepare(sql)?;
    let columns = select.column_count();
    let text = |row: &rusqlite::Row<'_>, column| {
        Ok(match row.get_ref(column)? {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string()),
            other => Some(other.as_str().expect("a text").to_owned()),
        })
    };
    let rows =
        select.query_map([], |row| (0..columns).map(|column| text(row, column)).collect())?;
    rows.collect()
}

fn rows_of_server(client: &mut Client, sql: &str) -> Vec<Vec<Option<String>>> {
    let messages = client.simple_query(sql).expect("rows");
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.map(|row| (0..row.len()).map(|column| row.get(column).map(str::to_owned)).collect())
        .collect()
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some((server, (host, _))) = server().and_then(|it| Some((it, it.rsplit_once('/')?)))
        else {
            return;
        };
        if let Some(name) = self.name.strip_prefix(host).and_then(|rest| rest.strip_prefix('/')) {
            let sql = format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)");
            aside(server, move |client| client.batch_execute(&sql).expect("dropped"));
        }
    }
}

/// The URL of the PostgreSQL server, where there is one.
pub(crate) fn server() -> Option<&'static str> {
    static SERVER: OnceLock<Option<String>> = OnceLock::new();
    SERVER.get_or_init(|| std::env::var("SHOP_TEST_POSTGRES").ok()).as_deref()
}

/// Whether tests run on SQLite. Where they do not, says in the output, captured or not, that a test
/// is left out and why.
pub(crate) fn is_file(test: &str) -> bool {
    if server().is_some() {
        say(&format!("left out on PostgreSQL, because it is about SQLite's own file: {test}"));
    }
    server().is_none()
}

/// Writes past the test harness, which keeps to itself what a test that passes prints.
pub(crate) fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").expect("an open output");
}

/// A file that is migrated once: each migration waits for the disk, and there are as many shops as
/// tests.
fn migrated_once() -> &'static [u8] {
    static TEMPLATE: OnceLock<Vec<u8>> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let made = folder.path().join("shop.db");
        drop(Sqlite::open(&made).expect("migrated"));
        let conn = rusqlite::Connection::open(&made).expect("the file");
        conn.busy_timeout(Duration::from_secs(5)).expect("a timeout");
        let pulled = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        assert_eq!(pulled, Ok(0), "the log is still in use");
        std::fs::read(&made).expect("the file")
    })
}

/// A copy of a template that is migrated once.
fn on_server(server: &'static str) -> String {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    let template = TEMPLATE.get_or_init(|| {
        let url = create(server, "");
        let migrated = url.clone();
        std::thread::spawn(move || drop(Postgres::open(&migrated).expect("migrated")))
            .join()
            .expect("done");
        url.rsplit('/').next().expect("a name").to_owned()
    });
    create(server, &format!("TEMPLATE \"{template}\""))
}

/// The URL of a new database.
fn create(server: &'static str, how: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let (host, _) = server.rsplit_once('/').expect("a database in the URL");
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("shop_test_{}_{number}", std::process::id());
    let create = format!("CREATE DATABASE \"{name}\" {how}");
    aside(server, move |client| client.batch_execute(&create).expect("created"));
    format!("{host}/{name}")
}

/// The driver blocks, so it must not run on an async thread.
fn aside<T: Send + 'static>(url: &str, run: impl FnOnce(&mut Client) -> T + Send + 'static) -> T {
    let url = url.to_owned();
    let work = move || run(&mut Client::connect(&url, NoTls).expect("connects"));
    std::thread::spawn(work).join().expect("no panic")
}
