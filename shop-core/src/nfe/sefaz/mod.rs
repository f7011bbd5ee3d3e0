//! The tax office of the company's state: SOAP 1.2 over mutual TLS.

mod answer;
mod authorizers;
mod soap;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderValue};

use self::authorizers::Service;
use self::soap::Answer;
use super::issuer::{IssuerError, KnownCorrection, NfeIssuer, Outcome, Registered};
use super::key::AccessKey;
use super::signature::NFE_NS;
use super::{TaxEnvironment, state_code};
use crate::config::certificate::Certificate;
use crate::http_client::{Call, Http, HttpError, HttpOptions, tls_with_certificate};
use crate::provider_calls::{ProviderCalls, ThirdParty};
use crate::value::Uf;

/// How often a receipt is asked about before the answer is left for later.
const TRIES: u32 = 5;

/// Where and how the tax office is asked.
#[derive(Debug, Clone)]
pub struct SefazSettings {
    /// The state of the company's registration: it decides who authorises.
    pub state: Uf,
    /// Whether invoices count.
    pub environment: TaxEnvironment,
    /// Asks there instead of at the state's own addresses; the service's name is added as the path
    /// (`/NFeAutorizacao4`).
    pub url: Option<String>,
    /// Certificates in PEM that the office's own may be issued by, besides the usual ones: those of
    /// ICP-Brasil are in no browser's list.
    pub roots: Option<Vec<u8>>,
    /// How long a call may take.
    pub timeout: Duration,
    /// How long to wait between two questions about a receipt.
    pub receipt_wait: Duration,
}

impl SefazSettings {
    /// The state's own addresses, 30 s a call, 2 s between two questions about a receipt.
    pub fn new(state: Uf, environment: TaxEnvironment) -> Self {
        Self {
            state,
            environment,
            url: None,
            roots: None,
            timeout: Duration::from_secs(30),
            receipt_wait: Duration::from_secs(2),
        }
    }
}

/// A tax office.
pub struct Sefaz {
    http: Http,
    settings: SefazSettings,
}

/// An office's answer about its own state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceStatus {
    /// 107 when it works, 108 and 109 when it does not.
    pub code: u16,
    /// The text of the answer.
    pub text: String,
}

impl Sefaz {
    /// An office that is shown the company's certificate.
    ///
    /// # Errors
    /// [`IssuerError::Unusable`] when certificate, roots or address cannot be used.
    pub fn new(certificate: &Certificate, settings: SefazSettings) -> Result<Self, IssuerError> {
        let unusable = |error: &dyn fmt::Display| IssuerError::Unusable(error.to_string());
        let key = certificate.key_der().map_err(|error| unusable(&error))?;
        let roots = settings.roots.as_deref().unwrap_or_default();
        let tls = tls_with_certificate(certificate.chain(), key.as_bytes(), roots)?;
        let options = HttpOptions { tls: Some(tls), ..HttpOptions::default() };
        let http = Http::new("NF-e", settings.timeout, options)?;
        let this = Self { http, settings };
        this.call(Service::Authorization, String::new())?;
        Ok(this)
    }

    /// The same office, whose calls are counted.
    pub(crate) fn counted(mut self, calls: &Arc<ProviderCalls>) -> Self {
        self.http = self.http.counted(calls, ThirdParty::Sefaz);
        self
    }

    /// Does the office work?
    ///
    /// # Errors
    /// [`IssuerError`].
    ///
    /// Cancel safe: it only asks.
    pub async fn service_status(&self) -> Result<ServiceStatus, IssuerError> {
        let body = format!(
            "<consStatServ xmlns=\"{NFE_NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><cUF>{}</cUF>\
             <xServ>STATUS</xServ></consStatServ>",
            self.environment(),
            state_code(&self.settings.state).unwrap_or_default(),
        );
        let answer = self.ask(Service::Status, &body).await?;
        let (code, text) = answer.result("retConsStatServ")?;
        Ok(ServiceStatus { code, text })
    }

    fn environment(&self) -> u8 {
        self.settings.environment.code()
    }

    /// A batch of this one invoice, to be answered at once.
    async fn hand_over(&self, nfe: &str, key: &AccessKey) -> Result<Outcome, IssuerError> {
        let body = format!(
            "<enviNFe xmlns=\"{NFE_NS}\" versao=\"4.00\"><idLote>{}</idLote>\
             <indSinc>1</indSinc>{nfe}</enviNFe>",
            batch(key)
        );
        let answer = self.ask(Service::Authorization, &body).await?;
        match answer.receipt()? {
            None => answer::authorization(&answer, "retEnviNFe", key),
            Some(receipt) => self.wait_for(receipt, key).await,
        }
    }

