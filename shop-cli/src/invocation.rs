//! What every command is told: which shop, and how to speak.

use std::path::PathBuf;

use clap::Args;
use shop_core::config::{ConfigError, ProgramConfig, Sources};
use shop_core::maintenance::Database;
use shop_core::{Config, Error, Shop};
use shop_server::config::ServerConfig;

use crate::failure::{Exit, Failure};
use crate::output::{self, Format};

/// The arguments that every command takes.
#[derive(Debug, Args)]
pub(crate) struct Invocation {
    /// Settings in TOML; `SHOP_..` variables override them (`SHOP_CONFIG` names the file too)
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The database, instead of the configured one
    #[arg(long, value_name = "PATH", global = true)]
    database: Option<String>,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Table, global = true)]
    pub(crate) format: Format,
    /// Asks nothing before something is destroyed
    #[arg(long, short, global = true)]
    yes: bool,
}

/// Opening a shop makes its database where there is none, which a mistyped name must not do, and
/// migrates it, which a command that asks for something else must not do beside a server of the
/// version before, and without a copy.
async fn refuse_other_schema(settings: &Config, may_be_new: bool) -> Result<(), Failure> {
    // What cannot be looked at cannot be opened either, which says why.
    let Ok(state) = Database::at(&settings.database).schema().await else { return Ok(()) };
    let database = settings.database_name();
    match state.version {
        // What another program keeps there is refused when it is opened.
        0 if may_be_new || has_content(&settings.database) => Ok(()),
        0 => Err(Failure::not_found(format!(
            "there is no shop in {database}; `admin create`, `import products`, `demo` and \
             `db migrate` make a new one"
        ))),
        _ if state.pending.is_empty() => Ok(()),
        _ => Err(Failure::new(format!(
            "{database} is of an older version: make a copy (`db backup`), then bring it up to \
             date with `db migrate`"
        ))),
    }
}

fn has_content(file: &str) -> bool {
    std::fs::metadata(file).is_ok_and(|it| it.len() > 0)
}

impl Invocation {
    /// The shop that the settings describe; a new one only where it may be new.
    pub(crate) async fn shop(&self, may_be_new: bool) -> Result<Shop, Failure> {
        let settings = self.settings()?;
        let database = settings.database_name();
        refuse_other_schema(&settings, may_be_new).await?;
        let opened = Shop::open(settings).await;
        opened.map_err(|error| {
            // Else neither a defect nor a third party: a setting or a database that cannot be used.
            let (exit, place) = match error {
                Error::Busy { .. } => (Exit::Busy, format!(" in {database}")),
                // It says where.
                Error::Unusable { .. } => (Exit::Failed, String::new()),
                _ => (Exit::Failed, format!(" in {database}")),
            };
            let why = Failure::from(error);
            Failure::of(exit, format!("cannot open the shop{place}: {why}"))
        })
    }

    /// The same settings as the server's: a file, the environment over it, the arguments over all.
    pub(crate) fn settings(&self) -> Result<Config, Failure> {
        let loaded = ServerConfig::load(&self.sources()?);
        let mut loaded = loaded.map_err(|error| wrong_settings(&error))?;
        // What a real shop is missing is the server's to say, and `config check`'s.
        for warning in loaded.warnings.iter().filter(|it| it.key.is_empty()) {
            output::warn(&warning.to_string());
        }
        loaded.program.complete(&mut loaded.config);
        Ok(loaded.config)
    }

    /// What the settings are read from.
    pub(crate) fn sources(&self) -> Result<Sources, Failure> {
        let file = self.config.clone().or_else(|| {
            let named = std::env::var_os("SHOP_CONFIG").filter(|name| !name.is_empty());
            named.map(Into::into)
        });
        let toml = match &file {
            Some(file) => std::fs::read_to_string(file).map_err(|error| {
                Failure::new(format!("cannot read {}: {error}", file.display()))
            })?,
            None => String::new(),
        };
        let variables = Sources::variables(std::env::vars_os());
        let mut overrides = variables.map_err(|error| wrong_settings(&error))?;
        overrides.extend(self.database.clone().map(|it| ("--database".to_owned(), it)));
        Ok(Sources { file, toml, overrides })
    }

    /// Asks whether to go on with what cannot be taken back.
    pub(crate) fn confirm(&self, deed: &str) -> Result<(), Failure> {
        output::confirm(self.yes, deed)
    }
}

/// Every setting that is wrong, a line for each.
pub(crate) fn wrong_settings(error: &ConfigError) -> Failure {
    let told: Vec<String> = error.findings().iter().map(ToString::to_string).collect();
    Failure::new(told.join("\n"))
}
