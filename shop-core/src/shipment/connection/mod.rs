//! The shop's connection with Melhor Envio: how staff make and end it (OAuth 2.0), and the notices
//! that come by it.
//!
//! The tokens are kept in the database in clear, as the secrets of webhooks are: the shop must be
//! able to show them with every call. Who can read the database can buy labels.

mod access;
mod notice;
mod oauth;
mod store;

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sha2::{Digest, Sha256};

pub(crate) use self::access::Access;
pub use self::notice::LabelNotice;
use self::oauth::{App, TokenError};
use self::store::Pair;
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::detached;
use crate::error::{Credential, Error, Refusal, Result};
use crate::lane;
use crate::shipment::provider::LabelProvider;
use crate::shipment::{self, client::MelhorEnvio};
use crate::storage::Tx;

/// How long staff have to answer Melhor Envio's question.
const ATTEMPT: std::time::Duration = std::time::Duration::from_secs(60 * 60);
/// What shipments and the audit log call Melhor Envio.
pub(crate) const PROVIDER: &str = "melhor-envio";

/// How the connection with Melhor Envio stands.
#[apply(answer!)]
pub struct MelhorEnvioState {
    /// Whether there is a connection that holds, or a token of the configuration in its place.
    pub connected: bool,
    /// Whether the application is configured, so that the shop can be connected.
    pub can_connect: bool,
    /// When the shop was connected, if it is.
    pub connected_at: Option<Timestamp>,
    /// Until when the token holds that is used now. The shop renews it.
    pub expires_at: Option<Timestamp>,
    /// Since when Melhor Envio refuses to renew it: the shop must be connected anew.
    pub refused_at: Option<Timestamp>,
}

/// Where a connection is allowed.
#[apply(answer!)]
pub struct ConnectAddress {
    /// The page of Melhor Envio on which the account's holder allows it, within an hour.
    pub address: String,
}

/// What Melhor Envio sends a browser back with.
#[apply(input!)]
pub struct ConnectAnswer {
    /// What the address had that it was sent to.
    pub state: String,
    /// What tokens are handed out for.
    #[serde(default)]
    pub code: Option<String>,
    /// Why there is no code: `access_denied`.
    #[serde(default)]
    pub error: Option<String>,
}

/// The connection with Melhor Envio: [`Shop::melhor_envio`](crate::Shop::melhor_envio).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let state = shop.melhor_envio().state().await?;
/// assert!(!state.connected && !state.can_connect, "the application is not configured");
/// # Ok(())
/// # });
/// ```
#[derive(Clone, Copy)]
pub struct MelhorEnvioConnection<'a> {
    access: &'a Arc<Access>,
    provider: &'a Arc<MelhorEnvio>,
}

