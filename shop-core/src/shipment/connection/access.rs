//! The token that calls of Melhor Envio are made with.
//!
//! A connection has a pair of tokens, and renewing it makes both of the old ones invalid. So one
//! server renews at a time, under a lease; the others wait for what it stored. A renewal runs to
//! its end whatever becomes of its caller: a pair that is not stored is a connection that is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;

use super::oauth::{App, TokenError};
use super::store::{self, Stored};
use crate::config::{Config, Secret};
use crate::context::Context;
use crate::detached;
use crate::error::{Error, Result};
use crate::http_client::{Http, HttpOptions};
use crate::lane;
use crate::lease::Holder;
use crate::provider_calls::{ProviderCalls, ThirdParty};
use crate::shipment::provider::{LabelAnswer, LabelError};

/// The path that Melhor Envio sends the browser back to.
const CALLBACK: &str = "/api/shipping/melhor-envio/callback";
const LEASE: &str = "melhor_envio_token";
/// So long before its end a token is not used any more.
const MARGIN: Duration = Duration::from_secs(60);
/// So long before its end it is renewed without being needed: a refresh token lives 15 days longer
/// than the access token, and a shop that sends nothing for a while must not lose its connection.
const AHEAD: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How often a renewal ahead of time is tried.
const RENEWAL_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How often, and how long apart, it is looked whether another server is done renewing.
const LOOKS: usize = 100;
const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// The shop's access to Melhor Envio.
pub(crate) struct Access {
    pub(super) cx: Context,
    pub(super) app: Option<App>,
    /// A token that was made in Melhor Envio's panel. It is used while there is no connection.
    pub(super) panel_token: Option<Secret>,
    pub(super) http: Http,
    renewing: Mutex<()>,
    /// When a renewal ahead of time may be tried, in milliseconds.
    next_renewal: AtomicI64,
}

impl Access {
    /// # Errors
    /// [`Error::Internal`] when the configuration's contact cannot stand in a header.
    pub(crate) fn new(cx: &Context, calls: &Arc<ProviderCalls>) -> Result<Arc<Self>> {
        let config = cx.config();
        let settings = &config.shipping.melhor_envio;
        let contact = config.shipping.contact_email.clone().unwrap_or_else(|| config.base_url());
        let options = HttpOptions { one_request_per_connection: true, ..HttpOptions::default() };
        let http = Http::new(&contact, settings.timeout(), options).map_err(Error::from_source)?;
        Ok(Arc::new(Self {
            cx: cx.clone(),
            app: app(config),
            panel_token: settings.token.clone(),
            http: http.counted(calls, ThirdParty::MelhorEnvio),
            renewing: Mutex::new(()),
            next_renewal: AtomicI64::new(0),
        }))
    }

    pub(super) async fn stored(&self) -> Result<Option<Stored>> {
        self.cx.db().lookup("melhor_envio.connection", store::get).await
    }

    /// The token for the next call.
    pub(crate) async fn token(self: &Arc<Self>) -> LabelAnswer<Secret> {
        match self.stored().await? {
            Some(stored) if self.is_good(&stored) => Ok(stored.access),
            Some(stored) => self.renewed(&stored.access).await,
            None => self.panel_token.clone().ok_or(LabelError::NotConnected),
        }
    }

    /// Another token than one that Melhor Envio refused, or that is at its end.
    pub(crate) async fn renewed(self: &Arc<Self>, refused: &Secret) -> LabelAnswer<Secret> {
        let (access, refused) = (Arc::clone(self), refused.clone());
        let work = async move { Ok(access.renew(&refused).await) };
        detached::to_its_end(work).await?
    }

