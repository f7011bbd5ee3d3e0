//! A tax office (SEFAZ) behind mutual TLS and SOAP 1.2, with its own books.
//!
//! The keys and certificates in `files/` are this project's own and mean nothing
//! (`O=TESTE - SEM VALIDADE`): an authority, the office, a company that the authority knows and a
//! stranger that it does not.

mod books;
mod wire;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use shop_core::Config;
use shop_core::config::{IssuerKind, Secret};
use shop_core::nfe::TaxRegime;
use tokio::net::TcpListener;

use self::books::Books;
pub(crate) use self::wire::PASSWORD;

/// How the office behaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Behavior {
    /// It answers at once.
    Works,
    /// It answers with a receipt, which it must be asked about so many times before it has decided.
    Receipts(u32),
    /// It accepts nothing, for a reason.
    Rejects(u16, &'static str),
    /// It denies the use for good, as offices did until September 2024.
    Denies,
    /// It authorises with an alert of two messages.
    Alerts,
    /// It takes the request, forgets it and says nothing.
    SilentBefore,
    /// It does what it was asked to and says nothing.
    SilentAfter,
    /// It does what it was asked to and hangs up.
    HangsUpAfter,
    /// It answers with a page for people.
    Garbage,
    /// It answers with a SOAP fault.
    Fault,
    /// It answers with XML of some other shape.
    OtherXml,
    /// It puts its document into the envelope as text.
    Escapes,
    /// It is closed.
    Paused,
    /// It holds that it is too late to cancel.
    TooLate,
    /// Its word about an invoice lacks the code of what was decided.
    Unreadable,
}

/// The office on a port of its own. It stops when it is dropped.
#[derive(Clone)]
pub(crate) struct Sefaz {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    behavior: Behavior,
    books: Books,
    /// Names of the services that were asked, and what they were sent.
    received: Vec<(String, String)>,
}

impl Sefaz {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state =
            State { behavior: Behavior::Works, books: Books::default(), received: Vec::new() };
        let sefaz = Self { address, state: Arc::new(Mutex::new(state)) };
        tokio::spawn(wire::serve(listener, sefaz.clone()));
        sefaz
    }

    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    pub(crate) fn behaves(&self, behavior: Behavior) {
        self.state.lock().expect("a lock").behavior = behavior;
    }

    /// The keys of the invoices that it authorised and did not cancel.
    pub(crate) fn good(&self) -> Vec<String> {
        self.state.lock().expect("a lock").books.good()
    }

    /// How many invoices it ever authorised.
    pub(crate) fn authorised(&self) -> usize {
        self.state.lock().expect("a lock").books.authorised()
    }

    /// The services that were asked since it was last asked this.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.received().into_iter().map(|(service, _)| service).collect()
    }

    /// The same, with what they were sent.
    pub(crate) fn received(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.state.lock().expect("a lock").received)
    }

    /// Waits until a service was asked.
    pub(crate) async fn wait_for(&self, service: &str) {
        let begun = Instant::now();
        loop {
            let asked =
                self.state.lock().expect("a lock").received.iter().any(|it| it.0 == service);
            if asked {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{service} was not asked");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The settings of a shop whose company this office knows.
    pub(crate) fn adapt(&self, config: &mut Config) {
        let nfe = &mut config.nfe;
        nfe.issuer = IssuerKind::Sefaz;
        nfe.url = Some(self.url());
        nfe.ca_file = Some(wire::file("ca.pem"));
        nfe.certificate_path = Some(wire::file("company.pfx"));
        nfe.certificate_password = Some(Secret::new(PASSWORD));
        nfe.timeout_ms = 600;
        nfe.defaults.ncm = "34060000".parse().ok();
        let text = |text: &str| Some(text.to_owned());
        let company = &mut nfe.company;
        company.cnpj = "11222333000181".parse().ok();
        company.name = text("AURORA VELAS ARTESANAIS LTDA");
        company.state_registration = text("110042490114");
        company.regime = Some(TaxRegime::Simples);
        company.street = text("RUA DAS FLORES");
        company.number = text("100");
        company.district = text("CENTRO");
        company.city_code = text("3550308");
        company.state = "SP".parse().ok();
        company.zip_code = "01001000".parse().ok();
    }

    /// The same as [`Sefaz::adapt`], as a real server takes it from its environment.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let path = |name: &str| wire::file(name).display().to_string();
        [
            ("ISSUER", "sefaz".to_owned()),
            ("URL", self.url()),
            ("CA_FILE", path("ca.pem")),
            ("CERTIFICATE_PATH", path("company.pfx")),
            ("CERTIFICATE_PASSWORD", PASSWORD.to_owned()),
            ("TIMEOUT_MS", "5000".to_owned()),
            ("DEFAULTS__NCM", "34060000".to_owned()),
            ("COMPANY__CNPJ", "11222333000181".to_owned()),
            ("COMPANY__NAME", "AURORA VELAS ARTESANAIS LTDA".to_owned()),
            ("COMPANY__STATE_REGISTRATION", "110042490114".to_owned()),
            ("COMPANY__REGIME", "simples".to_owned()),
            ("COMPANY__STREET", "RUA DAS FLORES".to_owned()),
            ("COMPANY__NUMBER", "100".to_owned()),
            ("COMPANY__DISTRICT", "CENTRO".to_owned()),
            ("COMPANY__CITY_CODE", "3550308".to_owned()),
            ("COMPANY__STATE", "SP".to_owned()),
            ("COMPANY__ZIP_CODE", "01001000".to_owned()),
        ]
        .map(|(key, value)| (format!("SHOP_NFE__{key}"), value))
        .into()
    }
}

/// Where a file of this fake is.
pub(crate) fn path(name: &str) -> std::path::PathBuf {
    wire::file(name)
}

/// A file of this fake.
pub(crate) fn file(name: &str) -> Vec<u8> {
    std::fs::read(wire::file(name)).expect("a file")
}
