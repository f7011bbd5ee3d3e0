//! Through the port: what the office says and what it means.

use std::time::Duration;

use shop_core::config::Secret;
use shop_core::nfe::sefaz::{Sefaz, SefazSettings};
use shop_core::nfe::{
    AccessKey, Cancellation, Certificate, IssuerError, KeyParts, NfeIssuer, Outcome, Registered,
    TaxEnvironment,
};

use crate::core::fixture::START;
use crate::fakes::sefaz::{self as fake, Behavior, PASSWORD};

fn company() -> Certificate {
    let password = Secret::new(PASSWORD);
    Certificate::from_pkcs12(&fake::file("company.pfx"), &password).expect("a certificate")
}

fn settings(office: &fake::Sefaz) -> SefazSettings {
    SefazSettings {
        url: Some(office.url()),
        roots: Some(fake::file("ca.pem")),
        timeout: Duration::from_millis(500),
        receipt_wait: Duration::from_millis(10),
        ..SefazSettings::new("SP".parse().expect("a state"), TaxEnvironment::Homologation)
    }
}

async fn office() -> (fake::Sefaz, Sefaz) {
    let office = fake::Sefaz::start().await;
    let port = Sefaz::new(&company(), settings(&office)).expect("usable");
    (office, port)
}

fn key(number: u32, code: u32) -> AccessKey {
    AccessKey::new(&KeyParts {
        state_code: "35",
        year_month: "2611",
        cnpj: &"11222333000181".parse().expect("a CNPJ"),
        series: 1,
        number,
        code,
    })
}

/// As much of an invoice as the office looks at.
fn nfe(key: &AccessKey) -> String {
    format!(
        "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe Id=\"NFe{key}\" \
         versao=\"4.00\"><ide><cUF>35</cUF></ide></infNFe>\
         <Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><SignedInfo>\
         <Reference URI=\"#NFe{key}\"><DigestValue>jn+aWqsIO9J/OjOXqfY4yvTQQxU=</DigestValue>\
         </Reference></SignedInfo></Signature></NFe>"
    )
}

async fn authorize(port: &Sefaz, key: &AccessKey) -> Result<Outcome, IssuerError> {
    port.authorize(&nfe(key), key).await
}

fn protocol(outcome: Outcome) -> String {
    let Outcome::Authorized { protocol } = outcome else { panic!("{outcome:?}") };
    protocol
}

#[tokio::test]
async fn an_invoice_is_authorised_at_once_and_its_protocol_kept_as_it_came() {
    let (office, port) = office().await;
    let key = key(1, 48_271_936);
    let protocol = protocol(authorize(&port, &key).await.expect("an answer"));
    assert!(protocol.starts_with("<protNFe versao=\"4.00\">"), "{protocol}");
    assert!(protocol.ends_with("</protNFe>") && protocol.contains(key.as_str()), "{protocol}");
    let received = office.received();
    let [(service, message)] = &received[..] else { panic!("{received:?}") };
    assert_eq!(service, "NFeAutorizacao4");
    assert!(message.contains(&nfe(&key)), "the document goes out as it was signed");
    assert_eq!(office.good(), [key.to_string()]);
}

#[tokio::test]
async fn a_receipt_is_asked_about_until_there_is_a_decision() {
    let (office, port) = office().await;
    office.behaves(Behavior::Receipts(2));
    let decided = authorize(&port, &key(1, 48_271_936)).await.expect("an answer");
    protocol(decided);
    let again = "NFeRetAutorizacao4";
    assert_eq!(office.asked(), ["NFeAutorizacao4", again, again, again]);

    office.behaves(Behavior::Receipts(100));
    let late = authorize(&port, &key(2, 48_271_936)).await.expect("an answer");
    assert!(matches!(late, Outcome::Processing { receipt: Some(_) }), "{late:?}");
}

#[tokio::test]
async fn a_rejection_has_the_offices_own_words() {
    let (office, port) = office().await;
    for (code, text) in [(215, "Rejeição: Falha no schema XML"), (280, "Certificado inválido")] {
        office.behaves(Behavior::Rejects(code, text));
        let outcome = authorize(&port, &key(1, 48_271_936)).await.expect("an answer");
        assert_eq!(outcome, Outcome::Rejected { code, text: text.to_owned() });
    }
    assert_eq!(office.authorised(), 0);
}

#[tokio::test]
async fn a_denial_is_a_rejection_today_and_one_of_long_ago_is_found_as_such() {
    let (office, port) = office().await;
    office.behaves(Behavior::Denies);
    let key = key(1, 48_271_936);
    let today = authorize(&port, &key).await.expect("an answer");
    assert!(matches!(&today, Outcome::Rejected { code: 302, .. }), "{today:?}");
    let before = port.status_of(&key).await.expect("an answer");
    assert!(
        matches!(&before, Outcome::Denied { code: 302, protocol: Some(protocol), .. }
            if protocol.starts_with("<protNFe")),
        "{before:?}"
    );
}

#[tokio::test]
async fn a_duplicate_is_recovered_by_its_key_and_a_taken_number_is_not() {
    let (_, port) = office().await;
    let (first, other) = (key(1, 48_271_936), key(1, 11_223_344));
    let before = protocol(authorize(&port, &first).await.expect("an answer"));
    let again = authorize(&port, &first).await.expect("an answer");
    assert!(matches!(again, Outcome::Duplicate { .. }), "{again:?}");
    let found = protocol(port.status_of(&first).await.expect("an answer"));
    assert_eq!(found, before);

    let taken = authorize(&port, &other).await.expect("an answer");
    assert!(
        matches!(&taken, Outcome::Rejected { code: 539, text } if text.contains(first.as_str())),
        "{taken:?}"
    );
    assert_eq!(port.status_of(&other).await, Ok(Outcome::Unknown));
}