    /// Renews a token that comes to its end, where that was not tried of late; whether it did.
    pub(crate) async fn renew_if_due(self: &Arc<Self>) -> Result<bool> {
        let now = self.cx.now();
        let is_due =
            |stored: &Stored| stored.refused_at.is_none() && stored.expires_at <= now.plus(AHEAD);
        if self.next_renewal.load(Ordering::Relaxed) > now.millis() {
            return Ok(false);
        }
        let Some(stored) = self.stored().await?.filter(is_due) else { return Ok(false) };
        self.next_renewal.store(now.plus(RENEWAL_PAUSE).millis(), Ordering::Relaxed);
        match self.renewed(&stored.access).await {
            Ok(_) => Ok(true),
            Err(LabelError::Shop(error)) => Err(error),
            Err(error) => {
                tracing::warn!(%error, "the access to Melhor Envio could not be renewed");
                Ok(false)
            }
        }
    }

    fn is_good(&self, stored: &Stored) -> bool {
        stored.expires_at > self.cx.now().plus(MARGIN)
    }

    async fn renew(&self, refused: &Secret) -> LabelAnswer<Secret> {
        let _alone = self.renewing.lock().await;
        for _ in 0..LOOKS {
            if let Some(known) = self.known(refused).await? {
                return known;
            }
            let holder = Holder::new(&self.cx);
            let alone = async { Ok(self.renew_alone(refused).await) };
            let done = holder.with_lease(LEASE, alone).await?;
            holder.give_back().await?;
            if let Some(answer) = done {
                return answer;
            }
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        Err(LabelError::Unclear("another server is renewing the shop's access".to_owned()))
    }

    /// What is known without asking; nothing where the stored token is to be renewed.
    async fn known(&self, refused: &Secret) -> LabelAnswer<Option<LabelAnswer<Secret>>> {
        let not_connected = || Some(Err(LabelError::NotConnected));
        Ok(match self.stored().await? {
            None => not_connected(),
            Some(stored) if stored.access != *refused && self.is_good(&stored) => {
                Some(Ok(stored.access))
            }
            Some(stored) if stored.refused_at.is_some() => not_connected(),
            Some(_) => None,
        })
    }

    /// Under the lease. Another server may have been at it until just now, so it looks once more.
    async fn renew_alone(&self, refused: &Secret) -> LabelAnswer<Secret> {
        if let Some(known) = self.known(refused).await? {
            return known;
        }
        let Some(stored) = self.stored().await? else { return Err(LabelError::NotConnected) };
        let app = self.app.as_ref().ok_or(LabelError::NotConnected)?;
        let (old, now) = (stored.refresh, self.cx.now());
        match app.renew(&self.http, &old, now).await {
            Ok(pair) => {
                let access = pair.access.clone();
                let job = move |tx: &mut dyn crate::storage::Tx| store::renew(tx, &old, &pair, now);
                // The old pair is used up: without the new one the shop had to be connected anew.
                let db = self.cx.db();
                if db.write_patiently(lane::INTEGRATIONS, "melhor_envio.renew", job).await? {
                    return Ok(access);
                }
                // The shop was connected anew, or disconnected, meanwhile.
                self.stored().await?.map(|new| new.access).ok_or(LabelError::NotConnected)
            }
            Err(TokenError::Refused(why)) => {
                tracing::error!(why, "Melhor Envio ended the connection: connect the shop anew");
                let job = move |tx: &mut dyn crate::storage::Tx| store::refuse(tx, &old, now);
                self.cx.db().write(lane::INTEGRATIONS, "melhor_envio.refused", job).await?;
                Err(LabelError::NotConnected)
            }
            Err(error @ TokenError::UnknownApp) => {
                tracing::error!(%error, "the access to Melhor Envio cannot be renewed");
                Err(LabelError::NotConnected)
            }
            Err(TokenError::Unclear(why)) => Err(LabelError::Unclear(why)),
        }
    }
}

fn app(config: &Config) -> Option<App> {
    let settings = &config.shipping.melhor_envio;
    Some(App {
        url: settings.url.clone(),
        client_id: settings.client_id.clone()?,
        client_secret: settings.client_secret.clone()?,
        redirect: format!("{}{CALLBACK}", config.base_url()),
    })
}
