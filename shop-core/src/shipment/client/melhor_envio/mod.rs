//! Melhor Envio: labels of several carriers, paid from a wallet.
//!
//! It knows no idempotency key. What a call did whose answer was lost, only a question tells; and a
//! call that is refused may be refused because an earlier one had its effect, so that a question
//! follows there too.

mod answer;
mod cart;
mod label;
mod said;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use self::answer::{failure, garbage, is_id, page, speaks_of_balance};
use self::label::{label, references};
use self::said::{balance, not_generated, paid};
use crate::config::Secret;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::http_client::{Answer as HttpAnswer, Call, Http, HttpOptions};
use crate::money::Money;
use crate::provider_calls::{ProviderCalls, ThirdParty};
use crate::shipment::connection::{Access, PROVIDER};
use crate::shipment::provider::{
    LabelAnswer, LabelError, LabelProvider, LabelRequest, MAX_DOCUMENT, ProviderLabel,
    ProviderLabelStatus as Status,
};
use crate::shipping::client::answer::text;

/// The one reason to cancel that it takes.
const CANCELLED_BY_SENDER: i64 = 2;
/// How many pages of a list are looked through for a reference.
const MAX_PAGES: usize = 20;
const PDF: &[u8] = b"%PDF-";

/// The provider. Its access is the shop's connection, else the token of the configuration.
pub(crate) struct MelhorEnvio {
    url: String,
    /// What the shop is called there.
    platform: String,
    access: Arc<Access>,
    http: Http,
    /// Fetches labels from where they are kept, without the shop's token.
    files: Http,
}

impl MelhorEnvio {
    /// # Errors
    /// [`Error::Internal`] when the configuration's contact cannot stand in a header.
    pub(crate) fn new(cx: &Context, calls: &Arc<ProviderCalls>) -> Result<Self> {
        let config = cx.config();
        let settings = &config.shipping.melhor_envio;
        let contact = config.shipping.contact_email.clone().unwrap_or_else(|| config.base_url());
        // As for payments: on a connection that was idle, nobody would know whether a call arrived.
        let options = HttpOptions { one_request_per_connection: true, ..HttpOptions::default() };
        // A fake on this machine keeps its files there too.
        let public_only = settings.url.starts_with("https://");
        let of_files = HttpOptions { public_only, largest: Some(MAX_DOCUMENT), ..<_>::default() };
        let http = |options| {
            Http::new(&contact, settings.timeout(), options)
                .map(|http| http.counted(calls, ThirdParty::MelhorEnvio))
        };
        let name = config.mail.from.name.clone();
        Ok(Self {
            url: settings.url.clone(),
            platform: name.unwrap_or_else(|| config.base_url()),
            access: Access::new(cx, calls)?,
            http: http(options).map_err(Error::from_source)?,
            files: http(of_files).map_err(Error::from_source)?,
        })
    }

    /// The shop's access to it.
    pub(crate) fn access(&self) -> &Arc<Access> {
        &self.access
    }

    /// Makes a call. Where the token is refused it is renewed once, and the call made once more:
    /// the first had no effect.
    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> LabelAnswer<HttpAnswer> {
        let token = self.access.token().await?;
        let answer = self.send(method.clone(), path, body, &token).await?;
        if answer.status != 401 {
            return Ok(answer);
        }
        let token = self.access.renewed(&token).await?;
        self.send(method, path, body, &token).await
    }

    async fn get(&self, path: &str) -> LabelAnswer<HttpAnswer> {
        self.call(Method::GET, path, None).await
    }

    async fn post(&self, path: &str, body: &Value) -> LabelAnswer<HttpAnswer> {
        self.call(Method::POST, path, Some(body)).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        token: &Secret,
    ) -> LabelAnswer<HttpAnswer> {
        let call = match body {
            Some(body) => Call::post(&self.url, path, body),
            None => Call::new(method, &self.url, path, <_>::default()),
        };
        let call = call.and_then(|call| call.bearer(token))?;
        Ok(self.http.send(call).await?)
    }

