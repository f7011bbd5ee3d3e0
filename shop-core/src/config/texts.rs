//! Settings that are used exactly as they are written: paths, and credentials for third parties.

use std::path::Path;

use super::finding::Findings;
use super::{Config, Secret};
use crate::storage::DatabaseUrl;

/// What PostgreSQL's own programs take instead of a URL has pairs of these names.
const LIBPQ: [&str; 7] = ["dbname", "host", "hostaddr", "password", "port", "service", "user"];

/// Whether a text names a database as PostgreSQL's own programs do, which would be taken for a
/// file's name.
pub(super) fn is_libpq(text: &str) -> bool {
    let is_named = |pair: &str| pair.split_once('=').is_some_and(|(name, _)| LIBPQ.contains(&name));
    matches!(DatabaseUrl::parse(text), DatabaseUrl::File(_))
        && text.split_whitespace().any(is_named)
}

/// Whether a text would be the name of a file here and is more than that to SQLite or to other
/// programs that use it.
fn is_sqlite_name(text: &str) -> bool {
    text == ":memory:" || text.starts_with("file:") || text.starts_with("sqlite:")
}

impl Config {
    /// A line break at the end, as files of environment variables leave it, would name another file
    /// or make a credential wrong.
    pub(super) fn look_at_texts(&self, found: &mut Findings) {
        for (key, text) in self.texts_to_the_letter() {
            let is_bad = |text: &str| text.trim() != text || text.contains(char::is_control);
            if text.is_some_and(is_bad) {
                let what = "it begins or ends with a blank, or has a control character in it, such as a \
                            line break";
                found.error(key, what.to_owned());
            }
        }
        let databases =
            [("database", Some(&self.database)), ("database_read", self.database_read.as_ref())];
        for (key, database) in databases {
            if database.is_some_and(|it| is_libpq(it)) {
                let what = "a database on a PostgreSQL server is named by a URL: \
                            postgres://user:password@host/name";
                found.error(key, what.to_owned());
            }
            if database.is_some_and(|it| is_sqlite_name(it)) {
                let what = "a SQLite file is named by its path and by nothing else, such as shop.db or \
                            /var/lib/shop/shop.db: no URI is taken, and no shop is kept in memory alone";
                found.error(key, what.to_owned());
            }
        }
    }

    fn texts_to_the_letter(&self) -> [(&'static str, Option<&str>); 13] {
        let (payments, shipping) = (&self.payments, &self.shipping);
        let (labels, correios) = (&shipping.melhor_envio, &shipping.correios);
        [
            ("database", Some(&*self.database)),
            ("database_read", self.database_read.as_deref()),
            ("uploads_dir", self.uploads_dir.as_deref().and_then(Path::to_str)),
            ("mail.outbox_dir", self.mail.outbox_dir.as_deref().and_then(Path::to_str)),
            ("payments.provider1.access_token", revealed(payments.provider1.access_token.as_ref())),
            ("payments.provider2.secret_key", revealed(payments.provider2.secret_key.as_ref())),
            ("shipping.melhor_envio.token", revealed(labels.token.as_ref())),
            ("shipping.melhor_envio.client_id", labels.client_id.as_deref()),
            ("shipping.melhor_envio.client_secret", revealed(labels.client_secret.as_ref())),
            ("shipping.correios.token", revealed(correios.token.as_ref())),
            ("shipping.correios.user", correios.user.as_deref()),
            ("shipping.correios.access_code", revealed(correios.access_code.as_ref())),
            ("shipping.frenet.token", revealed(shipping.frenet.token.as_ref())),
        ]
    }
}

fn revealed(secret: Option<&Secret>) -> Option<&str> {
    secret.map(Secret::reveal)
}
