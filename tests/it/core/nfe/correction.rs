//! Correction letters of an invoice.

use std::io::Read;
use std::time::Duration;

use roxmltree::Document;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::error::{Conflict, Entity, Refusal};
use shop_core::invoicing::{Correction, CorrectionStatus, WithdrawInvoice};
use shop_core::nfe::CorrectionLetter;
use shop_core::order::Order;
use shop_core::{Error, Result, Shop};

use super::office::{Fault, Office};
use super::read::{canonical, check_signature, element, text};
use super::samples::{certificate, plain};
use super::{archive, emit, sold};
use crate::core::fixture::{START, TestShop, input};

const FIRST: &str = "Endereço: Rua da Quitanda, 86, Centro";
const SECOND: &str = "Endereço: Rua da Quitanda, 86, fundos, Centro";

pub(super) async fn correct(shop: &Shop, order: &Order, text: &str) -> Result<Correction> {
    let new = input(json!({ "text": text }));
    shop.invoices().correct(&Actor::System, &order.id, new, None).await
}

/// A shop that asks this office, with an authorised invoice.
async fn issued(office: &Office) -> (TestShop, Order, Shop) {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let shop = office.open(&test).await;
    emit(&shop, &order).await.expect("issued");
    (test, order, shop)
}

#[test]
fn a_letter_is_written_as_the_layout_wants_it() {
    let key = plain().key();
    let environment = plain().environment;
    let correction =
        |sequence, text| CorrectionLetter { key: &key, environment, sequence, text, at: START };
    let xml = correction(3, "O número é 86 & não 68").sign(&certificate()).expect("signed");
    let document = Document::parse(&xml).expect("XML");
    check_signature(&document, "infEvento");
    assert_eq!(canonical(document.root_element()), xml, "the canonical form is the text itself");
    let event = element(&document, "infEvento");
    assert_eq!(event.attribute("Id"), Some(&*format!("ID110110{key}03")));
    let order: Vec<&str> = event.children().map(|child| child.tag_name().name()).collect();
    let layout = [
        "cOrgao",
        "tpAmb",
        "CNPJ",
        "chNFe",
        "dhEvento",
        "tpEvento",
        "nSeqEvento",
        "verEvento",
        "detEvento",
    ];
    assert_eq!(order, layout);
    assert_eq!(text(event, "nSeqEvento"), Some("3"));
    let detail = element(&document, "detEvento");
    let order: Vec<&str> = detail.children().map(|child| child.tag_name().name()).collect();
    assert_eq!(order, ["descEvento", "xCorrecao", "xCondUso"]);
    assert_eq!(text(detail, "descEvento"), Some("Carta de Correcao"));
    assert_eq!(text(detail, "xCorrecao"), Some("O número é 86 & não 68"));
    let conditions = text(detail, "xCondUso").expect("conditions");
    assert!(
        conditions.starts_with("A Carta de Correcao e disciplinada pelo paragrafo 1o-A do art. 7o")
    );
    assert!(
        conditions.ends_with("III - a data de emissao ou de saida.") && !conditions.contains("  ")
    );
    assert!(correction(1, "curto demais").sign(&certificate()).is_err());
    assert!(correction(21, "O número é 86 e não 68").sign(&certificate()).is_err());
}