    async fn read_label(&self, id: &str) -> LabelAnswer<Option<ProviderLabel>> {
        if !is_id(id) {
            return Ok(None);
        }
        // Not every account finds what is only in the cart among its orders.
        for place in ["orders", "cart"] {
            let answer = self.get(&format!("/api/v2/me/{place}/{id}")).await?;
            match answer.status {
                200 => {
                    let found = label(&answer::json(&answer)?)?;
                    return if found.id == id { Ok(Some(found)) } else { Err(garbage()) };
                }
                _ if answer.is_unknown() => {}
                _ => return Err(asked(&answer)),
            }
        }
        Ok(None)
    }

    async fn paid_or(&self, id: &str, refused: LabelError) -> LabelAnswer<()> {
        match self.read_label(id).await? {
            Some(found) if (Status::Paid..Status::Cancelled).contains(&found.status) => Ok(()),
            _ => Err(refused),
        }
    }

    /// The labels of a list that have a reference among their tags.
    async fn tagged(&self, list: &str, reference: &str) -> LabelAnswer<Vec<ProviderLabel>> {
        let mut found = Vec::new();
        for number in 1..=MAX_PAGES {
            let join = if list.contains('?') { '&' } else { '?' };
            let answer = self.get(&format!("/api/v2/me/{list}{join}page={number}")).await?;
            if answer.status != 200 {
                return Err(asked(&answer));
            }
            let body = answer::json(&answer)?;
            let (entries, more) = page(&body).ok_or_else(garbage)?;
            let of_reference =
                entries.iter().filter(|entry| references(entry).any(|tag| tag == reference));
            for entry in of_reference {
                let entry = label(entry)?;
                found.push(ProviderLabel { reference: Some(reference.to_owned()), ..entry });
            }
            if !more {
                break;
            }
        }
        Ok(found)
    }

    /// Where the file of a label is; `None` while there is none.
    async fn link(&self, id: &str) -> LabelAnswer<Option<String>> {
        let answer = self.get(&format!("/api/v2/me/imprimir/pdf/{id}")).await?;
        match answer.status {
            200 => {
                let body = answer::json(&answer)?;
                let link =
                    body[0].as_str().or_else(|| body.as_str()).or_else(|| text(&body, "url"));
                Ok(link.map(str::to_owned))
            }
            204 | 409 => Ok(None),
            _ if answer.is_refusal() => Ok(None),
            _ => Err(failure(&answer)),
        }
    }
}

