//! An authenticator, as people have one on their telephone.

use shop_core::clock::Timestamp;
use totp_rs::{Builder, Secret, Totp};

/// What shows codes, once it knows the secret.
pub(crate) struct Authenticator(Totp);

impl Authenticator {
    /// From the secret as people type it.
    pub(crate) fn typed(secret: &str) -> Self {
        let secret = Secret::try_from_base32(secret).expect("base 32");
        Self(Builder::new().with_secret(secret).build().expect("a secret that is long enough"))
    }

    /// From the address in a QR code.
    pub(crate) fn scanned(url: &str) -> Self {
        let query = url.split_once('?').expect("a query").1;
        let secret = query.split('&').find_map(|pair| pair.strip_prefix("secret="));
        Self::typed(secret.expect("a secret"))
    }

    /// What it shows at a time.
    pub(crate) fn code(&self, now: Timestamp) -> String {
        self.0.generate(u64::try_from(now.seconds()).expect("after 1970")).to_string()
    }

    /// Six digits that it shows at no time near this one.
    pub(crate) fn wrong_code(&self, now: Timestamp) -> String {
        let near = |seconds: i64| self.code(Timestamp::from_millis(now.millis() + seconds * 1000));
        let shown = [near(-60), near(-30), near(0), near(30), near(60)];
        let free =
            (0..1_000_000).map(|n: u32| format!("{n:06}")).find(|code| !shown.contains(code));
        free.expect("one of a million")
    }
}
