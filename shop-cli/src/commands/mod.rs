//! What can be done, a file for each topic.

mod admin;
mod api_key;
mod config;
mod coupon;
mod customer;
mod db;
#[cfg(feature = "demo")]
mod demo;
mod export;
mod fiscal;
mod import;
mod import_pictures;
mod manual;
mod nfe;
mod nfe_check;
mod order;
mod payments;
mod product;
mod returns;
mod sandbox;
mod shipment;
mod shipment_connection;
mod shipping;
mod units;
mod webhook;

use clap::Subcommand;

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
    /// The settings that a shop is opened with
    #[command(subcommand)]
    Config(config::Config),
    /// Discounts by a code
    #[command(subcommand)]
    Coupon(coupon::CouponCommand),
    /// Customers
    #[command(subcommand)]
    Customer(customer::CustomerCommand),
    /// The shop's data as a whole: copies, checks, schema, sizes
    #[command(subcommand)]
    Db(db::Db),
    /// A shop to look at
    #[command(subcommand)]
    #[cfg(feature = "demo")]
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
    /// Goods that come back
    #[command(subcommand)]
    Return(returns::ReturnCommand),
    /// Parcels and the labels that are bought for them
    #[command(subcommand)]
    Shipment(shipment::ShipmentCommand),
    /// What orders are sent in
    #[command(subcommand)]
    Shipping(shipping::ShippingCommand),
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
    /// Whether a shop's first command may be this one.
    fn may_begin_a_shop(&self) -> bool {
        match self {
            Self::Admin(admin::Admin::Create(_))
            | Self::Import(_)
            | Self::Product(product::ProductCommand::Import(_)) => true,
            #[cfg(feature = "demo")]
            Self::Demo(_) => true,
            _ => false,
        }
    }

    pub(crate) async fn run(self, invocation: &Invocation) -> Result<(), Failure> {
        let may_be_new = self.may_begin_a_shop();
        let (shop, format) = (|| invocation.shop(may_be_new), invocation.format);
        match self {
            Self::Admin(admin) => admin.run(&shop().await?, format).await,
            Self::ApiKeys(keys) => keys.run(&shop().await?, invocation).await,
            Self::Completions { shell } => manual::completions(shell),
            Self::Config(config) => config.run(invocation),
            Self::Coupon(coupon) => coupon.run(&shop().await?, invocation).await,
            Self::Customer(customer) => customer.run(&shop().await?, format).await,
            Self::Db(db) => db.run(invocation).await,
            #[cfg(feature = "demo")]
            Self::Demo(demo) => demo.run(&shop().await?, format).await,
            Self::Export(export) => export.run(&shop().await?).await,
            Self::Import(import::Imports::Products(file)) => {
                import::run(&shop().await?, file, format).await
            }
            Self::Man(page) => manual::manual(&page),
            Self::Nfe(nfe) => nfe.run(&shop().await?, invocation).await,
            Self::Order(order) => order.run(&shop().await?, invocation).await,
            Self::Payments(payments) => payments.run(&shop().await?, format).await,
            Self::Product(product) => product.run(&shop().await?, format).await,
            Self::Return(command) => command.run(&shop().await?, invocation).await,
            Self::Sandbox(sandbox) => sandbox.run(&shop().await?, format).await,
            Self::Shipment(command) => command.run(&shop().await?, invocation).await,
            Self::Shipping(shipping) => shipping.run(&shop().await?, invocation).await,
            Self::Webhook(webhook) => webhook.run(&shop().await?, format).await,
        }
    }
}
