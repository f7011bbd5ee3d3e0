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
use clap::error::ErrorKind;

use crate::commands::Command;
use crate::failure::{Exit, Failure};
use crate::invocation::Invocation;
use crate::output::Format;

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
    let Arguments { invocation, command } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return misused(&error),
    };
    match run(command, &invocation) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            invocation.format.write_failure(&failure);
            failure.exit().into()
        }
    }
}

/// Help, and wrong usage as clap tells it; as JSON where that was asked for.
fn misused(error: &clap::Error) -> ExitCode {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() || !Format::asks_for_json(std::env::args_os().skip(1)) {
        error.exit();
    }
    let failure = Failure::of(Exit::Usage, output::usage(&error.render().to_string()));
    Format::Json.write_failure(&failure);
    failure.exit().into()
}

fn run(command: Command, invocation: &Invocation) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(command.run(invocation))
}
