//! The tax office, with true books of its own: which invoices it authorised, cancelled and will
//! never see.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use shop_core::clock::{Clock, ManualClock};
use shop_core::nfe::{AccessKey, IssuerError, NfeIssuer, Outcome, Registered};

/// How the office answers during one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OfficeMood {
    #[default]
    Answers,
    /// Does what it is asked, and the answer gets lost.
    LosesAnswer,
    /// Does nothing and does not answer.
    IsDown,
    /// Refuses every document.
    Refuses,
    /// Takes a document in and tells later what became of it.
    DecidesLater,
}

impl OfficeMood {
    pub(crate) const FAULTS: [Self; 4] =
        [Self::LosesAnswer, Self::IsDown, Self::Refuses, Self::DecidesLater];
}

/// An invoice that was authorised.
#[derive(Debug, Clone)]
pub(crate) struct Authorised {
    pub(crate) number: i64,
    /// What it comes to, in cents.
    pub(crate) total: i64,
    pub(crate) is_cancelled: bool,
    protocol: String,
}

#[derive(Debug, Default)]
struct Books {
    mood: OfficeMood,
    by_key: BTreeMap<String, Authorised>,
    /// Numbers that will have no invoice.
    disabled: BTreeSet<i64>,
}

/// The office. Clones share its books.
#[derive(Debug, Clone)]
pub(crate) struct Office {
    books: Arc<Mutex<Books>>,
    clock: ManualClock,
}

impl Office {
    pub(crate) fn new(clock: ManualClock) -> Self {
        Self { books: Arc::default(), clock }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, mood: OfficeMood) {
        self.books().mood = mood;
    }

    /// Every invoice that it authorised, by its access key.
    pub(crate) fn all(&self) -> BTreeMap<String, Authorised> {
        self.books().by_key.clone()
    }

    /// Whether it knows that a number will have no invoice.
    pub(crate) fn has_disabled(&self, number: i64) -> bool {
        self.books().disabled.contains(&number)
    }

    /// Does something in its books, and answers as it does now.
    async fn hand_over<T>(
        &self,
        refused: T,
        later: Option<T>,
        done: impl FnOnce(&mut Books, &str) -> T,
    ) -> Result<T, IssuerError> {
        tokio::task::yield_now().await;
        let (mood, answer) = {
            let mut books = self.books();
            let now = self.clock.now().to_string();
            match books.mood {
                OfficeMood::IsDown => return Err(silent()),
                OfficeMood::Refuses => return Ok(refused),
                mood => (mood, done(&mut books, &now)),
            }
        };
        tokio::task::yield_now().await;
        match mood {
            OfficeMood::LosesAnswer => Err(silent()),
            OfficeMood::DecidesLater => Ok(later.unwrap_or(answer)),
            _ => Ok(answer),
        }
    }
}

fn silent() -> IssuerError {
    IssuerError::NoAnswer("simulated".to_owned())
}

/// Of a document that is not even read.
const UNREADABLE: u16 = 225;

fn rejected() -> Registered {
    Registered::Rejected { code: UNREADABLE, text: "simulated".to_owned() }
}

fn part<'x>(xml: &'x str, tag: &str) -> &'x str {
    let rest = xml.split_once(&format!("<{tag}>")).map_or("", |(_, rest)| rest);
    rest.split_once('<').map_or("", |(text, _)| text)
}

fn number(text: &str) -> i64 {
    text.parse().unwrap_or(-1)
}

impl Books {
    fn authorise(&mut self, nfe: &str, key: &AccessKey, now: &str) -> Outcome {
        let own = number(part(nfe, "nNF"));
        if self.by_key.contains_key(key.as_str()) {
            return Outcome::Duplicate { text: "Rejeicao: Duplicidade de NF-e".to_owned() };
        }
        if self.disabled.contains(&own) || self.by_key.values().any(|it| it.number == own) {
            return Outcome::Rejected { code: 206, text: "numero usado".to_owned() };
        }
        let protocol = format!(
            "<protNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><infProt>\
             <tpAmb>2</tpAmb><verAplic>SIM</verAplic><chNFe>{key}</chNFe><dhRecbto>{now}</dhRecbto>\
             <nProt>1352600000{own:05}</nProt><digVal>{}</digVal><cStat>100</cStat>\
             <xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>",
            part(nfe, "DigestValue"),
        );
        let total = number(&part(nfe, "vNF").replace('.', ""));
        let authorised =
            Authorised { number: own, total, is_cancelled: false, protocol: protocol.clone() };
        self.by_key.insert(key.to_string(), authorised);
        Outcome::Authorized { protocol }
    }

    fn cancel(&mut self, key: &AccessKey, now: &str) -> Registered {
        let Some(known) = self.by_key.get_mut(key.as_str()) else { return rejected() };
        if known.is_cancelled {
            return Registered::Already { text: "Rejeicao: Duplicidade de evento".to_owned() };
        }
        known.is_cancelled = true;
        Registered::Accepted { answer: event(key, now) }
    }

    fn disable(&mut self, request: &str) -> Registered {
        let unused = number(part(request, "nNFIni"));
        if self.by_key.values().any(|it| it.number == unused) {
            return rejected();
        }
        if !self.disabled.insert(unused) {
            return Registered::Already { text: "Ja inutilizado".to_owned() };
        }
        Registered::Accepted { answer: "<retInutNFe versao=\"4.00\"></retInutNFe>".to_owned() }
    }
}

/// The registration of a cancellation.
fn event(key: &AccessKey, now: &str) -> String {
    format!(
        "<retEvento versao=\"1.00\"><infEvento><cStat>135</cStat><chNFe>{key}</chNFe>\
         <dhRegEvento>{now}</dhRegEvento></infEvento></retEvento>"
    )
}

impl NfeIssuer for Office {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn authorize<'a>(
        &'a self,
        nfe: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        let refused = Outcome::Rejected { code: UNREADABLE, text: "simulated".to_owned() };
        let later = Some(Outcome::Processing { receipt: None });
        let authorise = |books: &mut Books, now: &str| books.authorise(nfe, key, now);
        Box::pin(self.hand_over(refused, later, authorise))
    }

    fn status_of<'a>(&'a self, key: &'a AccessKey) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let (now, books) = (self.clock.now().to_string(), self.books());
            if matches!(books.mood, OfficeMood::IsDown | OfficeMood::LosesAnswer) {
                return Err(silent());
            }
            Ok(match books.by_key.get(key.as_str()) {
                None => Outcome::Unknown,
                Some(Authorised { protocol, is_cancelled: false, .. }) => {
                    Outcome::Authorized { protocol: protocol.clone() }
                }
                Some(Authorised { protocol, .. }) => Outcome::Cancelled {
                    protocol: Some(protocol.clone()),
                    event: Some(event(key, &now)),
                },
            })
        })
    }

    fn cancel<'a>(
        &'a self,
        _: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(self.hand_over(rejected(), None, |books, now| books.cancel(key, now)))
    }

    fn disable_numbers<'a>(
        &'a self,
        request: &'a str,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(self.hand_over(rejected(), None, |books, _| books.disable(request)))
    }
}
