//! An authorised sale, read back from its document: what the invoice of its return repeats.

use std::str::FromStr;

use roxmltree::{Document, Node};

use super::key::AccessKey;
use crate::error::{Error, Result};
use crate::fiscal::Csosn;
use crate::money::Money;

/// A sale as its authorised document says it. The invoice of a return repeats buyer, goods and
/// prices from here: what the shop knows of its products and customers may have changed since.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IssuedSale {
    /// Its key.
    pub key: AccessKey,
    /// Its lines, in the order of the document.
    pub lines: Vec<SoldLine>,
    /// What the buyer paid for the shipping.
    pub freight: Money,
    pub(super) series: String,
    pub(super) number: String,
    /// The time of issue as the document has it.
    pub(super) issued_at: String,
    /// `idDest`: 1 in the company's state, 2 in another.
    pub(super) destination: String,
    /// `indFinal`: whether the buyer is the consumer.
    pub(super) final_buyer: String,
    /// The element `dest`, as it is written.
    pub(super) recipient: String,
}

/// A line of a sale.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SoldLine {
    /// Units.
    pub quantity: i64,
    /// The price of one unit.
    pub price: Money,
    /// What was taken off the line.
    pub discount: Money,
    pub(super) code: String,
    pub(super) name: String,
    pub(super) gtin: String,
    pub(super) ncm: String,
    pub(super) cest: Option<String>,
    pub(super) unit: String,
    pub(super) cfop: String,
    pub(super) origin: Option<String>,
    pub(super) csosn: Csosn,
}

impl IssuedSale {
    /// Reads a sale that this program issued: an `nfeProc`, or an `NFe` by itself.
    ///
    /// # Errors
    /// [`Error::Internal`] when the document is none of this program's sales.
    pub fn parse(xml: &str) -> Result<Self> {
        let document = Document::parse(xml).map_err(Error::from_source)?;
        let found = document.descendants().find(|node| node.has_tag_name((NFE, "infNFe")));
        let root = found.ok_or_else(|| missing("infNFe"))?;
        let key = root.attribute("Id").unwrap_or_default().trim_start_matches("NFe");
        let recipient = at(root, "dest").ok_or_else(|| missing("dest"))?;
        let items = root.children().filter(|node| node.has_tag_name((NFE, "det")));
        Ok(Self {
            key: key.parse().map_err(Error::from_source)?,
            lines: items.map(SoldLine::parse).collect::<Result<_>>()?,
            freight: money(root, "total/ICMSTot/vFrete")?,
            series: text(root, "ide/serie")?.to_owned(),
            number: text(root, "ide/nNF")?.to_owned(),
            issued_at: text(root, "ide/dhEmi")?.to_owned(),
            destination: text(root, "ide/idDest")?.to_owned(),
            final_buyer: text(root, "ide/indFinal")?.to_owned(),
            recipient: xml[recipient.range()].to_owned(),
        })
    }

    /// The day of issue in local time, as people write it.
    pub(super) fn day(&self) -> String {
        let part = |from, to| self.issued_at.get(from..to).unwrap_or_default();
        format!("{}/{}/{}", part(8, 10), part(5, 7), part(0, 4))
    }
}

impl SoldLine {
    fn parse(item: Node<'_, '_>) -> Result<Self> {
        let own = |path| text(item, path).map(str::to_owned);
        let units = text(item, "prod/qCom")?;
        let units = units.strip_suffix(".0000").unwrap_or(units);
        Ok(Self {
            quantity: parsed(units)?,
            price: money(item, "prod/vUnCom")?,
            discount: some_money(item, "prod/vDesc")?,
            code: own("prod/cProd")?,
            name: own("prod/xProd")?,
            gtin: own("prod/cEAN")?,
            ncm: own("prod/NCM")?,
            cest: text(item, "prod/CEST").ok().map(str::to_owned),
            unit: own("prod/uCom")?,
            cfop: own("prod/CFOP")?,
            origin: text(item, "imposto/ICMS/*/orig").ok().map(str::to_owned),
            csosn: parsed(text(item, "imposto/ICMS/*/CSOSN")?)?,
        })
    }
}

/// The name space of invoices.
const NFE: &str = super::signature::NFE_NS;

/// The element at a path of names; `*` is any.
fn at<'x>(node: Node<'x, 'x>, path: &str) -> Option<Node<'x, 'x>> {
    path.split('/').try_fold(node, |node, name| {
        node.children()
            .find(|child| child.is_element() && (name == "*" || child.has_tag_name((NFE, name))))
    })
}

fn text<'x>(node: Node<'x, 'x>, path: &'static str) -> Result<&'x str> {
    at(node, path).and_then(|found| found.text()).ok_or_else(|| missing(path))
}

fn parsed<T: FromStr>(text: &str) -> Result<T>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.parse().map_err(Error::from_source)
}

fn money(node: Node<'_, '_>, path: &'static str) -> Result<Money> {
    parsed(text(node, path)?)
}

/// Of a line, nothing is not written as 0.00.
fn some_money(node: Node<'_, '_>, path: &'static str) -> Result<Money> {
    at(node, path).and_then(|found| found.text()).map_or(Ok(Money::ZERO), parsed)
}

fn missing(what: &'static str) -> Error {
    Error::internal(format!("the document of the sale has no {what}"))
}
