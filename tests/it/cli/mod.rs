//! The real `shop-cli`, as a process.

mod admin;
mod api_key;
mod config;
mod connection;
mod coupon;
mod customer;
mod db;
mod demo;
mod export;
mod files;
mod import;
mod manual;
mod nfe;
mod order;
mod output;
mod payments;
mod product;
mod returns;
mod sandbox;
mod shipment;
mod shipping;
mod webhook;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use shop_core::order::Order;
use shop_core::{Config, Shop};
use tempfile::TempDir;

use crate::binary;
use crate::core::fixture::input;
use crate::database::Database;

/// A folder in which commands run, without the settings of the user that runs the tests.
struct Cli {
    data: Database,
    dir: TempDir,
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Cli {
    fn on(database: impl FnOnce(&Path) -> Database) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        Self { data: database(dir.path()), dir }
    }

    fn new() -> Self {
        Self::on(Database::empty)
    }

    /// With a shop in which nothing is yet.
    fn with_shop() -> Self {
        Self::on(Database::new)
    }

    /// On a file, whatever engine the other tests run on.
    fn on_file() -> Self {
        Self::on(Database::file)
    }

    /// The same with a shop in which nothing is yet.
    fn with_shop_on_file() -> Self {
        Self::on(Database::migrated_file)
    }

    /// With a copy of a shop's file.
    fn with_copy_of(file: &[u8]) -> Self {
        Self::on(|dir| Database::copy(dir, file))
    }

    /// The file.
    fn database(&self) -> PathBuf {
        self.data.name().into()
    }

    /// Runs a command on the folder's database.
    fn run(&self, arguments: &[&str], stdin: &str) -> Ended {
        self.run_bare(&[arguments, &["--database", self.data.name()]].concat(), &[], stdin)
    }

    /// What a command that goes well prints as JSON, without a word on stderr.
    fn json(&self, arguments: &[&str]) -> Value {
        let ended = self.run(&[arguments, &["--format", "json"]].concat(), "");
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
        serde_json::from_str(&ended.stdout).expect("JSON")
    }

    /// How a command fails: its exit code, and what it says after `error: `.
    fn failure(&self, arguments: &[&str]) -> (i32, String) {
        let ended = self.run(arguments, "");
        assert_eq!(ended.stdout, "", "{ended:?}");
        let text = ended.stderr.strip_prefix("error: ").unwrap_or_else(|| panic!("{ended:?}"));
        (ended.code.expect("a code"), text.trim_end().to_owned())
    }

    /// The binary in the folder, without the settings of the user that runs the tests.
    fn command(&self) -> Command {
        self.command_of(binary::path("shop-cli"))
    }

    /// The same of another program.
    fn command_of(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SHOP_") {
                command.env_remove(name);
            }
        }
        command.current_dir(self.dir.path());
        command
    }

    fn run_bare(&self, arguments: &[&str], environment: &[(&str, &str)], stdin: &str) -> Ended {
        let mut command = self.command();
        command.args(arguments).envs(environment.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("starts");
        // A command that fails before it reads has closed its end.
        drop(process.stdin.take().expect("a pipe").write_all(stdin.as_bytes()));
        process.wait_with_output().expect("ends").into()
    }

    /// The shop on the folder's database, by the library.
    async fn shop(&self) -> Shop {
        let database = self.data.name().to_owned();
        let builder = Shop::builder(Config { database, ..Config::default() }).weak_passwords();
        builder.open().await.expect("a shop")
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// An order of one candle, unpaid.
async fn order(shop: &Shop) -> Order {
    let product = json!({ "name": "Vela", "slug": "vela", "price": 49.9, "stock": 3 });
    let by = shop_core::actor::Actor::System;
    let product =
        shop.products().create(&by, input(product), None).await.expect("a product").product;
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "password": "segredo-123" });
    let ana = shop.accounts().register(input(ana)).await.expect("registered").account.id;
    let address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    });
    let address = shop.addresses().create(&ana, input(address)).await.expect("an address");
    let items = json!([{ "productId": product.id, "quantity": 1 }]);
    let order = input(json!({ "addressId": address.id, "cartItems": items }));
    shop.orders().place(&ana, order, None).await.expect("placed").order
}
