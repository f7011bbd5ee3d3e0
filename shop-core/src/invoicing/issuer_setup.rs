//! The issuer of the shop's invoices and its authoriser: made once, from the configuration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, Timestamp};
use crate::config::{IssuerKind, NfeConfig};
use crate::error::{Error, Result};
use crate::fiscal::{Company, TaxEnvironment};
use crate::nfe::danfe;
use crate::nfe::in_time::InTime;
use crate::nfe::sandbox::{self, SandboxIssuer};
#[cfg(feature = "http")]
use crate::nfe::sefaz::{Sefaz, SefazSettings};
use crate::nfe::{Certificate, NfeIssuer, Responsible};
use crate::provider_calls::ProviderCalls;
use crate::storage::Db;
use crate::value::{Cpf, words};

/// How long before its end a certificate is warned about.
const WARN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A CPF whose check digits hold and that tests commonly use.
pub(super) const TEST_CPF: &str = "111.444.777-35";

words! {
    /// Numbers of one scope have nothing to do with another's.
    pub(crate) enum NumberScope {
        Sandbox = "SANDBOX",
        Homologation = "HOMOLOGATION",
        Production = "PRODUCTION",
    }
}

/// The company that issues and the office that authorises.
pub(crate) struct IssuerSetup {
    pub(super) issuer: Arc<dyn NfeIssuer>,
    pub(super) certificate: Arc<Certificate>,
    pub(super) company: Company,
    pub(super) scope: NumberScope,
    /// Whether the built-in sandbox authorises.
    is_sandbox: bool,
}

impl std::fmt::Debug for IssuerSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuerSetup").finish_non_exhaustive()
    }
}

impl IssuerSetup {
    /// The office that a configuration describes; an issuer that a program brought along takes the
    /// place of the configured one.
    ///
    /// # Errors
    /// [`Error::Internal`] when the company's block or the certificate cannot be used.
    pub(crate) fn open(
        config: &NfeConfig,
        own: Option<Arc<dyn NfeIssuer>>,
        db: &Db,
        clock: &Arc<dyn Clock>,
        calls: &Arc<ProviderCalls>,
    ) -> Result<Self> {
        let company = config.company().map_err(Error::from_source)?;
        let certificate = Arc::new(match config.certificate().map_err(Error::from_source)? {
            Some(certificate) => certificate,
            None => sandbox::certificate()?,
        });
        warn_of_end(config, &certificate, clock.now());
        let is_sandbox = own.is_none() && config.issuer == IssuerKind::Sandbox;
        let issuer: Arc<dyn NfeIssuer> = match (own, config.issuer) {
            (Some(own), _) => Arc::new(InTime::new(own, Duration::from_millis(config.timeout_ms))),
            (None, IssuerKind::Sandbox) => {
                let csrt = Responsible::of(&config.responsible).and_then(|it| it.csrt);
                Arc::new(SandboxIssuer::new(db.clone(), Arc::clone(clock), csrt))
            }
            (None, IssuerKind::Sefaz) => sefaz(config, &company, &certificate, calls)?,
        };
        let scope = match (config.issuer, config.environment) {
            (IssuerKind::Sandbox, _) => NumberScope::Sandbox,
            (IssuerKind::Sefaz, TaxEnvironment::Homologation) => NumberScope::Homologation,
            (IssuerKind::Sefaz, TaxEnvironment::Production) => NumberScope::Production,
        };
        Ok(Self { issuer, certificate, company, scope, is_sandbox })
    }

    /// The CPF of invoices whose buyer gave none: only the sandbox issues such.
    pub(super) fn test_cpf(&self) -> Option<Cpf> {
        self.is_sandbox.then(|| TEST_CPF.parse().ok()).flatten()
    }
}

/// The picture for printed invoices.
///
/// # Errors
/// [`Error::Internal`] when it cannot be read, or is no picture that can be printed: every printed
/// invoice would fail.
pub(crate) fn danfe_logo(config: &NfeConfig) -> Result<Option<Vec<u8>>> {
    let Some(path) = &config.logo else { return Ok(None) };
    let logo = read(path)?;
    let broken = |error| Error::internal(format!("nfe.logo, {}: {error}", path.display()));
    danfe::check_logo(&logo).map_err(broken)?;
    Ok(Some(logo))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let file = std::fs::read(path);
    file.map_err(|error| Error::internal(format!("cannot read {}: {error}", path.display())))
}

/// A certificate that has ended is no reason to close the shop.
fn warn_of_end(config: &NfeConfig, certificate: &Certificate, now: Timestamp) {
    if config.issuer == IssuerKind::Sandbox {
        return;
    }
    if now >= certificate.not_after() {
        // The shop goes on selling; an attempt to issue gets the tax office's refusal.
        tracing::error!(until = %certificate.not_after(), "the company's certificate has expired");
    } else if now.plus(WARN) >= certificate.not_after() {
        tracing::warn!(until = %certificate.not_after(), "the company's certificate ends soon");
    }
}

#[cfg(feature = "http")]
fn sefaz(
    config: &NfeConfig,
    company: &Company,
    certificate: &Certificate,
    calls: &Arc<ProviderCalls>,
) -> Result<Arc<dyn NfeIssuer>> {
    let settings = SefazSettings {
        url: config.url.clone(),
        roots: config.ca_file.as_deref().map(read).transpose()?,
        timeout: Duration::from_millis(config.timeout_ms),
        ..SefazSettings::new(company.address.state.clone(), config.environment)
    };
    let sefaz = Sefaz::new(certificate, settings).map_err(Error::from_source)?;
    Ok(Arc::new(sefaz.counted(calls)))
}

#[cfg(not(feature = "http"))]
fn sefaz(
    _: &NfeConfig,
    _: &Company,
    _: &Certificate,
    _: &Arc<ProviderCalls>,
) -> Result<Arc<dyn NfeIssuer>> {
    Err(Error::internal("this build does not transmit to the tax office"))
}
