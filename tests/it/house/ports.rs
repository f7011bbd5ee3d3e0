//! A port behind a pointer is the same port: none of its methods falls back to its default there.

use std::collections::BTreeMap;
use std::path::Path;

use super::sources::{read, sources};

#[test]
fn every_method_of_a_port_is_that_of_what_a_pointer_points_to() {
    let pointers = read(Path::new("shop/pointers.rs"));
    let traits: BTreeMap<String, Vec<String>> =
        sources().iter().flat_map(|file| ports(&read(file))).collect();
    for part in pointers.split("\nbehind_pointers! { ").skip(1) {
        let (port, rest) = part.split_once(" {").expect("a port");
        let forwarded = methods(rest.split_once("\n} }").expect("an end").0);
        assert_eq!(forwarded, traits[port], "{port}");
    }
}

/// What bounds the calls of a port bounds each of them.
#[test]
fn every_method_of_a_port_is_bounded_where_any_is() {
    for file in ["payment/in_time.rs", "nfe/in_time.rs"] {
        let traits: BTreeMap<String, Vec<String>> =
            sources().iter().flat_map(|file| ports(&read(file))).collect();
        let source = read(Path::new(file));
        let mut bounded = 0;
        for part in source.split("\nimpl").skip(1) {
            let Some((head, body)) = part.split_once(" {\n") else { continue };
            let Some((port, _)) = head.split_once(" for ") else { continue };
            let port = port.rsplit(' ').next().expect("a name");
            assert_eq!(methods(body.split("\n}").next().expect("an end")), traits[port], "{file}");
            bounded += 1;
        }
        assert!(bounded > 0, "{file}");
    }
}

/// The public traits of a source, with their methods.
fn ports(source: &str) -> Vec<(String, Vec<String>)> {
    let traits = source.split("\npub trait ").skip(1);
    let named = traits.filter_map(|rest| {
        let (head, body) = rest.split_once(" {")?;
        let name = head.split([':', '<']).next()?;
        Some((name.to_owned(), methods(body.split("\n}").next()?)))
    });
    named.collect()
}

/// The names of the functions that stand one step in.
fn methods(body: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.strip_prefix("    fn ")?;
        Some(rest.split(['(', '<']).next()?.to_owned())
    };
    body.lines().filter_map(name).collect()
}
