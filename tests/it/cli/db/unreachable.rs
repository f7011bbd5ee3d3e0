//! Databases that cannot be opened: what is told, and how the command ends.

use super::Cli;
use crate::database;
use crate::own_postgres::OwnPostgres;

/// What each command says of a database; none succeeds.
fn refused(cli: &Cli, url: &str) -> Vec<String> {
    let commands: [&[&str]; 6] = [
        &["db", "check", "--database", url],
        &["db", "stats", "--database", url],
        &["db", "migrate", "--database", url],
        &["db", "migrate", "--dry-run", "--database", url],
        &["db", "copy", url, "new.db"],
        &["db", "copy", "shop.db", url],
    ];
    let told = commands.map(|command| {
        let ended = cli.run_bare(command, &[], "");
        assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{command:?}: {ended:?}");
        assert!(!ended.stderr.contains("internal error"), "{command:?}: {ended:?}");
        assert!(!ended.stderr.contains("setting database"), "{command:?}: {ended:?}");
        ended.stderr
    });
    told.into()
}

#[test]
fn a_server_that_does_not_answer_is_told_as_what_it_is() {
    let cli = Cli::with_shop_on_file();
    for told in refused(&cli, "postgres://loja:hush@127.0.0.1:1/loja") {
        assert!(told.contains("no PostgreSQL server answers at 127.0.0.1:1"), "{told}");
        assert!(!told.contains("hush"), "{told}");
    }
}

#[test]
fn a_database_that_cannot_be_opened_is_told_with_what_to_do() {
    let Some(server) = OwnPostgres::start() else {
        return database::say(
            "left out: databases that cannot be opened; no PostgreSQL is installed",
        );
    };
    let cli = Cli::with_shop_on_file();
    for told in refused(&cli, &server.url("nowhere")) {
        assert!(told.contains("CREATE DATABASE"), "{told}");
    }
    for told in refused(&cli, &server.url("postgres").replace("shop@", "stranger@")) {
        assert!(told.contains("does not let stranger in"), "{told}");
    }
    server.sql("postgres", "CREATE DATABASE newer");
    let encoding = "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'";
    server.sql("postgres", encoding);
    let newer = server.url("newer");
    assert_eq!(cli.run_bare(&["db", "migrate", "--database", &newer], &[], "").code, Some(0));
    server.sql("newer", "INSERT INTO schema_migration (version, name) VALUES (9999, 'future')");
    let migrated = cli.run_bare(&["db", "migrate", "--database", &newer], &[], "");
    assert_eq!(migrated.code, Some(1), "{migrated:?}");
    assert!(migrated.stderr.contains("written by a newer version"), "{migrated:?}");
    let latin = server.url("latin");
    let migrated = cli.run_bare(&["db", "migrate", "--database", &latin], &[], "");
    assert_eq!(migrated.code, Some(1), "{migrated:?}");
    assert!(migrated.stderr.contains("ENCODING 'UTF8'"), "{migrated:?}");
}
