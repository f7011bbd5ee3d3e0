//! API keys: what programs call the integration API with (docs/decisions.md, "Programs").
//!
//! A key is random and long, so its SHA-256 is enough to know it again, and nothing else of it is
//! kept. Every call looks it up, so one that is revoked is refused from the next call on. When a
//! key was last used is kept in memory and written down about once a minute.

mod store;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

pub(crate) use self::store::name_of;
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::context::{Context, Work};
use crate::error::{Credential, Error, FieldErrors, Result};
use crate::id::ApiKeyId;
use crate::lane;
use crate::last_use::LastUses;
use crate::storage::Tx;
use crate::value::{InvalidValue, Text, Until, wire_enum};

/// How much of a key people are shown.
const SHOWN: usize = 16;

wire_enum! {
    /// What a key allows.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum Scope {
        /// List and read products.
        ProductsRead = "products:read",
        /// Create, change and delete products.
        ProductsWrite = "products:write",
        /// Set stock, also by the inbound webhook.
        StockWrite = "stock:write",
        /// List and read orders, with the customers' data in them.
        OrdersRead = "orders:read",
        /// Change the status and the tracking code of orders.
        OrdersWrite = "orders:write",
    }
}

/// A key as people see it: everything but the key.
#[apply(answer!)]
pub struct ApiKey {
    /// UUID version 7.
    pub id: ApiKeyId,
    /// What people call it.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// Its first 16 characters.
    pub key_prefix: String,
    /// Whether it holds now: neither revoked nor expired.
    pub active: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it does not hold any more; `null` for ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, if it ever was.
    pub last_used_at: Option<Timestamp>,
}

impl ApiKey {
    /// What stands at the beginning of every key.
    pub const PREFIX: &'static str = "svc_live_";
}

/// A key to be made.
#[apply(input!)]
pub struct NewApiKey {
    /// What people call it.
    pub name: Text<1, 120>,
    /// What it allows: at least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub scopes: Vec<Scope>,
    /// It holds until the end of this day, or before this time; for ever where it is left out.
    #[serde(default)]
    pub expires_at: Option<Until>,
}

/// A key that was just made. The key itself cannot be had again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CreatedKey {
    /// The key as people see it from now on.
    pub key: ApiKey,
    /// The key.
    pub raw: Secret,
}

/// When keys were used, as far as it is not written down yet.
pub(crate) type KeyUses = LastUses<ApiKeyId>;

/// API keys: [`Shop::api_keys`](crate::Shop::api_keys).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::api_key::{NewApiKey, Scope};
///
/// let erp = NewApiKey {
///     name: "ERP".parse()?,
///     scopes: vec![Scope::OrdersRead],
///     expires_at: None,
/// };
/// let created = shop.api_keys().create(&Actor::System, erp).await?;
/// // It is shown this once.
/// let raw = created.raw.reveal();
/// assert!(shop.api_keys().verify(raw, Scope::OrdersRead).await.is_ok());
/// assert!(shop.api_keys().verify(raw, Scope::StockWrite).await.is_err());
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ApiKeys<'a> {
    cx: &'a Context,
    uses: &'a KeyUses,
}

impl<'a> ApiKeys<'a> {
    pub(crate) fn new(cx: &'a Context, uses: &'a KeyUses) -> Self {
        Self { cx, uses }
    }

