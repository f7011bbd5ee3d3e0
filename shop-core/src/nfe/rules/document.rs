//! What the rules look at, read from a document once.

use chrono::NaiveDate;
use roxmltree::{Document, Node};
use rust_decimal::Decimal;

use crate::clock::Timestamp;

/// Some element of an invoice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'x>(Node<'x, 'x>);

/// An invoice.
#[derive(Debug)]
pub(super) struct Note<'x> {
    /// `infNFe`.
    pub(super) root: Part<'x>,
    /// The 44 characters of its `Id`.
    pub(super) key: &'x str,
    /// `ide`.
    pub(super) header: Part<'x>,
    pub(super) issued_at: Option<Timestamp>,
    /// The day of issue, where it was issued.
    pub(super) day: NaiveDate,
    /// `emit`.
    pub(super) issuer: Part<'x>,
    pub(super) issuer_state: &'x str,
    /// `dest`.
    pub(super) recipient: Option<Part<'x>>,
    pub(super) items: Vec<Item<'x>>,
    /// `pag/detPag`.
    pub(super) payments: Vec<Part<'x>>,
}

/// An item of an invoice.
#[derive(Debug)]
pub(super) struct Item<'x> {
    /// `det`.
    pub(super) part: Part<'x>,
    pub(super) number: &'x str,
    pub(super) cfop: &'x str,
    /// The group of ICMS, of whatever kind.
    pub(super) icms: Option<Part<'x>>,
    pub(super) csosn: &'x str,
    /// The group of IBS and CBS.
    pub(super) reform: Option<Part<'x>>,
    /// The items of other documents that it refers to: their keys and numbers.
    pub(super) references: Vec<(&'x str, &'x str)>,
}

impl<'x> Part<'x> {
    /// What stands at a path such as `prod/NCM`; `*` is any element.
    pub(super) fn find(self, path: &str) -> Option<Self> {
        path.split('/').try_fold(self, |part, name| {
            let mut children = part.0.children().filter(Node::is_element);
            children.find(|child| name == "*" || child.tag_name().name() == name).map(Self)
        })
    }

    pub(super) fn has(self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// The text at a path; empty where there is none.
    pub(super) fn text(self, path: &str) -> &'x str {
        self.find(path).and_then(|part| part.0.text()).unwrap_or_default()
    }

    /// The amount at a path; nothing where there is none.
    pub(super) fn amount(self, path: &str) -> Decimal {
        self.find(path).map_or(Decimal::ZERO, Self::value)
    }

    /// The amount that is its text.
    pub(super) fn value(self) -> Decimal {
        self.0.text().unwrap_or_default().parse().unwrap_or_default()
    }

    fn all(self, name: &'static str) -> impl Iterator<Item = Self> {
        self.0.children().filter(move |child| child.tag_name().name() == name).map(Self)
    }
}

impl<'x> Note<'x> {
    /// The invoice in a document; none where it lacks what every invoice has.
    pub(super) fn read(document: &'x Document<'x>) -> Option<Self> {
        let mut nodes = document.root_element().descendants();
        let root = Part(nodes.find(|node| node.tag_name().name() == "infNFe")?);
        let (header, issuer) = (root.find("ide")?, root.find("emit")?);
        let issued = header.text("dhEmi");
        let payments = root.find("pag").into_iter().flat_map(|part| part.all("detPag"));
        Some(Self {
            root,
            key: root.0.attribute("Id")?.strip_prefix("NFe")?,
            header,
            issued_at: issued.parse().ok(),
            day: issued.get(..10)?.parse().ok()?,
            issuer,
            issuer_state: issuer.text("enderEmit/UF"),
            recipient: root.find("dest"),
            items: root.all("det").map(Item::read).collect(),
            payments: payments.collect(),
        })
    }

    /// Whether the issuer is a micro-entrepreneur, under the rules that only these have.
    pub(super) fn is_mei(&self) -> bool {
        self.issuer.text("CRT") == "4" && self.header.text("idDest") != "3"
    }

    /// Whether goods come back with it: a return, or the credit note of a refused delivery.
    pub(super) fn is_return(&self) -> bool {
        self.header.text("finNFe") == "4" || matches!(self.header.text("tpNFCredito"), "03" | "06")
    }

    /// Whether goods leave with it.
    pub(super) fn is_sale(&self) -> bool {
        self.header.text("tpNF") == "1"
    }

    /// The recipient's kind: 1 has a registration with the state, 2 is exempt of it, 9 has none.
    pub(super) fn recipient_kind(&self) -> &'x str {
        self.recipient.map_or("", |part| part.text("indIEDest"))
    }
}

impl<'x> Item<'x> {
    fn read(part: Part<'x>) -> Self {
        let icms = part.find("imposto/ICMS/*");
        let references = part.all("DFeReferenciado");
        Self {
            part,
            number: part.0.attribute("nItem").unwrap_or_default(),
            cfop: part.text("prod/CFOP"),
            icms,
            csosn: icms.map_or("", |part| part.text("CSOSN")),
            reform: part.find("imposto/IBSCBS"),
            references: references.map(|it| (it.text("chaveAcesso"), it.text("nItem"))).collect(),
        }
    }
}
