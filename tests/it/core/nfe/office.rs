//! A tax office for tests: it keeps its own books, and fails where it is told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use shop_core::nfe::{AccessKey, IssuerError, KnownCorrection, NfeIssuer, Outcome, Registered};
use shop_core::{Config, Shop};

use crate::core::fixture::TestShop;

/// What goes wrong with the next call that hands something over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing.
    None,
    /// It breaks off before the office sees it.
    LostBefore,
    /// It breaks off when the office has done it.
    LostAfter,
    /// It never ends, before the office sees it.
    HangsBefore,
    /// It never ends, when the office has done it.
    HangsAfter,
    /// The office says that it will decide later, and does so at once.
    Later,
    /// The office refuses with this code.
    Rejects(u16),
    /// The office denies the use.
    Denies,
}

/// What the office knows of an invoice.
#[derive(Clone)]
struct Entry {
    protocol: String,
    event: Option<String>,
}

#[derive(Default)]
struct Books {
    by_key: BTreeMap<String, Entry>,
    /// Company, series and number, with the key that has them; none where they are invalid.
    numbers: BTreeMap<String, Option<String>>,
    /// Correction letters, by key and number.
    corrections: BTreeMap<(String, u8), KnownCorrection>,
    fault: Option<Fault>,
    /// It takes nothing and tells nothing for now, with this code.
    paused: Option<u16>,
    /// How often something was handed over, and asked.
    handed_over: usize,
    asked: usize,
}

#[derive(Clone, Default)]
pub(super) struct Office(Arc<Mutex<Books>>);

impl Office {
    /// The shop on the same file, with this office; as a program that was started anew.
    pub(super) async fn open(&self, test: &TestShop) -> Shop {
        self.open_with(test, |_| {}).await
    }

    /// The same with other settings.
    pub(super) async fn open_with(
        &self,
        test: &TestShop,
        adapt: impl FnOnce(&mut Config) + Send,
    ) -> Shop {
        let config = test.shop.config().clone();
        let builder = Shop::builder(config).configure(adapt).clock(test.clock.clone());
        builder.nfe_issuer(self.clone()).open().await.expect("opens")
    }

    /// The next call that hands something over goes wrong like this.
    pub(super) fn next(&self, fault: Fault) {
        self.books().fault = Some(fault);
    }

    /// From now on it refuses whatever it is asked with this code, until there is none.
    pub(super) fn pause(&self, code: Option<u16>) {
        self.books().paused = code;
    }

    /// Invoices that are authorised and not cancelled.
    pub(super) fn good(&self) -> usize {
        self.books().by_key.values().filter(|entry| entry.event.is_none()).count()
    }

    pub(super) fn authorized(&self) -> usize {
        self.books().by_key.len()
    }

    pub(super) fn handed_over(&self) -> usize {
        self.books().handed_over
    }

    pub(super) fn asked(&self) -> usize {
        self.books().asked
    }

    /// The correction letters that it has: their numbers and texts.
    pub(super) fn corrections(&self) -> Vec<(u8, String)> {
        let books = self.books();
        books.corrections.iter().map(|((_, number), it)| (*number, it.text.clone())).collect()
    }

    /// Another program registered a correction letter of an invoice.
    pub(super) fn take_sequence(&self, key: &str, number: u8) {
        let correction =
            KnownCorrection { text: "De outro programa".to_owned(), answer: String::new() };
        self.books().corrections.insert((key.to_owned(), number), correction);
    }

    /// Another program issued with this number.
    pub(super) fn take_number(&self, number: u32) {
        let number = format!("11222333000181-001-{number:09}");
        self.books().numbers.insert(number, Some("another program's".to_owned()));
    }

    fn books(&self) -> std::sync::MutexGuard<'_, Books> {
        self.0.lock().expect("a lock")
    }

    /// Does something with the next fault in the way.
    async fn with_fault<T>(
        &self,
        rejected: fn(u16, String) -> T,
        denied: fn() -> Option<T>,
        later: fn() -> Option<T>,
        done: impl FnOnce(&mut Books) -> T,
    ) -> Result<T, IssuerError> {
        let fault = {
            let mut books = self.books();
            books.handed_over += 1;
            let paused = books.paused.map(Fault::Rejects);
            paused.or_else(|| books.fault.take()).unwrap_or(Fault::None)
        };
        let lost = || Err(IssuerError::NoAnswer("broken off".to_owned()));
        match fault {
            Fault::LostBefore => return lost(),
            Fault::HangsBefore => std::future::pending().await,
            Fault::Rejects(code) => return Ok(rejected(code, format!("Rejeicao: {code}"))),
            Fault::Denies => return denied().ok_or(IssuerError::Garbage("denied?".to_owned())),
            _ => {}
        }
        let answer = done(&mut self.books());
        match fault {
            Fault::LostAfter => lost(),
            Fault::HangsAfter => std::future::pending().await,
            Fault::Later => later().ok_or(IssuerError::Garbage("later?".to_owned())),
            _ => Ok(answer),
        }
    }
}

fn part(xml: &str, tag: &str) -> String {
    let rest = xml.split_once(&format!("<{tag}>")).expect(tag).1;
    rest.split_once('<').expect("an end").0.to_owned()
}