opaque! { MelhorEnvioConnection<'a>; }

impl<'a> MelhorEnvioConnection<'a> {
    pub(crate) fn new(provider: &'a Arc<MelhorEnvio>) -> Self {
        Self { access: provider.access(), provider }
    }

    /// Melhor Envio as a provider of labels, by this connection.
    pub fn labels(&self) -> Arc<dyn LabelProvider> {
        Arc::<MelhorEnvio>::clone(self.provider)
    }

    /// How the connection stands.
    ///
    /// Cancel safe: reads only.
    pub async fn state(&self) -> Result<MelhorEnvioState> {
        let (stored, now) = (self.access.stored().await?, self.access.cx.now());
        let holds = stored.as_ref().map(|it| it.refused_at.is_none() || it.expires_at > now);
        Ok(MelhorEnvioState {
            connected: holds.unwrap_or(self.access.panel_token.is_some()),
            can_connect: self.access.app.is_some(),
            connected_at: stored.as_ref().map(|it| it.connected_at),
            expires_at: stored.as_ref().map(|it| it.expires_at),
            refused_at: stored.and_then(|it| it.refused_at),
        })
    }

    /// Begins a connection: where the account's holder must go to allow it.
    ///
    /// # Errors
    /// [`Refusal::NoLabelApp`] where no application is configured.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn connect(&self, by: &Actor) -> Result<ConnectAddress> {
        let app = self.app()?;
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(Error::from_source)?;
        let state = URL_SAFE_NO_PAD.encode(bytes);
        let (hash, by, now) = (digest(&state), by.clone(), self.access.cx.now());
        let job = move |tx: &mut dyn Tx| store::begin(tx, &hash, &by, now.plus(ATTEMPT), now);
        self.access.cx.db().write(lane::INTEGRATIONS, "melhor_envio.begin", job).await?;
        Ok(ConnectAddress { address: app.authorize_address(&state) })
    }

    /// Ends what [`Self::connect`] began with what Melhor Envio sent the browser back with: fetches
    /// the tokens and stores them, in the place of those of a connection before.
    ///
    /// # Errors
    /// [`Credential::ConnectState`] for an answer to nothing that was begun within the last hour;
    /// [`Refusal::NotAllowed`] where the holder did not allow it; [`Error::Provider`] where no
    /// tokens came: then staff begin again.
    ///
    /// Cancel safe: what was begun runs to its end, and its outcome is stored.
    pub async fn complete(&self, answer: ConnectAnswer) -> Result<MelhorEnvioState> {
        self.app()?;
        let (hash, now) = (digest(&answer.state), self.access.cx.now());
        let known = {
            let hash = hash.clone();
            let job = move |tx: &mut dyn Tx| store::is_begun(tx, &hash, now);
            self.access.cx.db().lookup("melhor_envio.is_begun", job).await?
        };
        let refused = || Error::Unauthenticated(Credential::ConnectState);
        if !known {
            return Err(refused());
        }
        let access = Arc::clone(self.access);
        let work = async move {
            let take = move |tx: &mut dyn Tx| store::take(tx, &hash, now);
            let by = access.cx.db().write(lane::INTEGRATIONS, "melhor_envio.take", take).await?;
            let by = by.ok_or_else(refused)?;
            let Some(code) = answer.code.filter(|code| !code.is_empty()) else {
                return Err(Error::Refused(Refusal::NotAllowed));
            };
            fetch_tokens(&access, by, &code).await
        };
        detached::to_its_end(work).await?;
        self.state().await
    }

    /// Forgets the connection; done also where there is none. Melhor Envio keeps its permission of
    /// the application until it is taken back in its panel.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn disconnect(&self, by: &Actor) -> Result<()> {
        let (at, by) = (self.access.cx.work(), by.clone());
        let job = move |tx: &mut dyn Tx| {
            if store::disconnect(tx)? {
                audit::record(tx, &at, &by, "melhor_envio.disconnect", PROVIDER, &(), &())?;
            }
            Ok(())
        };
        self.access.cx.db().write(lane::INTEGRATIONS, "melhor_envio.disconnect", job).await
    }

    /// Takes a notice about a label: has the background work read the label, where the notice is
    /// signed with the application's secret and the label is the shop's and under way; whether it
    /// does. Notices may come in any order and any number of times, and say nothing by themselves.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn receive_notice(&self, notice: LabelNotice) -> Result<bool> {
        let secret = self.access.app.as_ref().map(|app| &app.client_secret);
        let Some(label) = secret.and_then(|secret| notice.label(secret)) else {
            return Ok(false);
        };
        let now = self.access.cx.now();
        let job = move |tx: &mut dyn Tx| shipment::check_now(tx, PROVIDER, &label, now);
        self.access.cx.db().write(lane::INTEGRATIONS, "melhor_envio.notice", job).await
    }

    /// Renews the tokens some days before they end, so that a shop that sends nothing for a while
    /// keeps its connection; whether it did.
    pub(crate) async fn renew_if_due(&self) -> Result<bool> {
        self.access.renew_if_due().await
    }

    fn app(&self) -> Result<&'a App> {
        self.access.app.as_ref().ok_or(Error::Refused(Refusal::NoLabelApp))
    }
}

async fn fetch_tokens(access: &Access, by: Actor, code: &str) -> Result<()> {
    let at = access.cx.work();
    let app = access.app.as_ref().ok_or(Error::Refused(Refusal::NoLabelApp))?;
    let pair: Pair = app.exchange(&access.http, code, at.now()).await.map_err(failed)?;
    let job = move |tx: &mut dyn Tx| {
        store::connect(tx, &pair, at.now())?;
        let after = json!({ "expiresAt": pair.expires_at });
        audit::record(tx, &at, &by, "melhor_envio.connect", PROVIDER, &(), &after)
    };
    access.cx.db().write_patiently(lane::INTEGRATIONS, "melhor_envio.connect", job).await
}

fn failed(error: TokenError) -> Error {
    tracing::warn!(%error, "Melhor Envio handed out no tokens");
    Error::Provider { name: PROVIDER, source: Arc::new(error) }
}

/// It is random and long, so that its SHA-256 is enough to know it again.
fn digest(state: &str) -> String {
    hex::encode(Sha256::digest(state))
}