    /// Makes a key, which is handed out here and never again.
    ///
    /// # Errors
    /// [`Error::Invalid`] without a scope, or when it would expire at once.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(&self, by: &Actor, new: NewApiKey) -> Result<CreatedKey> {
        let at = self.cx.work();
        check(&new, at.now())?;
        let raw = generate()?;
        let (hash, key, by) = (digest(raw.reveal()), key_of(&at, new, &raw), by.clone());
        let shown = key.clone();
        let job = move |tx: &mut dyn Tx| {
            store::insert(tx, &key, &hash)?;
            audit::record(tx, &at, &by, "api_key.create", key.id.as_str(), &(), &key)
        };
        self.cx.db().write(lane::INTEGRATIONS, "api_key.create", job).await?;
        Ok(CreatedKey { key: shown, raw })
    }

    /// All keys, the latest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self) -> Result<Vec<ApiKey>> {
        let now = self.cx.now();
        let keys = self.cx.db().read("api_key.list", move |tx| store::all(tx, now)).await?;
        Ok(keys.into_iter().map(|key| self.with_last_use(key)).collect())
    }

    /// Ends a key: the next call with it is refused. One that was revoked already stays as it is.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn revoke(&self, by: &Actor, id: &ApiKeyId) -> Result<ApiKey> {
        let (at, by, id) = (self.cx.work(), by.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| store::revoke(tx, &at, &by, &id);
        let key = self.cx.db().write(lane::INTEGRATIONS, "api_key.revoke", job).await?;
        Ok(self.with_last_use(key))
    }

    /// The key that a caller showed, if it holds and has the scope. What is wrong with one that
    /// does not cannot be told, not from the work that it takes either.
    ///
    /// # Errors
    /// [`Credential::ApiKey`].
    ///
    /// Cancel safe: reads only.
    pub async fn verify(&self, raw: &str, scope: Scope) -> Result<ApiKey> {
        let (hash, now) = (digest(raw), self.cx.now());
        let found =
            self.cx.db().lookup("api_key.verify", move |tx| store::by_hash(tx, &hash, now)).await?;
        let well_formed = raw.starts_with(ApiKey::PREFIX);
        match found {
            Some(key) if well_formed && key.active && key.scopes.contains(&scope) => {
                self.uses.used(&key.id, now);
                Ok(key)
            }
            _ => Err(Error::Unauthenticated(Credential::ApiKey)),
        }
    }

    /// Writes down when keys were last used, if that was not done within the last minute.
    pub(crate) async fn note_uses_if_due(&self) -> Result<()> {
        if self.uses.is_due(self.cx.now()) { self.note_uses().await } else { Ok(()) }
    }

    /// Writes down when keys were last used.
    pub(crate) async fn note_uses(&self) -> Result<()> {
        let write = |uses: Vec<(ApiKeyId, Timestamp)>| {
            let job = move |tx: &mut dyn Tx| {
                uses.iter().try_for_each(|(id, at)| store::note(tx, id, *at))
            };
            self.cx.db().write(lane::INTEGRATIONS, "api_key.note_uses", job)
        };
        self.uses.note(self.cx.now(), write).await
    }

    fn with_last_use(self, key: ApiKey) -> ApiKey {
        let last_used_at = self.uses.of(&key.id).max(key.last_used_at);
        ApiKey { last_used_at, ..key }
    }
}

fn check(new: &NewApiKey, now: Timestamp) -> Result<()> {
    let mut wrong = FieldErrors::default();
    if new.scopes.is_empty() {
        wrong.add("scopes", InvalidValue::MinItems { least: 1 });
    }
    if new.expires_at.is_some_and(|at| at.get() <= now) {
        wrong.add("expiresAt", InvalidValue::NotFuture);
    }
    wrong.into_result()
}

/// The prefix and 32 random bytes.
fn generate() -> Result<Secret> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(Error::from_source)?;
    Ok(Secret::new(format!("{}{}", ApiKey::PREFIX, URL_SAFE_NO_PAD.encode(bytes))))
}

fn digest(raw: &str) -> String {
    hex::encode(Sha256::digest(raw))
}

fn key_of(at: &Work, new: NewApiKey, raw: &Secret) -> ApiKey {
    let mut scopes = new.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    ApiKey {
        id: at.id(),
        name: new.name.to_string(),
        scopes,
        key_prefix: raw.reveal().chars().take(SHOWN).collect(),
        active: true,
        created_at: at.now(),
        expires_at: new.expires_at.map(Until::get),
        revoked_at: None,
        last_used_at: None,
    }
}
