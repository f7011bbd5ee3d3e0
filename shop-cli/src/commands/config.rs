use clap::Subcommand;
use shop_core::config::{ProgramConfig, Severity};
use shop_server::config::ServerConfig;

use crate::failure::Failure;
use crate::invocation::{Invocation, wrong_settings};
use crate::output::Table;

/// The settings that a shop is opened with.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Tells all that is wrong: keys, values, folders, weak secrets, what a real shop is missing
    Check,
    /// Every setting in effect and where it is set; secrets are not shown
    Show,
}

impl Config {
    pub(crate) fn run(&self, invocation: &Invocation) -> Result<(), Failure> {
        match self {
            Self::Check => check(invocation),
            Self::Show => show(invocation),
        }
    }
}

fn check(invocation: &Invocation) -> Result<(), Failure> {
    let found = ServerConfig::findings(&invocation.sources()?);
    invocation.format.write(&found, || Table {
        head: ["SEVERITY", "WHERE", "KEY", "VALUE", "WHAT"],
        rows: found
            .iter()
            .map(|it| {
                let (place, value) = (it.source.clone(), it.value.clone());
                [
                    it.severity.as_str().to_owned(),
                    place.unwrap_or_default(),
                    it.key.clone(),
                    value.unwrap_or_default(),
                    it.what.clone(),
                ]
            })
            .collect(),
    })?;
    match found.iter().filter(|it| it.severity == Severity::Error).count() {
        0 => Ok(()),
        wrong => Err(Failure::new(format!("{wrong} settings are wrong"))),
    }
}

fn show(invocation: &Invocation) -> Result<(), Failure> {
    let settings = ServerConfig::settings(&invocation.sources()?)
        .map_err(|error| Failure::new(format!("{}; see config check", wrong_settings(&error))))?;
    invocation.format.write(&settings, || Table {
        head: ["KEY", "VALUE", "SOURCE"],
        rows: settings
            .iter()
            .map(|it| {
                let value = it.value.clone().unwrap_or_else(|| "-".to_owned());
                [it.key.to_owned(), value, it.source.as_str().to_owned()]
            })
            .collect(),
    })
}