#[tokio::test]
async fn letters_are_numbered_kept_and_printed() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let none = correct(&test.shop, &order, FIRST).await;
    assert!(matches!(none, Err(Error::NotFound(Entity::Invoice))), "{none:?}");
    emit(&test.shop, &order).await.expect("issued");
    let first = correct(&test.shop, &order, FIRST).await.expect("registered");
    assert_eq!((first.sequence, first.status), (1, CorrectionStatus::Registered));
    assert!(first.protocol.is_some() && first.registered_at.is_some());
    assert_eq!(correct(&test.shop, &order, FIRST).await.expect("in force"), first);
    let second = correct(&test.shop, &order, SECOND).await.expect("registered");
    assert_eq!(second.sequence, 2);
    let invoice = test.shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!(invoice.corrections, [first, second]);
    let pdf = test.shop.invoices().render_correction(&order.id, 2).await.expect("printed");
    assert!(pdf.starts_with(b"%PDF-"));
    let missing = test.shop.invoices().render_correction(&order.id, 3).await;
    assert!(matches!(missing, Err(Error::NotFound(Entity::Invoice))));
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'nfe.correct'"), 2);
    let logged = "SELECT count(*) FROM audit WHERE new_values LIKE '%Quitanda%'";
    assert_eq!(test.count(logged), 0, "what it says may be about the customer");

    let mut archive = archive(&test.shop, "2026-11").await;
    let key = invoice.key.expect("a key");
    let mut xml = String::new();
    let mut file = archive.by_name(&format!("{key}-cce-02-procEventoNFe.xml")).expect("the letter");
    file.read_to_string(&mut xml).expect("text");
    let document = Document::parse(&xml).expect("XML");
    assert_eq!(text(element(&document, "detEvento"), "xCorrecao"), Some(SECOND));
    assert!(document.descendants().any(|node| node.has_tag_name("retEvento")));
    let copy = test.shop.accounts().export(&order.user_id).await.expect("a copy");
    assert_eq!(copy.invoices[0].correction_xml.len(), 2);
}

#[tokio::test]
async fn an_invoice_is_corrected_until_the_720th_hour_and_not_once_it_is_cancelled() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    test.advance_hours(720);
    correct(&test.shop, &order, FIRST).await.expect("at the last moment");
    test.clock.advance(Duration::from_secs(60));
    let late = correct(&test.shop, &order, SECOND).await;
    assert!(matches!(late, Err(Error::Conflict(Conflict::CorrectionTooLate))), "{late:?}");

    let other = TestShop::open().await;
    let order = sold(&other).await;
    emit(&other.shop, &order).await.expect("issued");
    let why = WithdrawInvoice::default();
    other.shop.invoices().cancel(&Actor::System, &order.id, why).await.expect("cancelled");
    let cancelled = correct(&other.shop, &order, FIRST).await;
    assert!(matches!(cancelled, Err(Error::Conflict(Conflict::InvoiceCancelled))), "{cancelled:?}");
}

#[tokio::test]
async fn an_invoice_has_twenty_letters_at_most() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    for number in 1..=20_u8 {
        let correction = correct(&test.shop, &order, &format!("{FIRST}, sala {number}")).await;
        assert_eq!(correction.expect("registered").sequence, number);
    }
    let one_more = correct(&test.shop, &order, FIRST).await;
    assert!(matches!(one_more, Err(Error::Conflict(Conflict::CorrectionsUsedUp))), "{one_more:?}");
}

#[tokio::test]
async fn a_letter_whose_answer_was_lost_is_registered_once() {
    for fault in [Fault::LostBefore, Fault::LostAfter] {
        let office = Office::default();
        let (test, order, shop) = issued(&office).await;
        office.next(fault);
        let lost = correct(&shop, &order, FIRST).await;
        assert!(matches!(lost, Err(Error::Provider { .. })), "{lost:?}");
        let stored = shop.invoices().get_by_order(&order.id).await.expect("there").corrections;
        assert_eq!(stored[0].status, CorrectionStatus::Signed, "it was stored before it was sent");
        // The program is started anew, and its background work finds out.
        let again = office.open(&test).await;
        test.clock.advance(Duration::from_secs(3 * 60));
        assert_eq!(again.run_due().await.expect("runs").invoices_settled, 1);
        let settled = again.invoices().get_by_order(&order.id).await.expect("there").corrections;
        assert_eq!((settled.len(), settled[0].status), (1, CorrectionStatus::Registered));
        assert_eq!(office.corrections(), [(1, FIRST.to_owned())]);
        // A further correction letter has the next number.
        assert_eq!(correct(&again, &order, SECOND).await.expect("registered").sequence, 2);
    }
}

#[tokio::test]
async fn a_repeat_settles_what_was_lost_and_another_letter_comes_after_it() {
    let office = Office::default();
    let (_test, order, shop) = issued(&office).await;
    office.next(Fault::LostAfter);
    correct(&shop, &order, FIRST).await.expect_err("no answer");
    let second = correct(&shop, &order, SECOND).await.expect("registered");
    assert_eq!(second.sequence, 2);
    assert_eq!(office.corrections(), [(1, FIRST.to_owned()), (2, SECOND.to_owned())]);
}

