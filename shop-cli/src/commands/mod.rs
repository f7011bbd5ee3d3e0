//! What can be done, a file for each topic.

mod admin;
mod api_key;
mod config;
mod db;
mod demo;
mod export;
mod nfe;
mod payments;
mod sandbox;
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
    /// The shop's data as a whole: copies, checks, schema, sizes
    #[command(subcommand)]
    Db(db::Db),
    /// A shop to look at
    #[command(subcommand)]
    Demo(demo::Demo),
    /// Files for spreadsheet programs
    #[command(subcommand)]
    Export(export::Export),
    /// Electronic invoices (NF-e)
    #[command(subcommand)]
    Nfe(nfe::Nfe),
    /// What the payment providers know
    #[command(subcommand)]
    Payments(payments::Payments),
    /// Plays the payer where the built-in sandbox is the payment provider
    #[command(subcommand)]
    Sandbox(sandbox::Sandbox),
    /// Receivers of what happens in the shop
    #[command(subcommand)]
    Webhook(webhook::Webhook),
}

impl Command {
    pub(crate) async fn run(self, invocation: &Invocation) -> Result<(), Failure> {
        let format = invocation.format;
        match self {
            Self::Admin(admin) => admin.run(&invocation.shop().await?, format).await,
            Self::ApiKeys(keys) => keys.run(&invocation.shop().await?, invocation).await,
            Self::Config(config) => config.run(invocation),
            Self::Db(db) => db.run(invocation).await,
            Self::Demo(demo) => demo.run(&invocation.shop().await?, format).await,
            Self::Export(export) => export.run(&invocation.shop().await?).await,
            Self::Nfe(nfe) => nfe.run(&invocation.shop().await?, invocation).await,
            Self::Payments(payments) => payments.run(&invocation.shop().await?, format).await,
            Self::Sandbox(sandbox) => sandbox.run(&invocation.shop().await?, format).await,
            Self::Webhook(webhook) => webhook.run(&invocation.shop().await?, format).await,
        }
    }
}
