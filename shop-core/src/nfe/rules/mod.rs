//! The rules of business by which the tax office refuses an invoice ('rejeições'), as far as the
//! document and the time show by themselves that it breaks one. What only an office's registers
//! know (181 for a buyer's CNPJ, 233 for an IE, 481 for the regime) is not among them.
//!
//! One table has every rule with the office's code and words and the text that it comes from. The
//! sandbox refuses by it, and `shop-cli nfe check` tells by it before anything is issued.

mod document;
mod goods;
mod header;
mod parties;
mod payment;
mod reform;
mod regime;
mod responsible;
mod returns;
mod totals;

use roxmltree::Document;
use serde::Serialize;

use self::document::{Item, Note, Part};
use super::responsible::Csrt;
use crate::clock::Timestamp;

/// A rule by which the tax office refuses invoices of model 55.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The office's code (`cStat`).
    pub code: u16,
    /// The office's words, without the number of the item.
    pub text: &'static str,
    /// Where the rule is written down.
    pub source: &'static str,
    broken: Broken,
}

/// What breaks a rule.
#[derive(Debug)]
enum Broken {
    /// The document as a whole.
    By(fn(&Note<'_>, &Reception) -> bool),
    /// An item.
    ByItem(fn(&Note<'_>, &Item<'_>) -> bool),
    /// A total that is not the sum of what the items say, both by their paths.
    BySum(&'static str, &'static str),
}

/// What an office knows when a document comes in.
#[derive(Debug, Clone)]
pub struct Reception {
    /// When that is.
    pub at: Timestamp,
    /// The code that it gave the company that answers for the program, where it gave one.
    pub csrt: Option<Csrt>,
}

/// A rule that a document breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Violation {
    /// The office's code (`cStat`).
    pub code: u16,
    /// The office's words (`xMotivo`), with the number of the item where one breaks the rule.
    pub text: String,
    /// Where the rule is written down.
    pub source: String,
}

/// The rules, in the order in which the document has what they are about.
const TABLE: [&[Rule]; 9] = [
    header::RULES,
    parties::RULES,
    goods::RULES,
    regime::RULES,
    reform::RULES,
    returns::RULES,
    totals::RULES,
    payment::RULES,
    responsible::RULES,
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TABLE.into_iter().flatten()
}

/// The rules that a document breaks, in the order of [`all`]; a rule that several items break comes
/// for each of them. `nfe` is the `NFe` element, signed or not.
///
/// What is no invoice at all breaks the schema: 215.
pub fn violations(nfe: &str, reception: &Reception) -> Vec<Violation> {
    let document = Document::parse(nfe);
    let Some(note) = document.as_ref().ok().and_then(Note::read) else {
        let (text, source) = ("Rejeição: Falha no schema XML", "MOC 7.0, Anexo I, D01");
        return vec![Violation { code: 215, text: text.to_owned(), source: source.to_owned() }];
    };
    all().flat_map(|rule| rule.broken_by(&note, reception)).collect()
}

impl Rule {
    fn broken_by(&self, note: &Note<'_>, reception: &Reception) -> Vec<Violation> {
        let whole = |is_broken: bool| is_broken.then(|| self.violation("")).into_iter().collect();
        match self.broken {
            Broken::By(is_broken) => whole(is_broken(note, reception)),
            Broken::ByItem(is_broken) => {
                let broken = note.items.iter().filter(|item| is_broken(note, item));
                let place = |item: &Item<'_>| format!(" [nItem: {}]", item.number);
                broken.map(|item| self.violation(&place(item))).collect()
            }
            Broken::BySum(total, each) => {
                let sum = note.items.iter().map(|item| item.part.amount(each)).sum();
                whole(note.root.find(total).is_some_and(|part| part.value() != sum))
            }
        }
    }

    fn violation(&self, place: &str) -> Violation {
        Violation {
            code: self.code,
            text: format!("Rejeição: {}{place}", self.text),
            source: self.source.to_owned(),
        }
    }
}

/// A rule about the document as a whole.
const fn rule(
    code: u16,
    text: &'static str,
    source: &'static str,
    is_broken: fn(&Note<'_>, &Reception) -> bool,
) -> Rule {
    Rule { code, text, source, broken: Broken::By(is_broken) }
}

/// A rule about each item.
const fn item_rule(
    code: u16,
    text: &'static str,
    source: &'static str,
    is_broken: fn(&Note<'_>, &Item<'_>) -> bool,
) -> Rule {
    Rule { code, text, source, broken: Broken::ByItem(is_broken) }
}

/// A rule about a total and what it is the sum of.
const fn sum_rule(
    code: u16,
    text: &'static str,
    source: &'static str,
    total: &'static str,
    each: &'static str,
) -> Rule {
    Rule { code, text, source, broken: Broken::BySum(total, each) }
}