impl Books {
    fn authorize(&mut self, nfe: &str, key: &AccessKey) -> Outcome {
        let text = key.to_string();
        if self.by_key.contains_key(&text) {
            return Outcome::Duplicate { text: "Rejeicao: Duplicidade de NF-e".to_owned() };
        }
        let number = format!("{}-{}-{}", key.cnpj(), &text[22..25], &text[25..34]);
        match self.numbers.get(&number) {
            Some(None) => return Outcome::Rejected { code: 206, text: "inutilizada".to_owned() },
            Some(Some(_)) => {
                return Outcome::Rejected { code: 539, text: "outra chave".to_owned() };
            }
            None => {}
        }
        let protocol = format!(
            "<protNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><infProt>\
             <tpAmb>2</tpAmb><verAplic>TESTE</verAplic><chNFe>{key}</chNFe>\
             <dhRecbto>2026-11-21T12:00:01-03:00</dhRecbto><nProt>1352600000{:05}</nProt>\
             <digVal>{}</digVal><cStat>100</cStat><xMotivo>Autorizado o uso da NF-e</xMotivo>\
             </infProt></protNFe>",
            self.by_key.len() + 1,
            part(nfe, "DigestValue"),
        );
        self.numbers.insert(number, Some(text.clone()));
        self.by_key.insert(text, Entry { protocol: protocol.clone(), event: None });
        Outcome::Authorized { protocol }
    }

    fn cancel(&mut self, key: &AccessKey) -> Registered {
        let Some(entry) = self.by_key.get_mut(key.as_str()) else {
            return Registered::Rejected { code: 494, text: "inexistente".to_owned() };
        };
        if entry.event.is_some() {
            return Registered::Already { text: "Rejeicao: Duplicidade de evento".to_owned() };
        }
        let answer = format!(
            "<retEvento versao=\"1.00\"><infEvento><cStat>135</cStat><chNFe>{key}</chNFe>\
             <dhRegEvento>2026-11-21T12:30:00-03:00</dhRegEvento></infEvento></retEvento>"
        );
        entry.event = Some(answer.clone());
        Registered::Accepted { answer }
    }

    fn correct(&mut self, event: &str, key: &AccessKey) -> Registered {
        let number: u8 = part(event, "nSeqEvento").parse().expect("a number");
        let place = (key.to_string(), number);
        if self.corrections.contains_key(&place) {
            return Registered::Already { text: "Rejeicao: Duplicidade de evento".to_owned() };
        }
        let answer = format!(
            "<retEvento versao=\"1.00\"><infEvento><cStat>135</cStat><chNFe>{key}</chNFe>\
             <dhRegEvento>2026-11-21T12:40:00-03:00</dhRegEvento><nProt>135260000012345</nProt>\
             </infEvento></retEvento>"
        );
        let correction = KnownCorrection { text: part(event, "xCorrecao"), answer: answer.clone() };
        self.corrections.insert(place, correction);
        Registered::Accepted { answer }
    }

    fn disable(&mut self, request: &str) -> Registered {
        let number: u32 = part(request, "nNFIni").parse().expect("a number");
        let series: u32 = part(request, "serie").parse().expect("a series");
        let number = format!("{}-{series:03}-{number:09}", part(request, "CNPJ"));
        match self.numbers.get(&number) {
            Some(None) => Registered::Already { text: "Ja inutilizado".to_owned() },
            Some(Some(_)) => Registered::Rejected { code: 241, text: "utilizado".to_owned() },
            None => {
                self.numbers.insert(number, None);
                Registered::Accepted {
                    answer: "<retInutNFe versao=\"4.00\"></retInutNFe>".to_owned(),
                }
            }
        }
    }
}

impl NfeIssuer for Office {
    fn name(&self) -> &'static str {
        "test"
    }

    fn authorize<'a>(
        &'a self,
        nfe: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        Box::pin(self.with_fault(
            |code, text| Outcome::Rejected { code, text },
            || Some(Outcome::Denied { code: 302, text: "Uso Denegado".to_owned(), protocol: None }),
            || Some(Outcome::Processing { receipt: None }),
            |books| books.authorize(nfe, key),
        ))
    }

    fn status_of<'a>(&'a self, key: &'a AccessKey) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        let mut books = self.books();
        books.asked += 1;
        let paused = books.paused.map(|code| Outcome::Rejected { code, text: "pausa".to_owned() });
        let answer = match books.by_key.get(key.as_str()).cloned() {
            _ if paused.is_some() => paused.unwrap_or(Outcome::Unknown),
            None => Outcome::Unknown,
            Some(Entry { protocol, event: None }) => Outcome::Authorized { protocol },
            Some(Entry { protocol, event }) => {
                Outcome::Cancelled { protocol: Some(protocol), event }
            }
        };
        Box::pin(std::future::ready(Ok(answer)))
    }

    fn cancel<'a>(
        &'a self,
        _: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(self.with_fault(
            |code, text| Registered::Rejected { code, text },
            || None,
            || None,
            |books| books.cancel(key),
        ))
    }

    fn correct<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(self.with_fault(
            |code, text| Registered::Rejected { code, text },
            || None,
            || None,
            |books| books.correct(event, key),
        ))
    }

    fn correction_of<'a>(
        &'a self,
        key: &'a AccessKey,
        sequence: u8,
    ) -> BoxFuture<'a, Result<Option<KnownCorrection>, IssuerError>> {
        let found = self.books().corrections.get(&(key.to_string(), sequence)).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn disable_numbers<'a>(
        &'a self,
        request: &'a str,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(self.with_fault(
            |code, text| Registered::Rejected { code, text },
            || None,
            || None,
            |books| books.disable(request),
        ))
    }
}
