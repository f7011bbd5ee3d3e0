//! The official schemas by xmllint and the signature by xmlsec1, where both are there.
//!
//! `SHOP_NFE_XSD` names the folder with the official schemas (`nfe_v4.00.xsd` and its neighbours,
//! as the Portal Nacional da NF-e hands them out); they are not part of this repository.
//! `SHOP_NFE_KEEP` names a folder in which to leave the documents for other validators
//! (`tests/foreign/nfe.py`).

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use shop_core::actor::Actor;
use shop_core::invoicing::{CorrectInvoice, WithdrawInvoice};
use shop_core::nfe::rules::{self, Reception};

use super::returns::give_back;
use super::samples::{certificate, kinds, returns};
use super::{archive, emit, sold};
use crate::core::fixture::TestShop;

fn schemas() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("SHOP_NFE_XSD")?);
    folder.join("nfe_v4.00.xsd").is_file().then_some(folder)
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Runs a validator over a file; what it says when it refuses.
fn run(program: &str, arguments: &[&str], file: &Path) {
    let ended = Command::new(program).args(arguments).arg(file).output().expect("runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{program} on {}: {said}", file.display());
}

/// Files that were written for validators.
struct Written {
    /// `NFe`.
    signed: Vec<PathBuf>,
    /// `nfeProc`, with what the sandbox says.
    authorized: Vec<PathBuf>,
    /// `procEventoNFe`: a cancellation and a correction letter.
    events: [PathBuf; 2],
}

/// Documents of every kind, and those that the shop had authorised, corrected and cancelled, as
/// files in a folder.
async fn documents(folder: &Path) -> Written {
    let certificate = certificate();
    let write = |name: &str, xml: &str| {
        let file = folder.join(name);
        std::fs::write(&file, xml).expect("written");
        file
    };
    let sales = kinds().into_iter().map(|(name, invoice)| {
        write(&format!("{name}.xml"), &invoice.sign(&certificate).expect("a document").xml)
    });
    let returned = returns().into_iter().map(|(name, invoice)| {
        write(&format!("{name}.xml"), &invoice.sign(&certificate).expect("a document").xml)
    });
    let signed = sales.chain(returned).collect();
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let issued = emit(&test.shop, &order).await.expect("authorised");
    let back = give_back(&test.shop, &order, &[(1, 1)]).await.expect("authorised");
    let invoices = test.shop.invoices();
    let sale = invoices.get_xml(&order.id).await.expect("the XML").nfe_proc;
    let returned = invoices.get_return_xml(&back.invoice.id).await.expect("the XML").nfe_proc;
    let by = Actor::System;
    let text = "O número da casa é 124, e não 123 – “fundos”.".parse().expect("a text");
    let letter = invoices.correct(&by, &order.id, CorrectInvoice { text }, None).await;
    let letter = letter.expect("registered").sequence;
    // For people to look at.
    let papers = [
        ("correction-proc.pdf", invoices.render_correction(&order.id, letter).await),
        ("proc.pdf", invoices.render_danfe(&order.id).await),
        ("return-proc.pdf", invoices.render_return_danfe(&back.invoice.id).await),
    ];
    for (name, pdf) in papers {
        std::fs::write(folder.join(name), pdf.expect("a DANFE")).expect("written");
    }
    let why = WithdrawInvoice::default();
    invoices.cancel_return(&by, &back.invoice.id, why).await.expect("cancelled");
    let mut month = archive(&test.shop, "2026-11").await;
    let mut event = |key: Option<String>, rest: &str| {
        let name = format!("{}-{rest}procEventoNFe.xml", key.expect("a key"));
        let mut text = String::new();
        month.by_name(&name).expect("the event").read_to_string(&mut text).expect("text");
        text
    };
    let cancelled = event(back.invoice.key, "");
    let corrected = event(issued.key, "cce-01-");
    Written {
        signed,
        authorized: vec![write("proc.xml", &sale), write("return-proc.xml", &returned)],
        events: [
            write("cancellation-proc.xml", &cancelled),
            write("correction-proc.xml", &corrected),
        ],
    }
}

#[tokio::test]
async fn the_official_schemas_and_another_signature_checker_accept_every_kind_of_order() {
    let (schemas, xmlsec) = (schemas(), is_installed("xmlsec1"));
    let kept = std::env::var_os("SHOP_NFE_KEEP").map(PathBuf::from);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let written = documents(kept.as_deref().unwrap_or(dir.path())).await;
    match &schemas {
        Some(folder) if is_installed("xmllint") => {
            let schema = |name: &str| folder.join(name).display().to_string();
            for file in &written.signed {
                run("xmllint", &["--noout", "--schema", &schema("nfe_v4.00.xsd")], file);
            }
            for file in &written.authorized {
                run("xmllint", &["--noout", "--schema", &schema("procNFe_v4.00.xsd")], file);
            }
        }
        _ => println!("left out: SHOP_NFE_XSD names no folder of schemas, or xmllint is missing"),
    }
    if xmlsec {
        let own = include_str!("../../../../shop-core/src/nfe/sandbox/certificate.pem");
        let pem = dir.path().join("certificate.pem");
        std::fs::write(&pem, own).expect("written");
        let pem = pem.display().to_string();
        let check = |file: &Path, element: &str| {
            let id = format!("http://www.portalfiscal.inf.br/nfe:{element}");
            let key = ["--verify", "--pubkey-cert-pem", &pem, "--enabled-key-data", "rsa"];
            run("xmlsec1", &[&key[..], &["--id-attr:Id", &id]].concat(), file);
        };
        for file in written.signed.iter().chain(&written.authorized) {
            check(file, "infNFe");
        }
        for file in &written.events {
            check(file, "infEvento");
        }
    } else {
        println!("left out: xmlsec1 is not installed");
    }
}

#[test]
fn no_rule_of_the_tax_offices_table_refuses_a_return() {
    for (name, invoice) in returns() {
        let csrt = invoice.responsible.clone().and_then(|responsible| responsible.csrt);
        let reception = Reception { at: invoice.issued_at, csrt };
        let nfe = invoice.sign(&certificate()).expect("a document").xml;
        let broken = rules::violations(&nfe, &reception);
        // The layout takes ISENTO as a registration, which an office does not (209).
        let others = broken.iter().filter(|it| it.code != 209).collect::<Vec<_>>();
        assert!(others.is_empty(), "{name}: {others:?}");
    }
}
