//! The envelope around what is said to a tax office, and around what it says.

use roxmltree::{Document, Node};

use super::super::issuer::IssuerError;
use super::super::signature::NFE_NS;
use super::authorizers::Service;

/// The request as it goes over the wire. The document inside is signed: it is put in as it is.
pub(super) fn envelope(service: Service, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
         <soap12:Envelope xmlns:soap12=\"http://www.w3.org/2003/05/soap-envelope\"><soap12:Body>\
         <nfeDadosMsg xmlns=\"{NFE_NS}/wsdl/{}\">{body}</nfeDadosMsg>\
         </soap12:Body></soap12:Envelope>",
        service.name()
    )
}

pub(super) fn content_type(service: Service) -> String {
    let (name, operation) = (service.name(), service.operation());
    format!("application/soap+xml; charset=utf-8; action=\"{NFE_NS}/wsdl/{name}/{operation}\"")
}

/// What an office said: the document inside the envelope.
pub(super) struct Answer {
    xml: String,
}

/// An element of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'x> {
    node: Node<'x, 'x>,
    xml: &'x str,
}

/// Takes an answer out of its envelope.
///
/// # Errors
/// [`IssuerError::Garbage`]: it is no answer, so what was asked for may have happened all the same.
pub(super) fn open(status: u16, body: &[u8]) -> Result<Answer, IssuerError> {
    let garbage = |why: String| IssuerError::Garbage(format!("{why} (status {status})"));
    let text = str::from_utf8(body).map_err(|_| garbage("not UTF-8".to_owned()))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    let document = Document::parse(text).map_err(|error| garbage(error.to_string()))?;
    let named = |name: &str| {
        document.descendants().find(|node| node.is_element() && node.tag_name().name() == name)
    };
    if let Some(fault) = named("Fault") {
        let words: Vec<&str> =
            fault.descendants().filter(Node::is_text).filter_map(|it| it.text()).collect();
        let words = words.join(" ");
        return Err(garbage(format!("SOAP fault: {}", words.trim())));
    }
    let result = named("nfeResultMsg").ok_or_else(|| garbage("no nfeResultMsg".to_owned()))?;
    let inner = result.first_element_child();
    // Some servers put the document in as text.
    let xml = match (inner, result.text()) {
        (Some(element), _) => text.get(element.range()).unwrap_or_default().to_owned(),
        (None, Some(text)) => text.trim().to_owned(),
        (None, None) => return Err(garbage("an empty nfeResultMsg".to_owned())),
    };
    Ok(Answer { xml })
}

impl Answer {
    /// Reads the answer, whose outermost element must have this name.
    pub(super) fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(Element<'_>) -> Result<T, IssuerError>,
    ) -> Result<T, IssuerError> {
        let document =
            Document::parse(&self.xml).map_err(|error| IssuerError::Garbage(error.to_string()))?;
        let root = document.root_element();
        if root.tag_name().name() != name {
            let found = root.tag_name().name();
            return Err(IssuerError::Garbage(format!("{found} instead of {name}")));
        }
        if root.tag_name().namespace() != Some(NFE_NS) {
            return Err(IssuerError::Garbage(format!("{name} of another namespace")));
        }
        read(Element { node: root, xml: &self.xml })
    }

    /// The code and the words of the answer as a whole.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general enough"
    )]
    pub(super) fn result(&self, name: &str) -> Result<(u16, String), IssuerError> {
        self.read(name, |answer| answer.result())
    }

    /// The receipt's number, where the office has not decided yet.
    pub(super) fn receipt(&self) -> Result<Option<String>, IssuerError> {
        self.read("retEnviNFe", |answer| {
            let (code, _) = answer.result()?;
            Ok(match answer.find("infRec/nRec") {
                Some(number) if code == 103 => Some(number.text().to_owned()),
                _ => None,
            })
        })
    }
}

impl<'x> Element<'x> {
    /// The first element at a path of names.
    pub(super) fn find(self, path: &str) -> Option<Self> {
        path.split('/').try_fold(self, |at, name| at.all(name).next())
    }

    /// Its children of a name.
    pub(super) fn all(self, name: &str) -> impl Iterator<Item = Self> {
        let named = move |node: &Node<'_, '_>| node.is_element() && node.tag_name().name() == name;
        self.node.children().filter(named).map(move |node| Self { node, ..self })
    }

    pub(super) fn text(self) -> &'x str {
        self.node.text().unwrap_or("").trim()
    }

    /// The text at a path; empty where there is none.
    pub(super) fn value(self, path: &str) -> &'x str {
        self.find(path).map_or("", Self::text)
    }

    /// The element as it came. It is kept inside a document whose default namespace is that of
    /// invoices, so it must not have its name from a prefix.
    pub(super) fn source(self) -> Result<String, IssuerError> {
        let source = self.xml.get(self.node.range()).unwrap_or_default();
        let name = self.node.tag_name().name();
        if source.strip_prefix('<').is_some_and(|rest| rest.starts_with(name)) {
            Ok(source.to_owned())
        } else {
            Err(IssuerError::Garbage(format!("{name} with a prefix")))
        }
    }

    /// Its `cStat` and `xMotivo`.
    pub(super) fn result(self) -> Result<(u16, String), IssuerError> {
        let code = self.value("cStat");
        let code = code.parse().map_err(|_| IssuerError::Garbage(format!("cStat {code:?}")))?;
        Ok((code, self.value("xMotivo").to_owned()))
    }
}
