//! A database of its own for a test, on a PostgreSQL server.

use postgres::{Client, NoTls};

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

/// On a thread of its own, because the client brings a runtime, and a test runs in one.
fn run(server: &str, sql: String) -> Result<()> {
    let server = server.to_owned();
    let run = std::thread::spawn(move || {
        Client::connect(&server, NoTls).and_then(|mut client| client.batch_execute(&sql))
    });
    let ran =
        run.join().map_err(|_| Error::internal("the thread of a test's database panicked"))?;
    ran.map_err(Error::from_source)
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
