use std::collections::HashSet;

use super::*;
use crate::openapi::{Operation, Schemas, document};
use crate::route::{Call, Route, admin};

fn rows() -> Vec<Route> {
    groups().into_iter().flat_map(|group| group.routes).collect()
}

fn names_in_braces(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
}

#[test]
fn operations_have_names_of_their_own_and_a_description() {
    let mut names = HashSet::new();
    for row in rows() {
        assert!(names.insert(row.operation), "{} twice", row.operation);
        assert!(!row.about.is_empty(), "{} says nothing", row.operation);
    }
}

#[test]
fn the_parameters_of_a_path_are_those_that_its_handler_reads() {
    for row in rows() {
        let mut operation = Operation::default();
        (row.describe)(&mut operation, &mut Schemas::default());
        let read = operation.parameter_names("path");
        let mut named = names_in_braces(row.path);
        named.sort_unstable();
        assert_eq!(read, named, "{}", row.operation);
    }
}

#[test]
fn only_public_reads_are_cached_or_tagged() {
    use crate::caller::Access;
    for row in rows().into_iter().filter(|row| row.cached || row.tagged) {
        assert!(matches!(row.access, Access::Public | Access::PublicOrKey(_)), "{}", row.path);
        assert_eq!(row.method, hyper::Method::GET, "{}", row.path);
    }
}

#[test]
fn a_row_has_the_access_of_its_handlers_caller() {
    async fn handler(_: Call<crate::caller::Admin>) -> shop_core::Result<crate::output::File> {
        Err(shop_core::Error::Forbidden)
    }
    let row = admin(hyper::Method::GET, "/api/admin/x", "x", handler);
    assert_eq!(row.access, crate::caller::Access::Admin);
}

#[test]
fn the_checked_in_openapi_document_is_the_tables() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let document = document(&groups()).expect("a document");
    let now = serde_json::to_vec_pretty(&document).expect("JSON");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(file, &now).expect("written");
    }
    let kept = std::fs::read(file).unwrap_or_default();
    assert!(
        kept == now,
        "openapi.json is not what the table says. If the change is meant:\n\
         UPDATE_SNAPSHOTS=1 cargo test -p shop-server openapi"
    );
}
