//! Settings of the program around the shop, in the same file as the shop's.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::effective::settings;
use super::finding::Findings;
use super::keys::Key;
use super::source::{Loaded, Sources, read, tables};
use super::{ConfigError, Finding, Setting, Severity};

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
    fn check(&self, config: &super::Config, found: &mut Findings);

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
    /// be written, and what a real shop is missing. Looks at the file system, changes nothing in it.
    fn findings(sources: &Sources) -> Vec<Finding> {
        let mut found = Findings::new(tables::<Self>());
        let (read, merged) = read::<Self>(sources, &mut found);
        if let Some((config, program)) = read {
            let mut of_machine = Findings::new(tables::<Self>());
            config.look_at_folders(&mut of_machine);
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
        settings::<Self>(sources)
    }
}

/// A program without settings of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoProgram {}

impl ProgramConfig for NoProgram {
    const KEYS: &'static [Key] = &[];

    fn check(&self, _: &super::Config, _: &mut Findings) {}

    fn check_folders(&self, _: &mut Findings) {}
}
