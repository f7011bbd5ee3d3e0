//! Each table is written by one file and read by the module of that file. Joins across modules
//! stand in `views`.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{module_of, read, root, sources, without_comments};

/// Modules that may read any table: pages that join across aggregates, and the checks and copies of
/// a whole database.
const READERS_OF_ALL: &[&str] = &["views", "maintenance"];

/// Tables that only triggers of the schema write, and the module that reads them.
const WRITTEN_BY_TRIGGERS: &[(&str, &str)] = &[
    ("customer_entry", "account"),
    ("customer_tally", "account"),
    ("customer_search", "account"),
    ("product_search", "catalog"),
    ("product_name_search", "catalog"),
    ("product_any_name_search", "catalog"),
];

/// Why the catalogue reads the stock of its own items.
const SHOWN_WITH_UNITS: &str =
    "products are shown, filtered and sorted with their units, in one statement";

/// Why an order reads its returns.
const UNSENT: &str = "returns stand above orders, and what is told of a delivery is what was sent";

/// Why a return reads what invoices say of it.
const NAMES_ITS_INVOICES: &str =
    "invoices stand above returns, and every answer with a return names its invoices";

/// Two years of orders in one go, for measurements: no store has a use for rows without their
/// events.
const BULK: &str = "bulk rows of the demonstration, without events, mails and notifications";

/// Files that write a table of another file, each with its reason.
const OTHER_WRITERS: &[(&str, &str, &str)] = &[
    ("demo/ledger.rs", "order_day", BULK),
    ("demo/ledger.rs", "order_history", BULK),
    ("demo/ledger.rs", "order_item", BULK),
    ("demo/ledger.rs", "orders", BULK),
    ("demo/ledger.rs", "payment", BULK),
    ("demo/ledger.rs", "refund", BULK),
];

/// Files that read a table of another module, each with its reason.
const JOINS: &[(&str, &str, &str)] = &[
    ("catalog/feed.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/file/entry.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/in_stock.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/listing/admin_list.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/listing/index_cache.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/listing/list.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/listing/records.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/product/load.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/sellable.rs", "stock", SHOWN_WITH_UNITS),
    ("catalog/variant/store.rs", "stock", SHOWN_WITH_UNITS),
    (
        "order/store/lookup.rs",
        "payment",
        "unpaid orders are found by their payments, in one statement",
    ),
    ("order/store/lookup.rs", "order_return", UNSENT),
    ("order/store/lookup.rs", "order_return_item", UNSENT),
    ("order_return/invoices.rs", "nfe", NAMES_ITS_INVOICES),
    ("order_return/invoices.rs", "nfe_return", NAMES_ITS_INVOICES),
    ("order_return/invoices.rs", "nfe_return_item", NAMES_ITS_INVOICES),
    ("webhook/queue.rs", "event", "one statement queues events for all endpoints that subscribed"),
];

#[test]
fn each_table_is_written_by_one_file() {
    let excepted = pairs(OTHER_WRITERS);
    let mut writers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut needed = BTreeSet::new();
    for (file, access) in statements() {
        for table in access.writes {
            let pair = (file.clone(), table.clone());
            if excepted.contains(&pair) {
                needed.insert(pair);
            } else {
                writers.entry(table).or_default().insert(file.clone());
            }
        }
    }
    writers.retain(|_, files| files.len() > 1);
    assert!(writers.is_empty(), "these tables are written by more than one file: {writers:#?}");
    let idle: Vec<_> = excepted.difference(&needed).collect();
    assert!(idle.is_empty(), "exceptions that are no longer needed: {idle:#?}");
}

#[test]
fn a_table_is_read_in_the_module_that_writes_it() {
    let owners = owners();
    let excepted = pairs(JOINS);
    let mut foreign = BTreeSet::new();
    for (file, access) in statements() {
        let module = module_of(file.as_ref());
        for table in access.reads {
            let at_home = owners.get(&table).is_some_and(|owner| *owner == module);
            if !at_home && !READERS_OF_ALL.contains(&module.as_str()) {
                foreign.insert((file.clone(), table));
            }
        }
    }
    let new: Vec<_> = foreign.difference(&excepted).collect();
    assert!(new.is_empty(), "these files read a table of another module: {new:#?}");
    let idle: Vec<_> = excepted.difference(&foreign).collect();
    assert!(idle.is_empty(), "exceptions that are no longer needed: {idle:#?}");
}

#[test]
fn tables_are_found_in_statements_of_any_form() {
    let tables = BTreeSet::from(["orders", "stock", "event"].map(str::to_owned));
    let code = "// FROM event\nlet a = \"INSERT OR IGNORE INTO orders (id) SELECT s.id \\\n    FROM\n \
                stock s\"; let b = \"UPDATE stock SET quantity = 1\"; let orders = read();";
    let access = Access::of(code, &tables);
    assert_eq!(access.writes, BTreeSet::from(["orders", "stock"].map(str::to_owned)));
    assert_eq!(access.reads, BTreeSet::from(["stock".to_owned()]));
}

/// The tables that the statements of a file write and read.
#[derive(Default)]
struct Access {
    writes: BTreeSet<String>,
    reads: BTreeSet<String>,
}

impl Access {
    /// Reads the words before each table's name; a name without a verb of SQL before it is no
    /// access.
    fn of(text: &str, tables: &BTreeSet<String>) -> Self {
        let code = without_comments(text);
        let words: Vec<&str> = code
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .collect();
        let mut access = Self::default();
        for pair in words.windows(2).filter(|pair| tables.contains(pair[1])) {
            match pair[0] {
                "INTO" | "UPDATE" => access.writes.insert(pair[1].to_owned()),
                "FROM" | "JOIN" => access.reads.insert(pair[1].to_owned()),
                _ => continue,
            };
        }
        for three in words.windows(3).filter(|three| three[..2] == ["DELETE", "FROM"]) {
            if tables.contains(three[2]) {
                access.writes.insert(three[2].to_owned());
            }
        }
        access
    }
}

/// What each source file of shop-core does to the tables. Copies and checks of a whole database are
/// left out as writers.
fn statements() -> Vec<(String, Access)> {
    let tables = tables();
    let mut all = Vec::new();
    for file in sources() {
        let mut access = Access::of(&read(&file), &tables);
        if module_of(&file) == "maintenance" {
            access.writes.clear();
        }
        all.push((file.display().to_string(), access));
    }
    all
}

/// The module that writes each table.
fn owners() -> BTreeMap<String, String> {
    let excepted = pairs(OTHER_WRITERS);
    let mut owners: BTreeMap<String, String> = WRITTEN_BY_TRIGGERS
        .iter()
        .map(|(table, module)| ((*table).to_owned(), (*module).to_owned()))
        .collect();
    for (file, access) in statements() {
        for table in access.writes {
            if !excepted.contains(&(file.clone(), table.clone())) {
                owners.insert(table, module_of(file.as_ref()));
            }
        }
    }
    owners
}

fn pairs(list: &[(&str, &str, &str)]) -> BTreeSet<(String, String)> {
    list.iter().map(|(file, table, _)| ((*file).to_owned(), (*table).to_owned())).collect()
}

/// The tables that the migrations make.
fn tables() -> BTreeSet<String> {
    let folder = root().join("../migrations");
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the migrations") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a migration");
        for made in text.split("TABLE ").skip(1) {
            let name: String =
                made.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.insert(name);
        }
    }
    names
}
