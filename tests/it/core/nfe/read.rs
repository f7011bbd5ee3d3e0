//! Reads invoices as others do: by an XML parser, the canonical form written anew from what it
//! parsed, and a signature checked by another implementation than the one that signed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::signature::{RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, UnparsedPublicKey};
use roxmltree::{Document, Node};
use x509_parser::prelude::{FromDer, X509Certificate};

/// The element of this name, wherever it is.
pub(super) fn element<'a, 'i>(document: &'a Document<'i>, name: &str) -> Node<'a, 'i> {
    let found = document.descendants().find(|node| node.tag_name().name() == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// The text of an element below another by its path, or nothing.
pub(super) fn text<'a>(node: Node<'a, '_>, path: &str) -> Option<&'a str> {
    let step = |node: Node<'a, '_>, name: &str| {
        node.children().find(|child| child.tag_name().name() == name)
    };
    path.split('/').try_fold(node, step).map(|node| node.text().unwrap_or_default())
}

/// An amount in cents, from a text with exactly two decimals; nothing counts as nothing.
pub(super) fn cents(node: Node<'_, '_>, path: &str) -> i64 {
    let Some(text) = text(node, path) else { return 0 };
    let (whole, part) = text.split_once('.').unwrap_or_else(|| panic!("{path}: {text}"));
    assert_eq!(part.len(), 2, "{path}: {text}");
    assert!(whole == "0" || !whole.starts_with('0'), "{path}: {text}");
    format!("{whole}{part}").parse().expect("digits")
}

pub(super) fn children<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Vec<Node<'a, 'i>> {
    node.children().filter(|child| child.tag_name().name() == name).collect()
}

/// The canonical form of an element that stands alone: the namespace that it inherits becomes its
/// own, attributes are sorted, nothing closes itself.
pub(super) fn canonical(node: Node<'_, '_>) -> String {
    let mut out = String::new();
    write(node, "", &mut out);
    out
}

fn write(node: Node<'_, '_>, outer: &str, out: &mut String) {
    if node.is_text() {
        let text = node.text().unwrap_or_default();
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        return out.push_str(&text.replace('\r', "&#xD;"));
    }
    assert!(node.is_element(), "neither comments nor instructions");
    let (name, namespace) = (node.tag_name().name(), node.tag_name().namespace().unwrap_or(""));
    out.push('<');
    out.push_str(name);
    if namespace != outer {
        out.extend([" xmlns=\"", namespace, "\""]);
    }
    let mut attributes: Vec<_> = node.attributes().map(|a| (a.name(), a.value())).collect();
    attributes.sort_unstable();
    for (name, value) in attributes {
        let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        out.extend([" ", name, "=\"", &value, "\""]);
    }
    out.push('>');
    node.children().for_each(|child| write(child, namespace, out));
    out.extend(["</", name, ">"]);
}

/// Checks the digest of the element `signed`, and the signature over it by the certificate that
/// comes with it.
pub(super) fn check_signature(document: &Document<'_>, signed: &str) {
    let node = element(document, signed);
    let signature = element(document, "Signature");
    assert_eq!(signature.prev_sibling(), Some(node), "the signature follows what it signs");
    let info = children(signature, "SignedInfo")[0];
    let reference = children(info, "Reference")[0];
    let id = node.attribute("Id").expect("an Id");
    assert_eq!(reference.attribute("URI"), Some(&*format!("#{id}")));
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, canonical(node).as_bytes());
    assert_eq!(text(reference, "DigestValue"), Some(&*STANDARD.encode(hash)));

    let decode = |path: &str| STANDARD.decode(text(signature, path).expect(path)).expect("base64");
    let der = decode("KeyInfo/X509Data/X509Certificate");
    let (_, certificate) = X509Certificate::from_der(&der).expect("a certificate");
    let key = &certificate.public_key().subject_public_key.data;
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, key)
        .verify(canonical(info).as_bytes(), &decode("SignatureValue"))
        .expect("the signature holds");
}
