//! Settings of the program around the shop, in the same file as the shop's.

use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Config;
use super::effective::{Setting, settings};
use super::finding::{ConfigError, Finding, Findings, Severity};
use super::keys::Key;
use super::source::{Sources, merge, split};
use super::tables::Tables;
use super::values::Merged;
use crate::clock::{Clock, SystemClock};

/// The settings of a program around the shop that stand in the same file, such as the address that
/// a server listens on. A struct whose fields are named as the keys are, with sections as structs.
///
/// ```
/// use serde::Deserialize;
/// use shop_core::Config;
/// use shop_core::config::keys::{Key, number};
/// use shop_core::config::{Findings, ProgramConfig, Sources};
///
/// #[derive(Debug, Default, Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// struct Kiosk {
///     screens: u32,
/// }
///
/// impl ProgramConfig for Kiosk {
///     const KEYS: &'static [Key] = &[number("screens", (0, 9), "0", "a whole number, 0 to 9")];
///
///     fn check(&self, _: &Config, _: &mut Findings) {}
///
///     fn check_folders(&self, _: &mut Findings) {}
/// }
///
/// let toml = "order_prefix = 'VELA'\nscreens = 2".to_owned();
/// let loaded = Kiosk::load(&Sources { toml, ..Sources::default() })?;
/// assert_eq!((loaded.config.order_prefix.as_str(), loaded.program.screens), ("VELA", 2));
/// # Ok::<(), shop_core::config::ConfigError>(())
/// ```
pub trait ProgramConfig: DeserializeOwned {
    /// The program's table of settings. Its names are none of the shop's.
    const KEYS: &'static [Key];

    /// Finds values that are wrong although each can be read, and settings that contradict each
    /// other or the shop's.
    fn check(&self, config: &Config, found: &mut Findings);

    /// Finds folders and files that are missing or cannot be used.
    fn check_folders(&self, found: &mut Findings);

    /// Reads the shop's settings and the program's.
    ///
    /// # Errors
    /// [`ConfigError`]: everything that is wrong, but for folders and files.
    fn load(sources: &Sources) -> Result<Loaded<Self>, ConfigError> {
        let mut found = Findings::new(tables::<Self>());
        let (read, _) = read::<Self>(sources, &mut found);
        let (errors, warnings) = found.apart();
        match read {
            Some((config, program)) if errors.is_empty() => {
                Ok(Loaded { config, program, warnings })
            }
            _ => Err(ConfigError::new(errors)),
        }
    }

    /// Everything that is wrong with settings, errors and warnings: names that are no setting,
    /// values that are none, settings that contradict each other, weak secrets, folders that cannot
    /// be written, and what a real shop is missing. Looks at the file system, changes nothing in
    /// it.
    fn findings(sources: &Sources) -> Vec<Finding> {
        Self::findings_on(sources, SystemClock.now().local_day())
    }

    /// The same on another day: what the law demands of a shop depends on it.
    fn findings_on(sources: &Sources, day: NaiveDate) -> Vec<Finding> {
        let mut found = Findings::new(tables::<Self>());
        let (read, merged) = read::<Self>(sources, &mut found);
        if let Some((config, program)) = read {
            let mut of_machine = Findings::new(tables::<Self>());
            config.look_at_folders(&mut of_machine);
            #[cfg(feature = "nfe")]
            config.nfe.look_at_files(&mut of_machine);
            config.look_at_day(day, &mut of_machine);
            program.check_folders(&mut of_machine);
            found.take_placed(of_machine, &merged);
        }
        found.list.sort_by_key(|finding| finding.severity == Severity::Warning);
        found.list
    }

    /// Every setting as it would be in effect, the shop's before the program's.
    ///
    /// # Errors
    /// As [`ProgramConfig::load`].
    fn settings(sources: &Sources) -> Result<Vec<Setting>, ConfigError> {
        let mut found = Findings::new(tables::<Self>());
        let (_, merged) = read::<Self>(sources, &mut found);
        let (errors, _) = found.apart();
        if errors.is_empty() {
            Ok(settings(tables::<Self>(), &merged))
        } else {
            Err(ConfigError::new(errors))
        }
    }
}

/// A configuration that can be used, and what may be wrong with it all the same.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded<P = NoProgram> {
    /// The shop's configuration.
    pub config: Config,
    /// The configuration of the program around the shop.
    pub program: P,
    /// Variables that name no setting, weak secrets, and what a real shop is missing.
    pub warnings: Vec<Finding>,
}

/// A program without settings of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoProgram {}

impl ProgramConfig for NoProgram {
    const KEYS: &'static [Key] = &[];

    fn check(&self, _: &Config, _: &mut Findings) {}

    fn check_folders(&self, _: &mut Findings) {}
}

impl Config {
    /// Reads a TOML text and lays overrides over it; see [`Config::load`].
    ///
    /// # Errors
    /// [`ConfigError`]: everything that is wrong.
    pub fn parse(
        toml_text: &str,
        overrides: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let overrides = overrides.into_iter().collect();
        let sources = Sources { file: None, toml: toml_text.to_owned(), overrides };
        Self::load(&sources).map(|loaded| loaded.config)
    }

    /// Reads settings.
    ///
    /// # Errors
    /// [`ConfigError`]: everything that is wrong. [`ProgramConfig::findings`] looks at the machine's
    /// folders and files besides.
    pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
        NoProgram::load(sources)
    }
}

/// Reads what can be read, and finds what is wrong with the rest and with the whole.
fn read<P: ProgramConfig>(
    sources: &Sources,
    found: &mut Findings,
) -> (Option<(Config, P)>, Merged) {
    let merged = merge(sources, tables::<P>(), found);
    let (shop, program) = split(&merged, tables::<P>());
    match shop.try_into::<Config>().and_then(|config| Ok((config, program.try_into::<P>()?))) {
        Ok((config, program)) => {
            let mut problems = Findings::new(tables::<P>());
            config.look(&mut problems);
            config.look_at_base_url(merged.origins.contains_key("environment"), &mut problems);
            program.check(&config, &mut problems);
            found.take_placed(problems, &merged);
            (Some((config, program)), merged)
        }
        Err(error) => {
            // Each value alone made a configuration, so all of them do.
            found.error("the settings", error.message().to_owned());
            (None, merged)
        }
    }
}

/// The tables of settings that are read for a program.
fn tables<P: ProgramConfig>() -> Tables {
    Tables::with::<P>(P::KEYS)
}
