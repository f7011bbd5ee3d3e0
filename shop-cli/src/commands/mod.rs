//! What can be done, a file for each topic.

mod admin;
mod api_key;
mod coupon;
mod customer;
mod demo;
mod export;
mod import;
mod manual;
mod nfe;
mod order;
mod payments;
mod product;
mod sandbox;
mod webhook;

use clap::Subcommand;
use shop_core::Shop;

use crate::failure::Failure;
use crate::invocation::Invocation;

/// The topics.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The accounts that run the shop
    #[command(subcommand)]
    Admin(admin::Admin),
    /// What programs call the shop with
    #[command(name = "api-key", subcommand)]
    ApiKeys(api_key::ApiKeys),
    /// Discounts for who knows a code
    #[command(subcommand)]
    Coupon(coupon::CouponCommand),
    /// Who buys
    #[command(subcommand)]
    Customer(customer::CustomerCommand),
    /// A shop to look at
    #[command(subcommand)]
    Demo(demo::Demo),
    /// Files for spreadsheet programs
    #[command(subcommand)]
    Export(export::Export),
    /// Files into the shop
    #[command(subcommand)]
    Import(import::Imports),
    /// Electronic invoices (NF-e)
    #[command(subcommand)]
    Nfe(nfe::Nfe),
    /// What was ordered
    #[command(subcommand)]
    Order(order::OrderCommand),
    /// What the payment providers know
    #[command(subcommand)]
    Payments(payments::Payments),
    /// What is sold
    #[command(subcommand)]
    Product(product::ProductCommand),
    /// Plays the payer where the built-in sandbox is the payment provider
    #[command(subcommand)]
    Sandbox(sandbox::Sandbox),
    /// Receivers of what happens in the shop
    #[command(subcommand)]
    Webhook(webhook::Webhook),
    /// Prints a script by which a shell completes commands
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: manual::Shell,
    },
    /// Prints the manual's page of a command, or writes all pages
    Man(manual::Manual),
}

impl Command {
    pub(crate) async fn run(self, invocation: &Invocation) -> Result<(), Failure> {
        match self {
            Self::Completions { shell } => manual::completions(shell),
            Self::Man(page) => manual::manual(&page),
            of_a_shop => of_a_shop.run_on(&invocation.shop().await?, invocation).await,
        }
    }

    async fn run_on(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let format = invocation.format;
        match self {
            Self::Admin(admin) => admin.run(shop, format).await,
            Self::ApiKeys(keys) => keys.run(shop, invocation).await,
            Self::Coupon(coupon) => coupon.run(shop, invocation).await,
            Self::Customer(customer) => customer.run(shop, format).await,
            Self::Demo(demo) => demo.run(shop, format).await,
            Self::Export(export) => export.run(shop).await,
            Self::Import(import::Imports::Products(file)) => import::run(shop, file, format).await,
            Self::Nfe(nfe) => nfe.run(shop, invocation).await,
            Self::Order(order) => order.run(shop, invocation).await,
            Self::Payments(payments) => payments.run(shop, format).await,
            Self::Product(product) => product.run(shop, format).await,
            Self::Sandbox(sandbox) => sandbox.run(shop, format).await,
            Self::Webhook(webhook) => webhook.run(shop, format).await,
            Self::Completions { .. } | Self::Man(_) => Ok(()),
        }
    }
}
