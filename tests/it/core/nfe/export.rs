//! A month's documents as one archive.

use std::collections::BTreeSet;
use std::io::Read;

use futures_util::TryStreamExt;
use roxmltree::Document;
use shop_core::actor::Actor;
use shop_core::invoicing::WithdrawInvoice;

use super::correction::correct;
use super::read::check_signature;
use super::{archive, emit, paid, sold};
use crate::core::fixture::TestShop;

#[tokio::test]
async fn a_months_documents_are_one_archive() {
    let test = TestShop::open().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 100, 4990).await);
    let mut keys = Vec::new();
    for n in 0..3 {
        let order = paid(&test, &buyer, &vela, 1).await;
        let invoice = emit(&test.shop, &order).await.expect("issued");
        if n == 0 {
            let why = WithdrawInvoice::default();
            let invoices = test.shop.invoices();
            invoices.cancel(&Actor::System, &order.id, why).await.expect("cancelled");
        }
        keys.push(invoice.key.expect("a key"));
        test.advance_hours(24 * 5);
    }
    let mut month = archive(&test.shop, "2026-11").await;
    let mut names: Vec<String> =
        month.file_names().map(|name| name.expect("a name").into_owned()).collect();
    names.sort();
    let mut expected = vec![
        format!("{}-procEventoNFe.xml", keys[0]),
        format!("{}-procNFe.xml", keys[0]),
        format!("{}-procNFe.xml", keys[1]),
    ];
    expected.sort();
    assert_eq!(names, expected, "the third one is December's");
    let mut xml = String::new();
    let mut file = month.by_name(&format!("{}-procEventoNFe.xml", keys[0])).expect("there");
    file.read_to_string(&mut xml).expect("text");
    let document = Document::parse(&xml).expect("XML");
    check_signature(&document, "infEvento");
    assert_eq!(archive(&test.shop, "2025-01").await.len(), 0);
}

async fn names_in_archive(test: &TestShop, month: &str) -> BTreeSet<String> {
    let archive = archive(&test.shop, month).await;
    archive.file_names().map(|name| name.expect("a name").into_owned()).collect()
}

#[tokio::test]
async fn what_is_registered_of_an_earlier_months_invoice_is_in_both_months() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let key = emit(&test.shop, &order).await.expect("issued").key.expect("a key");
    correct(&test.shop, &order, "O número do endereço é 86 e não 68").await.expect("registered");
    test.advance_hours(24 * 14);
    correct(&test.shop, &order, "O número do endereço é 88 e não 68").await.expect("registered");
    let letter = |number: u8| format!("{key}-cce-{number:02}-procEventoNFe.xml");
    let invoice = format!("{key}-procNFe.xml");
    let all = BTreeSet::from([invoice, letter(1), letter(2)]);
    assert_eq!(names_in_archive(&test, "2026-11").await, all);
    assert_eq!(names_in_archive(&test, "2026-12").await, BTreeSet::from([letter(2)]));
    assert_eq!(names_in_archive(&test, "2027-01").await, BTreeSet::new());
}

/// Makes so many copies of the only invoice there is, each with a number of its own.
fn copy_invoice(test: &TestShop, copies: u32) {
    test.raw_sql("CREATE TABLE copied AS SELECT * FROM nfe");
    for n in 1..=copies {
        test.raw_sql(&format!(
            "UPDATE copied SET id = 'copy-{n:03}', number = number + 1, access_key = 'copy-{n:03}'"
        ));
        test.raw_sql("INSERT INTO nfe SELECT * FROM copied");
    }
    test.raw_sql("DROP TABLE copied");
}

#[tokio::test]
async fn a_months_archive_comes_in_pieces_of_one_size_however_many_invoices_there_are() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    // Of a live invoice an order has only one.
    let why = WithdrawInvoice::default();
    test.shop.invoices().cancel(&Actor::System, &order.id, why).await.expect("cancelled");
    copy_invoice(&test, 100);
    let month = "2026-11".parse().expect("a month");
    let pieces: Vec<Vec<u8>> =
        test.shop.invoices().export(month).try_collect().await.expect("a ZIP");
    // The last piece has the names of all files.
    let (names, documents) = pieces.split_last().expect("pieces");
    let all: usize = documents.iter().map(Vec::len).sum();
    let largest = documents.iter().map(Vec::len).max().expect("pieces");
    assert!(largest * 4 < all, "{largest} of {all} bytes at once");
    assert!(names.len() < 101 * 2 * 150, "{} bytes of names", names.len());
    assert_eq!(archive(&test.shop, "2026-11").await.len(), 101 * 2);
}
