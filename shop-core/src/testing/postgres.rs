//! A database of its own for a test, on a PostgreSQL server.

use tokio::runtime::Builder;
use tokio_postgres::NoTls;

use crate::error::{Error, Result};

/// A database that lasts as long as this value.
#[derive(Debug)]
pub(super) struct OwnDatabase {
    server: String,
    name: String,
}

impl OwnDatabase {
    pub(super) fn create(server: &str) -> Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(Error::from_source)?;
        let name = format!("shop_test_{}", hex::encode(random));
        run(server, format!("CREATE DATABASE {name}"))?;
        Ok(Self { server: server.to_owned(), name })
    }

    /// The server's URL with this database in the place of the one that it names.
    pub(super) fn url(&self) -> String {
        let (base, query) = self.server.split_once('?').unwrap_or((&self.server, ""));
        let host = base.find("://").map_or(0, |at| at + 3);
        let end = base[host..].find('/').map_or(base.len(), |at| host + at);
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        format!("{}/{}{query}", &base[..end], self.name)
    }
}

impl Drop for OwnDatabase {
    fn drop(&mut self) {
        let dropped = run(&self.server, format!("DROP DATABASE {} WITH (FORCE)", self.name));
        if let Err(error) = dropped {
            tracing::warn!(?error, database = self.name, "a test's database stays");
        }
    }
}

/// On a thread of its own, because a test runs in a runtime that must not be blocked.
fn run(server: &str, sql: String) -> Result<()> {
    let server = server.to_owned();
    let run = std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.map_err(Error::from_source)?.block_on(async {
            let connected = tokio_postgres::connect(&server, NoTls).await;
            let (client, connection) = connected.map_err(Error::from_source)?;
            let connection = tokio::spawn(connection);
            let ran = client.batch_execute(&sql).await.map_err(Error::from_source);
            // PostgreSQL is told that this is the end.
            drop(client);
            drop(connection.await);
            ran
        })
    });
    run.join().map_err(|_| Error::internal("the thread of a test's database panicked"))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_takes_the_place_of_the_one_that_the_url_names() {
        for (server, expected) in [
            ("postgres://u@h:1/postgres", "postgres://u@h:1/own"),
            ("postgres://u@h", "postgres://u@h/own"),
            ("postgres://u:p@h/a?sslmode=disable", "postgres://u:p@h/own?sslmode=disable"),
        ] {
            // Not dropped: there is no such server.
            let own = OwnDatabase { server: server.to_owned(), name: "own".to_owned() };
            let own = std::mem::ManuallyDrop::new(own);
            assert_eq!(own.url(), expected);
        }
    }
}