#[tokio::test]
async fn silence_before_and_after_is_told_apart_by_asking() {
    for (behavior, processed) in [
        (Behavior::SilentBefore, false),
        (Behavior::SilentAfter, true),
        (Behavior::HangsUpAfter, true),
    ] {
        let (office, port) = office().await;
        office.behaves(behavior);
        let key = key(1, 48_271_936);
        let error = authorize(&port, &key).await.expect_err("no answer");
        assert!(matches!(error, IssuerError::NoAnswer(_)), "{behavior:?}: {error:?}");
        office.behaves(Behavior::Works);
        let found = port.status_of(&key).await.expect("an answer");
        assert_eq!(
            matches!(found, Outcome::Authorized { .. }),
            processed,
            "{behavior:?}: {found:?}"
        );
        assert_eq!(matches!(found, Outcome::Unknown), !processed, "{behavior:?}: {found:?}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_not_taken_for_one() {
    let (office, port) = office().await;
    for behavior in [Behavior::Garbage, Behavior::Fault, Behavior::OtherXml] {
        office.behaves(behavior);
        let key = key(1, 48_271_936);
        for outcome in [authorize(&port, &key).await, port.status_of(&key).await] {
            let Err(IssuerError::Garbage(why)) = outcome else {
                panic!("{behavior:?}: {outcome:?}")
            };
            assert!(behavior != Behavior::Fault || why.contains("Servidor sem memória"), "{why}");
        }
    }
}

#[tokio::test]
async fn a_document_that_comes_as_text_is_read_too() {
    let (office, port) = office().await;
    office.behaves(Behavior::Escapes);
    protocol(authorize(&port, &key(1, 48_271_936)).await.expect("an answer"));
}

#[tokio::test]
async fn a_closed_office_says_so() {
    let (office, port) = office().await;
    assert_eq!(port.service_status().await.expect("an answer").code, 107);
    office.behaves(Behavior::Paused);
    let status = port.service_status().await.expect("an answer");
    assert_eq!(status.code, 108);
    let key = key(1, 48_271_936);
    for outcome in [authorize(&port, &key).await, port.status_of(&key).await] {
        assert_eq!(outcome, Ok(Outcome::Rejected { code: 108, text: status.text.clone() }));
    }
}

#[tokio::test]
async fn a_cancellation_is_registered_once_and_seen_afterwards() {
    let (office, port) = office().await;
    let key = key(1, 48_271_936);
    let authorised = protocol(authorize(&port, &key).await.expect("an answer"));
    let number = authorised.split("nProt>").nth(1).expect("a number").trim_end_matches("</");
    let event = Cancellation {
        key: &key,
        environment: TaxEnvironment::Homologation,
        protocol: number,
        reason: "Venda desfeita antes do envio",
        at: START,
    };
    let event = event.sign(&company()).expect("signed");

    office.behaves(Behavior::TooLate);
    let late = port.cancel(&event, &key).await.expect("an answer");
    assert!(matches!(&late, Registered::Rejected { code: 501, text } if text.contains("Prazo")));
    assert_eq!(office.good().len(), 1);

    office.behaves(Behavior::Works);
    let Ok(Registered::Accepted { answer }) = port.cancel(&event, &key).await else { panic!() };
    assert!(answer.starts_with("<retEvento versao=\"1.00\">"), "{answer}");
    let again = port.cancel(&event, &key).await.expect("an answer");
    assert!(matches!(again, Registered::Already { .. }), "{again:?}");
    let seen = port.status_of(&key).await.expect("an answer");
    assert_eq!(seen, Outcome::Cancelled { protocol: Some(authorised), event: Some(answer) });
    assert!(office.good().is_empty());
}

#[tokio::test]
async fn numbers_are_made_invalid_once() {
    let (_, port) = office().await;
    let request = "<inutNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><infInut>\
        <ano>26</ano><CNPJ>11222333000181</CNPJ><mod>55</mod><serie>1</serie><nNFIni>7</nNFIni>\
        <nNFFin>7</nNFFin></infInut></inutNFe>";
    let first = port.disable_numbers(request).await.expect("an answer");
    assert!(
        matches!(&first, Registered::Accepted { answer } if answer.starts_with("<retInutNFe")),
        "{first:?}"
    );
    let again = port.disable_numbers(request).await.expect("an answer");
    assert!(matches!(again, Registered::Already { .. }), "{again:?}");
}

#[tokio::test]
async fn both_sides_must_know_each_other() {
    let (office, _) = office().await;
    let pem = |name: &str| String::from_utf8(fake::file(name)).expect("PEM");
    let stranger = Certificate::from_pem(&pem("stranger_key.pem"), &pem("stranger.pem"));
    let stranger = Sefaz::new(&stranger.expect("a certificate"), settings(&office));
    let trusting_nobody = SefazSettings { roots: None, ..settings(&office) };
    let trusting_nobody = Sefaz::new(&company(), trusting_nobody);
    for port in [stranger, trusting_nobody] {
        let refused = authorize(&port.expect("usable"), &key(1, 48_271_936)).await;
        assert!(matches!(refused, Err(IssuerError::NoAnswer(_))), "{refused:?}");
    }
    assert_eq!(office.asked(), <[String; 0]>::default(), "nobody was let in");
    let garbage = SefazSettings { url: Some("no address".to_owned()), ..settings(&office) };
    assert!(matches!(Sefaz::new(&company(), garbage), Err(IssuerError::Unusable(_))));
}
