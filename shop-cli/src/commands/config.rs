use clap::Subcommand;
use shop_core::Config as Settings;
use shop_core::config::{SettingSource, Severity, without_password};

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::Table;

/// The settings that a shop is opened with.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Tells all that is wrong: keys, values, folders, weak secrets, what a real shop is missing
    Check,
    /// Every setting in effect and who set it; secrets are not shown
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
    let (toml, overrides) = invocation.sources()?;
    let overrides = overrides.into_iter().chain(invocation.argument());
    let found = Settings::findings(&toml, overrides);
    invocation.format.write(&found, || Table {
        head: ["SEVERITY", "KEY", "WHAT"],
        rows: found
            .iter()
            .map(|it| [it.severity.as_str().to_owned(), it.key.clone(), it.what.clone()])
            .collect(),
    })?;
    match found.iter().filter(|it| it.severity == Severity::Error).count() {
        0 => Ok(()),
        wrong => Err(Failure::new(format!("{wrong} settings are wrong"))),
    }
}

fn show(invocation: &Invocation) -> Result<(), Failure> {
    let (toml, overrides) = invocation.sources()?;
    let mut settings = Settings::settings(&toml, overrides)
        .map_err(|error| Failure::new(format!("{error}; see config check")))?;
    for setting in settings.iter_mut().filter(|it| it.key == "database") {
        if let Some((_, database)) = invocation.argument() {
            setting.value = Some(without_password(&database));
            setting.source = SettingSource::Argument;
        }
    }
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
