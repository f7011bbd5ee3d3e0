//! The official schemas by xmllint and the signature by xmlsec1, where both are there.
//!
//! `SHOP_NFE_XSD` names the folder with the official schemas (`nfe_v4.00.xsd` and its neighbours, as
//! the Portal Nacional da NF-e hands them out); they are not part of this repository.
//! `SHOP_NFE_KEEP` names a folder in which to leave the documents for other validators.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::samples::{certificate, kinds};
use super::{emit, sold};
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

/// Documents of every kind and an authorised one from the shop, as files in a folder.
async fn documents(folder: &Path) -> (Vec<PathBuf>, PathBuf) {
    let certificate = certificate();
    let write = |name: &str, xml: &str| {
        let file = folder.join(name);
        std::fs::write(&file, xml).expect("written");
        file
    };
    let signed = kinds().into_iter().map(|(name, invoice)| {
        write(&format!("{name}.xml"), &invoice.sign(&certificate).expect("a document").xml)
    });
    let signed = signed.collect();
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("authorised");
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    (signed, write("proc.xml", &xml))
}

#[tokio::test]
async fn the_official_schemas_and_another_signature_checker_accept_every_kind_of_order() {
    let (schemas, xmlsec) = (schemas(), is_installed("xmlsec1"));
    let kept = std::env::var_os("SHOP_NFE_KEEP").map(PathBuf::from);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (signed, proc) = documents(kept.as_deref().unwrap_or(dir.path())).await;
    match &schemas {
        Some(folder) if is_installed("xmllint") => {
            let schema = |name: &str| folder.join(name).display().to_string();
            for file in &signed {
                run("xmllint", &["--noout", "--schema", &schema("nfe_v4.00.xsd")], file);
            }
            run("xmllint", &["--noout", "--schema", &schema("procNFe_v4.00.xsd")], &proc);
        }
        _ => println!("left out: SHOP_NFE_XSD names no folder of schemas, or xmllint is missing"),
    }
    if xmlsec {
        let own = include_str!("../../../../shop-core/src/nfe/sandbox/certificate.pem");
        let pem = dir.path().join("certificate.pem");
        std::fs::write(&pem, own).expect("written");
        let (pem, id) = (pem.display().to_string(), "http://www.portalfiscal.inf.br/nfe:infNFe");
        for file in signed.iter().chain([&proc]) {
            let key = ["--verify", "--pubkey-cert-pem", &pem, "--enabled-key-data", "rsa"];
            run("xmlsec1", &[&key[..], &["--id-attr:Id", id]].concat(), file);
        }
    } else {
        println!("left out: xmlsec1 is not installed");
    }
}
