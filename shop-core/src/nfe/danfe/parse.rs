//! An invoice's XML, read by paths of element names.

use roxmltree::{Document, Node};

use super::DanfeError;
use crate::nfe::protocol::AUTHORIZED;

/// Some element of an invoice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'x>(Node<'x, 'x>);

/// An invoice, authorised or not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Invoice<'x> {
    /// `infNFe`.
    pub(super) root: Part<'x>,
    protocol: Option<Part<'x>>,
    /// The text of its QR code, which an invoice of this model hardly ever has.
    pub(super) qr_code: Option<&'x str>,
    /// The 44 characters that name it.
    pub(super) key: &'x str,
}

impl<'x> Part<'x> {
    /// What stands at a path such as `prod/xProd`; `*` is any element.
    pub(super) fn find(self, path: &str) -> Option<Self> {
        let mut node = self.0;
        for name in path.split('/') {
            let named = |child: &Node<'_, '_>| {
                child.is_element() && (name == "*" || child.tag_name().name() == name)
            };
            node = node.children().find(named)?;
        }
        Some(Self(node))
    }

    /// The text at a path; empty where there is none.
    pub(super) fn text(self, path: &str) -> &'x str {
        self.find(path).and_then(|part| part.0.text()).map_or("", str::trim)
    }

    /// The text of the first of some elements that is there.
    pub(super) fn any(self, paths: &[&str]) -> &'x str {
        paths.iter().map(|path| self.text(path)).find(|text| !text.is_empty()).unwrap_or("")
    }

    /// All children of a name.
    pub(super) fn all(self, name: &'static str) -> impl Iterator<Item = Self> {
        self.0.children().filter(move |child| child.tag_name().name() == name).map(Self)
    }

    /// Street, number and what completes them, of the place at a path.
    pub(super) fn street(self, place: &str) -> String {
        let parts = ["xLgr", "nro", "xCpl"].map(|name| self.text(&format!("{place}/{name}")));
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    pub(super) fn attribute(self, name: &str) -> &'x str {
        self.0.attribute(name).unwrap_or("")
    }
}

impl<'x> Invoice<'x> {
    /// The invoice in a document: an `nfeProc`, or an `NFe` by itself.
    pub(super) fn new(document: &'x Document<'x>) -> Result<Self, DanfeError> {
        let named =
            |name| move |node: &Node<'_, '_>| node.is_element() && node.tag_name().name() == name;
        let find = |name| document.root_element().descendants().find(named(name)).map(Part);
        let root = find("infNFe").ok_or(DanfeError::Missing("infNFe"))?;
        let key = root.attribute("Id").strip_prefix("NFe").unwrap_or("");
        let valid = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase();
        if key.len() != 44 || !key.chars().all(valid) {
            return Err(DanfeError::Missing("Id"));
        }
        let invoice = Self {
            root,
            protocol: find("infProt"),
            qr_code: find("qrCode").and_then(|part| part.0.text()).map(str::trim),
            key,
        };
        invoice.check()
    }

    /// Is it of the kind that this form is for?
    fn check(self) -> Result<Self, DanfeError> {
        for path in ["ide/nNF", "ide/dhEmi", "emit/xNome", "total/ICMSTot/vNF"] {
            if self.text(path).is_empty() {
                return Err(DanfeError::Missing(path));
            }
        }
        if self.text("ide/mod") != "55" {
            return Err(DanfeError::Unsupported("only model 55 has this form"));
        }
        // 6 and 7 are other servers that authorise as usual.
        if !matches!(self.text("ide/tpEmis"), "1" | "6" | "7") {
            return Err(DanfeError::Unsupported("issued in contingency"));
        }
        Ok(self)
    }

    pub(super) fn text(self, path: &str) -> &'x str {
        self.root.text(path)
    }

    /// What the tax office wrote into its protocol; empty where there is none.
    pub(super) fn protocol(self, name: &str) -> &'x str {
        self.protocol.map_or("", |protocol| protocol.text(name))
    }

    /// Does it stand for anything? Not in the test environment, nor before it is authorised.
    pub(super) fn is_valid(self) -> bool {
        let code = self.protocol("cStat").parse();
        self.text("ide/tpAmb") == "1" && code.is_ok_and(|code| AUTHORIZED.contains(&code))
    }

    /// Companies of the simplified regime use other codes of taxation.
    pub(super) fn is_simples(self) -> bool {
        matches!(self.text("emit/CRT"), "1" | "4")
    }
}