    /// Some offices answer with a receipt, whatever they are asked for.
    async fn wait_for(&self, receipt: String, key: &AccessKey) -> Result<Outcome, IssuerError> {
        let body = format!(
            "<consReciNFe xmlns=\"{NFE_NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb>\
             <nRec>{receipt}</nRec></consReciNFe>",
            self.environment()
        );
        for _ in 0..TRIES {
            tokio::time::sleep(self.settings.receipt_wait).await;
            // The office has the invoice: what cannot be learnt now is asked for later.
            let Ok(answer) = self.ask(Service::Receipt, &body).await else { continue };
            match answer::authorization(&answer, "retConsReciNFe", key)? {
                Outcome::Processing { .. } => {}
                outcome => return Ok(outcome),
            }
        }
        Ok(Outcome::Processing { receipt: Some(receipt) })
    }

    async fn look_up(&self, key: &AccessKey) -> Result<Outcome, IssuerError> {
        answer::situation(&self.ask(Service::Query, &self.question(key)).await?, key)
    }

    fn question(&self, key: &AccessKey) -> String {
        format!(
            "<consSitNFe xmlns=\"{NFE_NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb>\
             <xServ>CONSULTAR</xServ><chNFe>{key}</chNFe></consSitNFe>",
            self.environment()
        )
    }

    async fn register(&self, event: &str, key: &AccessKey) -> Result<Registered, IssuerError> {
        let body = format!(
            "<envEvento xmlns=\"{NFE_NS}\" versao=\"1.00\"><idLote>{}</idLote>{event}</envEvento>",
            batch(key)
        );
        answer::event(&self.ask(Service::Event, &body).await?, key)
    }

    async fn look_up_correction(
        &self,
        key: &AccessKey,
        sequence: u8,
    ) -> Result<Option<KnownCorrection>, IssuerError> {
        let answer = self.ask(Service::Query, &self.question(key)).await?;
        answer::correction(&answer, key, sequence)
    }

    async fn ask(&self, service: Service, body: &str) -> Result<Answer, IssuerError> {
        let call = self.call(service, soap::envelope(service, body))?;
        let answer = self.http.send(call).await.map_err(IssuerError::from)?;
        soap::open(answer.status, &answer.body)
    }

    fn call(&self, service: Service, envelope: String) -> Result<Call, IssuerError> {
        let (base, path) = match &self.settings.url {
            Some(url) => (url.clone(), format!("/{}", service.name())),
            None => authorizers::address(&self.settings.state, self.settings.environment, service),
        };
        let call = Call::new(Method::POST, &base, &path, Bytes::from(envelope))?;
        let kind = HeaderValue::from_str(&soap::content_type(service))
            .map_err(|error| IssuerError::Unusable(error.to_string()))?;
        Ok(call.header(CONTENT_TYPE, kind))
    }
}

/// A batch's number means nothing to anybody; the key's last fifteen digits are as good as any.
fn batch(key: &AccessKey) -> &str {
    key.as_str().get(29..).unwrap_or("1")
}

impl NfeIssuer for Sefaz {
    fn name(&self) -> &'static str {
        "sefaz"
    }

    fn authorize<'a>(
        &'a self,
        nfe: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        Box::pin(self.hand_over(nfe, key))
    }

    fn status_of<'a>(&'a self, key: &'a AccessKey) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        Box::pin(self.look_up(key))
    }

    fn cancel<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(self.register(event, key))
    }

    fn correct<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(self.register(event, key))
    }

    fn correction_of<'a>(
        &'a self,
        key: &'a AccessKey,
        sequence: u8,
    ) -> BoxFuture<'a, Result<Option<KnownCorrection>, IssuerError>> {
        Box::pin(self.look_up_correction(key, sequence))
    }

    fn disable_numbers<'a>(
        &'a self,
        request: &'a str,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(async move { answer::disabled(&self.ask(Service::Disable, request).await?) })
    }
}

impl fmt::Debug for Sefaz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sefaz").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl From<HttpError> for IssuerError {
    /// Where a connection broke is not told apart from where it could not be made, so that an
    /// invoice is looked up rather than believed not to have been handed over.
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Unusable(why) => Self::Unusable(why.to_owned()),
            HttpError::NotPublic => Self::Unusable(error.to_string()),
            HttpError::TooLarge => Self::Garbage(error.to_string()),
            HttpError::Unreachable(_) | HttpError::TooSlow => Self::NoAnswer(error.to_string()),
        }
    }
}
