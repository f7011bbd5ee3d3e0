//! What `Debug` shows of settings: secrets hide themselves, and URLs of databases have passwords in
//! them.

use std::fmt;

use super::values::{HIDDEN, without_password};
use super::{Config, Sources};

/// Shows a struct field by field, and does not compile where one is forgotten.
macro_rules! show_fields {
    ($f:ident, $name:ident, $of:expr, { $($(#[$meta:meta])* $field:ident,)+ }) => {{
        let $name { $($(#[$meta])* $field,)+ } = $of;
        let mut shown = $f.debug_struct(stringify!($name));
        $($(#[$meta])* shown.field(stringify!($field), $field);)+
        shown.finish()
    }};
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = &Self {
            database: without_password(&self.database),
            database_read: self.database_read.as_deref().map(without_password),
            ..self.clone()
        };
        show_fields!(f, Config, of, {
            environment,
            database,
            database_read,
            database_file_readers,
            base_url,
            jwt_secret,
            order_prefix,
            uploads_dir,
            orders,
            returns,
            stock,
            carts,
            staff,
            api,
            payments,
            shipping,
            mail,
            site,
            export,
            webhooks,
            #[cfg(feature = "nfe")]
            nfe,
        })
    }
}

/// A file and its overrides may hold every secret there is, also where they cannot be read: names
/// are all that is shown.
impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, toml: _, overrides } = self;
        let names: Vec<&str> = overrides.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = f.debug_struct("Sources");
        shown.field("file", file).field("toml", &HIDDEN).field("overrides", &names).finish()
    }
}
