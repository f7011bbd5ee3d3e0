//! The shop's command line, for whoever has the machine it runs on.
//!
//! It opens the same database as the server, which may run at the same time, and calls the same
//! library: no rule of the shop stands here. Tables are for people, `--format json` is for scripts.
//! It exits with 0 when the thing is done, 1 when the shop refused it or failed, 2 when the command
//! itself was wrong.

mod commands;
mod failure;
mod output;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use shop_core::{Config, Shop};

use crate::commands::Command;
use crate::failure::Failure;
use crate::output::Format;

/// Runs a shop from the command line.
#[derive(Debug, Parser)]
#[command(name = "shop-cli", version, max_term_width = 100)]
struct Arguments {
    /// Settings in TOML; `SHOP_..` variables override them (`SHOP_CONFIG` names the file too)
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The database, instead of the configured one
    #[arg(long, value_name = "PATH", global = true)]
    database: Option<String>,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Table, global = true)]
    format: Format,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    let Arguments { config, database, format, command } = arguments;
    let mut config = read_config(config)?;
    if let Some(database) = database {
        config.database = database;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let shop = Shop::open(config).await?;
        command.run(&shop, format).await
    })
}

/// The same settings as the server's: a file, with the environment over it.
fn read_config(file: Option<PathBuf>) -> Result<Config, Failure> {
    let toml = match file.or_else(|| std::env::var_os("SHOP_CONFIG").map(PathBuf::from)) {
        Some(file) => std::fs::read_to_string(&file)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?,
        None => String::new(),
    };
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let config =
        Config::parse(&toml, environment).map_err(|error| Failure::new(error.to_string()))?;
    for name in &config.unknown_overrides {
        eprintln!("warning: {name}: there is no such setting");
    }
    Ok(config)
}
