use std::path::PathBuf;

use clap::{Args, Subcommand};
use shop_core::Shop;
use shop_core::account::SetActive;
use shop_core::actor::Actor;
use shop_core::id::AccountId;
use shop_core::page::Page;
use shop_core::value::{Email, OptionalText};
use shop_core::views::Customer;
use shop_core::views::{CustomerFilter, CustomerSummary};

use crate::arguments::{Paging, tell_rest};
use crate::destination::write_file;
use crate::failure::Failure;
use crate::output::{Format, Table};

/// Customers.
#[derive(Debug, Subcommand)]
pub(crate) enum CustomerCommand {
    /// Lists customers, latest first
    List(List),
    /// Shows a customer; `--format json` shows addresses and orders too
    Show {
        /// The person's e-mail, or the account's id
        customer: String,
    },
    /// Writes all that the shop keeps about a person as JSON (LGPD); the audit log keeps that
    Export {
        /// The person's e-mail, or the account's id
        customer: String,
        /// Where to; `-` is stdout
        #[arg(long, value_name = "FILE", default_value = "-")]
        output: PathBuf,
    },
    /// Suspends a customer: all sessions end, and the account cannot log in
    Suspend {
        /// The person's e-mail, or the account's id
        customer: String,
    },
    /// Lets a suspended customer in again
    Activate {
        /// The person's e-mail, or the account's id
        customer: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Words of name or e-mail by their beginnings, or the beginning of an e-mail
    #[arg(long, value_name = "WORDS")]
    search: Option<OptionalText<120>>,
    /// Only active accounts (true), or only suspended ones (false)
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
    /// Only guests (true), or only accounts with a password (false)
    #[arg(long, value_name = "BOOL")]
    guest: Option<bool>,
    #[command(flatten)]
    paging: Paging,
}

impl CustomerCommand {
    pub(crate) async fn run(self, shop: &Shop, format: Format) -> Result<(), Failure> {
        let (customers, by) = (shop.customers(), Actor::System);
        let customer = match self {
            Self::List(List { search, active, guest, paging }) => {
                let Paging { page, limit } = paging;
                let filter = CustomerFilter { page, limit, search, active, guest };
                let found = customers.list(filter).await?;
                format.write(&found, || list(&found))?;
                tell_rest(found.pagination, format);
                return Ok(());
            }
            Self::Export { customer, output } => {
                let id = id_of(shop, customer).await?;
                let all = customers.export_person(&by, &id).await?;
                let mut json = serde_json::to_vec_pretty(&all).map_err(std::io::Error::from)?;
                json.push(b'\n');
                return write_file(shop, &output, &json);
            }
            Self::Show { customer } => {
                let id = id_of(shop, customer).await?;
                customers.get(&id).await?
            }
            Self::Suspend { customer } => {
                let id = id_of(shop, customer).await?;
                customers.set_active(&by, &id, SetActive { active: false }, None).await?
            }
            Self::Activate { customer } => {
                let id = id_of(shop, customer).await?;
                customers.set_active(&by, &id, SetActive { active: true }, None).await?
            }
        };
        format.write(&customer, || show(&customer))
    }
}

/// By the e-mail where it is one: that of an account that logs in. A guest is named by the id.
async fn id_of(shop: &Shop, customer: String) -> Result<AccountId, Failure> {
    match customer.parse::<Email>() {
        Ok(email) => Ok(shop.accounts().get_by_email(&email).await?.id),
        Err(_) => Ok(customer.into()),
    }
}

fn state(active: bool, guest: bool) -> String {
    let state = if active { "active" } else { "suspended" };
    if guest { format!("{state}, guest") } else { state.to_owned() }
}

fn list(found: &Page<CustomerSummary>) -> Table<6> {
    let row = |customer: &CustomerSummary| {
        [
            customer.id.to_string(),
            customer.name.clone(),
            customer.email.to_string(),
            customer.created_at.to_string(),
            customer.count.orders.to_string(),
            state(customer.is_active, customer.guest),
        ]
    };
    Table {
        head: ["ID", "NAME", "EMAIL", "SINCE", "ORDERS", "STATE"],
        rows: found.data.iter().map(row).collect(),
    }
}

fn show(customer: &Customer) -> Table<6> {
    let Customer { account, count, total_spent, .. } = customer;
    Table {
        head: ["ID", "NAME", "EMAIL", "ORDERS", "SPENT", "STATE"],
        rows: vec![[
            account.id.to_string(),
            account.name.clone(),
            account.email.to_string(),
            count.orders.to_string(),
            total_spent.to_string(),
            state(account.is_active, account.guest),
        ]],
    }
}
