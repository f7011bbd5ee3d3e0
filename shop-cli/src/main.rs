//! The shop's command line, for the operator of the server.
//!
//! It opens the same database as the server, which may run at the same time, and calls the same
//! library: no rule of the shop stands here. Results are on stdout, as tables for people and as
//! JSON or CSV for scripts; everything else is on stderr. docs/cli.md describes every command, and
//! [`failure::Exit`] is how they end.

mod arguments;
mod commands;
mod destination;
mod failure;
mod invocation;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;
use crate::failure::Failure;
use crate::invocation::Invocation;

/// Runs a shop from the command line.
#[derive(Debug, Parser)]
#[command(name = "shop-cli", version, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    invocation: Invocation,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let Arguments { invocation, command } = Arguments::parse();
    match run(command, &invocation) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            invocation.format.write_failure(&failure);
            failure.exit().into()
        }
    }
}

fn run(command: Command, invocation: &Invocation) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(command.run(invocation))
}