impl LabelProvider for MelhorEnvio {
    fn name(&self) -> &'static str {
        PROVIDER
    }

    /// An option of Melhor Envio's quotes is `me-` and the number of its service.
    fn service_of(&self, option: &str) -> Option<String> {
        let service = option.strip_prefix("me-")?;
        service.bytes().all(|digit| digit.is_ascii_digit()).then(|| service.to_owned())
    }

    fn add_to_cart<'a>(
        &'a self,
        request: &'a LabelRequest,
    ) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        async move {
            let body = cart::request(request, &self.platform)?;
            let answer = self.post("/api/v2/me/cart", &body).await?;
            match answer.status {
                200 | 201 => {
                    let made = label(&answer::json(&answer)?)?;
                    Ok(ProviderLabel { reference: Some(request.reference.clone()), ..made })
                }
                _ => Err(failure(&answer)),
            }
        }
        .boxed()
    }

    fn find<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, LabelAnswer<Vec<ProviderLabel>>> {
        async move {
            let sought = utf8_percent_encode(reference, NON_ALPHANUMERIC);
            let mut found = self.tagged(&format!("orders?q={sought}"), reference).await?;
            for label in self.tagged("cart", reference).await? {
                if found.iter().all(|known| known.id != label.id) {
                    found.push(label);
                }
            }
            Ok(found)
        }
        .boxed()
    }

    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<ProviderLabel>>> {
        self.read_label(id).boxed()
    }

    fn remove_from_cart<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        async move {
            if !is_id(id) {
                return Ok(());
            }
            let path = format!("/api/v2/me/cart/{id}");
            let answer = self.call(Method::DELETE, &path, None).await?;
            match answer.status {
                200 | 204 => Ok(()),
                _ if answer.is_unknown() => Ok(()),
                _ => Err(failure(&answer)),
            }
        }
        .boxed()
    }

    fn pay<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        async move {
            let answer =
                self.post("/api/v2/me/shipment/checkout", &json!({ "orders": [id] })).await?;
            match answer.status {
                // It says nothing of what was paid, so the label does.
                204 => self.paid_or(id, garbage()).await,
                200 | 201 => paid(&answer::json(&answer)?),
                _ if answer.is_refusal() && speaks_of_balance(&answer) => {
                    self.paid_or(id, LabelError::InsufficientBalance).await
                }
                // It may have been paid by a call whose answer was lost.
                _ if answer.is_refusal() => self.paid_or(id, failure(&answer)).await,
                _ => Err(failure(&answer)),
            }
        }
        .boxed()
    }

    fn generate<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        async move {
            let body = json!({ "orders": [id], "mode": "public" });
            let answer = self.post("/api/v2/me/shipment/generate", &body).await?;
            let refused = match answer.status {
                200 | 201 => {
                    let body = answer::json(&answer)?;
                    if body[id]["status"] == true {
                        return Ok(());
                    }
                    not_generated(&body, id)
                }
                _ => failure(&answer),
            };
            // It may have been made already, which is told in words that change.
            let LabelError::Refused(_) = refused else { return Err(refused) };
            match self.read_label(id).await? {
                Some(found) if (Status::Generated..Status::Cancelled).contains(&found.status) => {
                    Ok(())
                }
                _ => Err(refused),
            }
        }
        .boxed()
    }

    fn document<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<Vec<u8>>>> {
        async move {
            if !is_id(id) {
                return Ok(None);
            }
            let Some(link) = self.link(id).await? else { return Ok(None) };
            if self.url.starts_with("https://") && !link.starts_with("https://") {
                return Err(LabelError::Unclear("the link to the label is not https".to_owned()));
            }
            let call = Call::at(Method::GET, &link, <_>::default())?;
            let file = self.files.send(call).await?;
            if file.status != 200 || !file.body.starts_with(PDF) {
                return Err(LabelError::Unclear(
                    "the link to the label leads to no PDF".to_owned(),
                ));
            }
            Ok(Some(file.body.into()))
        }
        .boxed()
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        async move {
            let order = json!({
                "id": id, "reason_id": CANCELLED_BY_SENDER, "description": "Envio cancelado pela loja",
            });
            let answer =
                self.post("/api/v2/me/shipment/cancel", &json!({ "order": order })).await?;
            let refused = match answer.status {
                200 | 201 => None,
                _ if answer.is_refusal() => Some(failure(&answer)),
                _ => return Err(failure(&answer)),
            };
            let is_cancelled =
                refused.is_none() && answer::json(&answer)?[id]["canceled"] == true;
            let found = self.read_label(id).await?.ok_or_else(garbage)?;
            match refused {
                _ if is_cancelled => Ok(ProviderLabel { status: Status::Cancelled, ..found }),
                Some(refused) if found.status != Status::Cancelled => Err(refused),
                _ => Ok(found),
            }
        }
        .boxed()
    }

    fn balance(&self) -> BoxFuture<'_, LabelAnswer<Money>> {
        async move {
            let answer = self.get("/api/v2/me/balance").await?;
            match answer.status {
                200 => balance(&answer::json(&answer)?).ok_or_else(garbage),
                _ => Err(failure(&answer)),
            }
        }
        .boxed()
    }
}

/// What an answer that is no success means to a question: it has no effect that could be unclear,
/// and a refusal tells nothing of the label.
fn asked(answer: &HttpAnswer) -> LabelError {
    match failure(answer) {
        LabelError::Refused(why) => LabelError::Unclear(why),
        other => other,
    }
}