#[tokio::test]
async fn a_lost_letter_that_is_refused_since_makes_way_for_another_text() {
    let office = Office::default();
    let (_test, order, shop) = issued(&office).await;
    office.next(Fault::LostBefore);
    correct(&shop, &order, FIRST).await.expect_err("no answer");
    // The refusal is an answer to the lost one alone.
    office.next(Fault::Rejects(594));
    let second = correct(&shop, &order, SECOND).await.expect("registered");
    assert_eq!((second.sequence, second.text.as_str()), (1, SECOND));
    assert_eq!(office.corrections(), [(1, SECOND.to_owned())]);
    // A repeat of what was refused is told so.
    office.next(Fault::LostBefore);
    correct(&shop, &order, FIRST).await.expect_err("no answer");
    office.next(Fault::Rejects(594));
    let refused = correct(&shop, &order, FIRST).await.expect_err("refused");
    assert!(
        matches!(refused, Error::Refused(Refusal::NfeRejected { code: 594, .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_letter_that_is_refused_leaves_its_number_free() {
    let office = Office::default();
    let (_test, order, shop) = issued(&office).await;
    office.next(Fault::Rejects(594));
    let refused = correct(&shop, &order, FIRST).await;
    assert!(
        matches!(refused, Err(Error::Refused(Refusal::NfeRejected { code: 594, .. }))),
        "{refused:?}"
    );
    let correction = correct(&shop, &order, FIRST).await.expect("registered");
    assert_eq!(correction.sequence, 1);
    let all = shop.invoices().get_by_order(&order.id).await.expect("there").corrections;
    let states: Vec<CorrectionStatus> = all.iter().map(|correction| correction.status).collect();
    assert_eq!(states, [CorrectionStatus::Rejected, CorrectionStatus::Registered]);
}

#[tokio::test]
async fn a_number_that_another_program_took_is_not_believed_to_be_ours() {
    let office = Office::default();
    let (_test, order, shop) = issued(&office).await;
    let key = shop.invoices().get_by_order(&order.id).await.expect("there").key.expect("a key");
    office.take_sequence(&key, 1);
    let refused = correct(&shop, &order, FIRST).await;
    assert!(
        matches!(refused, Err(Error::Refused(Refusal::NfeRejected { code: 573, .. }))),
        "{refused:?}"
    );
    assert_eq!(correct(&shop, &order, FIRST).await.expect("registered").sequence, 2);
}

#[tokio::test]
async fn a_key_makes_a_repeat_the_same_letter() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    let with_key = async |text: &str| {
        let (new, key) = (input(json!({ "text": text })), "k1".parse().expect("a key"));
        test.shop.invoices().correct(&Actor::System, &order.id, new, Some(key)).await
    };
    let first = with_key(FIRST).await.expect("registered");
    correct(&test.shop, &order, SECOND).await.expect("registered");
    assert_eq!(with_key(FIRST).await.expect("the first again"), first);
    let reused = with_key(SECOND).await;
    assert!(matches!(reused, Err(Error::Refused(Refusal::IdempotencyKeyReused))), "{reused:?}");
}

#[tokio::test]
async fn a_pause_of_the_office_leaves_a_letter_its_number() {
    let office = Office::default();
    let (test, order, shop) = issued(&office).await;
    office.next(Fault::LostAfter);
    correct(&shop, &order, FIRST).await.expect_err("no answer");
    office.pause(Some(108));
    let refused = correct(&shop, &order, SECOND).await.expect_err("paused");
    assert!(
        matches!(refused, Error::Refused(Refusal::NfeRejected { code: 108, .. })),
        "{refused:?}"
    );
    test.advance_hours(1);
    shop.run_due().await.expect("runs");
    office.pause(None);
    let second = correct(&shop, &order, SECOND).await.expect("registered");
    assert_eq!(second.sequence, 2);
    assert_eq!(office.corrections(), [(1, FIRST.to_owned()), (2, SECOND.to_owned())]);
}
