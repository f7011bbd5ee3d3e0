//! The document: what it says, and that it says it as the layout wants it.

use proptest::prelude::*;
use roxmltree::{Document, Node};
use shop_core::Error;
use shop_core::money::Money;
use shop_core::nfe::{
    AccessKey, Cancellation, Invoice, PaymentMeans, TaxEnvironment, TaxRegime, UnusedNumbers,
};

use super::read::{canonical, cents, check_signature, children, element, text};
use super::samples::{certificate, interstate, kinds, line, plain, retained_before, to_company};
use crate::core::fixture::START;

const NOBODY: &str = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";

fn signed(invoice: &Invoice) -> String {
    invoice.sign(&certificate()).expect("a document").xml
}

/// All rules that a document must keep, whatever it is about.
fn check(xml: &str) {
    assert!(!xml.contains('\n') && !xml.contains("> <"), "no white space between tags");
    assert!(!xml.contains("/>"), "nothing closes itself");
    let document = Document::parse(xml).expect("XML");
    assert_eq!(canonical(document.root_element()), xml, "the canonical form is the text itself");
    check_signature(&document, "infNFe");
    document.descendants().filter(Node::is_element).for_each(check_element);
    check_key(&document);
    check_totals(&document);
}

/// Latin-1 without blanks at its ends, and never empty.
fn check_element(node: Node<'_, '_>) {
    let name = node.tag_name().name();
    if node.children().any(|child| child.is_element())
        || name == "CanonicalizationMethod"
        || name == "SignatureMethod"
        || name == "Transform"
        || name == "DigestMethod"
    {
        return;
    }
    let text = node.text().unwrap_or_default();
    assert!(!text.is_empty(), "{name} is empty");
    assert_eq!(text.trim(), text, "{name}");
    assert!(text.chars().all(|c| matches!(c, ' '..='~' | '\u{a0}'..='ÿ')), "{name}: {text:?}");
    let max = match name {
        "xProd" => 120,
        "infCpl" => 5000,
        "verProc" => 20,
        "uCom" | "uTrib" => 6,
        "SignatureValue" | "X509Certificate" => return,
        _ => 60,
    };
    assert!(text.chars().count() <= max, "{name} is too long");
}

fn check_key(document: &Document<'_>) {
    let inf = element(document, "infNFe");
    let id = inf.attribute("Id").and_then(|id| id.strip_prefix("NFe")).expect("an Id");
    let key: AccessKey = id.parse().expect("a valid key");
    let ide = |path: &str| text(children(inf, "ide")[0], path).expect("there");
    let date = ide("dhEmi");
    assert_eq!(&id[..2], ide("cUF"));
    assert_eq!(id[2..6], format!("{}{}", &date[2..4], &date[5..7]));
    assert_eq!(key.cnpj(), text(inf, "emit/CNPJ").expect("there"));
    assert_eq!(&id[20..22], ide("mod"));
    assert_eq!(id[22..25], format!("{:0>3}", ide("serie")));
    assert_eq!(id[25..34], format!("{:0>9}", ide("nNF")));
    assert_eq!(&id[35..43], ide("cNF"));
    assert_eq!(&id[43..], ide("cDV"));
    assert!(date.ends_with("-03:00") && date.len() == 25, "{date}");
}

fn check_totals(document: &Document<'_>) {
    let inf = element(document, "infNFe");
    let total = element(document, "ICMSTot");
    let items = children(inf, "det");
    let sum = |path: &str| items.iter().map(|item| cents(*item, path)).sum::<i64>();
    for tag in ["vProd", "vFrete", "vDesc"] {
        assert_eq!(sum(&format!("prod/{tag}")), cents(total, tag), "{tag}");
    }
    let of = |tag| cents(total, tag);
    assert_eq!(of("vNF"), of("vProd") - of("vDesc") + of("vFrete"));
    assert_eq!(cents(inf, "pag/detPag/vPag"), of("vNF"));
    for (place, item) in items.iter().enumerate() {
        assert_eq!(item.attribute("nItem"), Some(&*(place + 1).to_string()));
        let quantity = text(*item, "prod/qCom").and_then(|text| text.strip_suffix(".0000"));
        let quantity: i64 = quantity.and_then(|text| text.parse().ok()).expect("a quantity");
        assert_eq!(cents(*item, "prod/vUnCom") * quantity, cents(*item, "prod/vProd"));
        assert!(cents(*item, "prod/vDesc") <= cents(*item, "prod/vProd"));
        for optional in ["prod/vFrete", "prod/vDesc"] {
            assert_ne!(text(*item, optional), Some("0.00"), "{optional}");
        }
    }
    if text(total, "vTotTrib").is_some() {
        assert_eq!(sum("imposto/vTotTrib"), of("vTotTrib"));
        let words = text(inf, "infAdic/infCpl").expect("words");
        assert!(words.contains("Valor aproximado dos tributos R$ "), "{words}");
    }
    if of("vNF") == 0 {
        assert_eq!(text(inf, "pag/detPag/tPag"), Some("90"));
        for item in &items {
            assert_eq!(cents(*item, "prod/vDesc"), cents(*item, "prod/vProd"));
        }
    }
    if inf.descendants().any(|node| node.has_tag_name("IBSCBSTot")) {
        let line = |path: &str| sum(&format!("imposto/IBSCBS/gIBSCBS/{path}"));
        let whole = element(document, "IBSCBSTot");
        assert_eq!(line("vBC"), cents(whole, "vBCIBSCBS"));
        assert_eq!(line("vIBS"), cents(whole, "gIBS/vIBS"));
        assert_eq!(line("gIBSUF/vIBSUF"), cents(whole, "gIBS/gIBSUF/vIBSUF"));
        assert_eq!(line("gCBS/vCBS"), cents(whole, "gCBS/vCBS"));
        assert_eq!(sum("vItem"), cents(element(document, "total"), "vNFTot"));
        assert_eq!(sum("vItem"), of("vNF"));
    }
}

#[test]
fn every_kind_of_order_makes_a_document_that_adds_up_and_whose_signature_holds() {
    for (name, invoice) in kinds() {
        println!("{name}");
        check(&signed(&invoice));
    }
}

#[test]
fn each_situation_has_its_group() {
    let group = |csosn: &str| {
        let mut invoice = plain();
        invoice.lines = vec![retained_before()];
        invoice.lines[0].fiscal.csosn = csosn.parse().expect("a code");
        let xml = signed(&invoice);
        let document = Document::parse(&xml).expect("XML");
        let icms = element(&document, "ICMS").first_element_child().expect("a group");
        assert_eq!((text(icms, "orig"), text(icms, "CSOSN")), (Some("0"), Some(csosn)));
        icms.tag_name().name().to_owned()
    };
    for csosn in ["102", "103", "300", "400"] {
        assert_eq!(group(csosn), "ICMSSN102");
    }
    assert_eq!((group("500").as_str(), group("900").as_str()), ("ICMSSN500", "ICMSSN900"));
}

#[test]
fn codes_that_the_regime_does_not_take_are_refused_before_they_are_sent() {
    let refused = |regime: TaxRegime, csosn: &str, cfop: &str, field: &str| {
        let mut invoice = plain();
        invoice.company.regime = regime;
        invoice.lines[0].cfop = cfop.parse().expect("a code");
        invoice.lines[0].fiscal.csosn = csosn.parse().expect("a code");
        let Err(Error::Invalid(wrong)) = invoice.check() else { panic!("{csosn} {cfop} is taken") };
        assert!(wrong.field_errors.contains_key(&format!("items[0].{field}")), "{wrong}");
    };
    refused(TaxRegime::Mei, "102", "5101", "cfop");
    refused(TaxRegime::Mei, "102", "6108", "cfop");
    refused(TaxRegime::Mei, "900", "5102", "cfop");
    refused(TaxRegime::Mei, "103", "5102", "csosn");
    refused(TaxRegime::Mei, "500", "5405", "csosn");
    refused(TaxRegime::Simples, "500", "5405", "cest");
}

#[test]
fn a_company_is_named_by_its_cnpj_and_what_it_pays() {
    let said = |ie: Option<&str>, resells: bool| {
        let xml = signed(&to_company(plain(), ie, resells));
        let document = Document::parse(&xml).expect("XML");
        let buyer = element(&document, "dest");
        assert_eq!(text(buyer, "CNPJ"), Some("12ABC34501DE35"));
        assert!(text(buyer, "CPF").is_none());
        assert_eq!(text(buyer, "IE"), ie);
        let of = |part, name| text(part, name).map(str::to_owned);
        (of(buyer, "indIEDest"), of(element(&document, "ide"), "indFinal"))
    };
    let pair = |kind: &str, last: &str| (Some(kind.to_owned()), Some(last.to_owned()));
    assert_eq!(said(None, false), pair("9", "1"));
    assert_eq!(said(None, true), pair("9", "1"), "without a registration nobody sells again");
    assert_eq!(said(Some("110042490114"), false), pair("1", "1"));
    assert_eq!(said(Some("110042490114"), true), pair("1", "0"));
}

#[test]
fn a_buyer_that_the_office_would_refuse_is_refused_before() {
    let wrong = |invoice: Invoice, field: &str| {
        let Err(Error::Invalid(wrong)) = invoice.check() else { panic!("{field} is taken") };
        assert!(wrong.field_errors.contains_key(field), "{wrong}");
    };
    let mut own = to_company(plain(), None, false);
    own.company.cnpj = "12ABC34501DE35".parse().expect("a CNPJ");
    wrong(own, "cnpj");
    wrong(to_company(interstate(), Some("110042490114"), false), "items[0].cfop");
}

#[test]
fn a_line_of_which_nothing_is_left_in_latin_letters_is_refused_before() {
    for text in ["漢字", "😀😀"] {
        let mut invoice = plain();
        (invoice.lines[0].name, invoice.lines[0].code) = (text.into(), text.into());
        let Err(Error::Invalid(wrong)) = invoice.check() else { panic!("{text} is taken") };
        let fields: Vec<_> = wrong.field_errors.keys().collect();
        assert_eq!(fields, ["items[0].code", "items[0].name"]);
    }
}

#[test]
fn a_document_says_who_sold_what_to_whom_and_how_it_was_paid() {
    let xml = signed(&Invoice { means: PaymentMeans::Card, ..interstate() });
    let document = Document::parse(&xml).expect("XML");
    let inf = element(&document, "infNFe");
    let said = |path: &str| text(inf, path);
    for (path, expected) in [
        ("ide/idDest", "2"),
        ("ide/indPres", "2"),
        ("ide/indIntermed", "0"),
        ("ide/tpAmb", "2"),
        ("emit/CRT", "1"),
        ("emit/enderEmit/fone", "1133334444"),
        ("dest/CPF", super::CPF),
        ("dest/xNome", NOBODY),
        ("dest/indIEDest", "9"),
        ("dest/enderDest/cMun", "3304557"),
        ("dest/enderDest/xMun", "Rio de Janeiro"),
        ("det/prod/cEAN", "SEM GTIN"),
        ("det/prod/NCM", "34060000"),
        ("det/prod/CFOP", "6107"),
        ("det/imposto/ICMS/ICMSSN102/CSOSN", "102"),
        ("transp/modFrete", "0"),
        ("transp/vol/pesoL", "0.500"),
        ("pag/detPag/tPag", "03"),
        ("pag/detPag/card/tpIntegra", "2"),
    ] {
        assert_eq!(said(path), Some(expected), "{path}");
    }
    assert!(said("infAdic/infCpl").expect("there").contains("PEDIDO PED-20261121-0001"));
}

#[test]
fn only_where_invoices_count_they_name_the_buyer() {
    let xml = signed(&Invoice { environment: TaxEnvironment::Production, ..plain() });
    assert!(xml.contains("<xNome>Ana Conceição</xNome>") && xml.contains("<tpAmb>1</tpAmb>"));
    assert!(!xml.contains("HOMOLOGACAO"));
}

#[test]
fn what_the_layout_cannot_hold_is_named() {
    let mut invoice = plain();
    invoice.recipient.address.street = "🕯".to_owned();
    invoice.company.state_registration = "x".to_owned();
    invoice.discount = Money::from_cents(9981);
    let Err(Error::Invalid(wrong)) = invoice.sign(&certificate()) else { panic!("signed") };
    let fields: Vec<&str> = wrong.field_errors.keys().map(String::as_str).collect();
    assert_eq!(fields, ["address.street", "company.stateRegistration"]);
    assert_eq!(wrong.form_errors.len(), 1);
    for lines in [vec![], (0..991).map(|n| line(n, 1, 1)).collect()] {
        assert!(Invoice { lines, ..plain() }.check().is_err());
    }
}

#[test]
fn a_cancellation_and_unused_numbers_are_signed_like_an_invoice() {
    let certificate = certificate();
    let invoice = plain();
    let key = invoice.key();
    let reason = "Cliente desistiu – antes do envio";
    let environment = TaxEnvironment::Homologation;
    let event =
        Cancellation { key: &key, environment, protocol: "135260000000001", reason, at: START }
            .sign(&certificate)
            .expect("an event");
    let document = Document::parse(&event).expect("XML");
    check_signature(&document, "infEvento");
    assert_eq!(canonical(document.root_element()), event);
    let id = element(&document, "infEvento").attribute("Id").expect("an Id");
    assert_eq!(id, format!("ID110111{key}01"));
    let said = element(&document, "xJust").text();
    assert_eq!(said, Some("Cliente desistiu - antes do envio"));

    let company = &invoice.company;
    let unused =
        UnusedNumbers { company, environment, series: 1, first: 8, last: 9, reason, at: START };
    let request = unused.sign(&certificate).expect("a request");
    let document = Document::parse(&request).expect("XML");
    check_signature(&document, "infInut");
    let id = element(&document, "infInut").attribute("Id");
    assert_eq!(id, Some("ID35261122233300018155001000000008000000009"));
    let short = UnusedNumbers { reason: "curta demais", ..unused };
    assert!(matches!(short.sign(&certificate), Err(Error::Invalid(_))));
}

/// Texts of all sorts, with at least two characters that the layout knows.
fn words() -> impl Strategy<Value = String> {
    "[A-Za-zÀ-ÿ&<>\"' ]{0,30}\\PC{0,90}".prop_map(|text| format!("Ab {text}"))
}

fn any_invoice() -> impl Strategy<Value = Invoice> {
    let lines = prop::collection::vec((1_i64..500, 0_i64..500_000, words()), 1..40);
    let rest =
        (0_i64..100_000, 0_u32..=1000, 1_u32..1_000_000_000, any::<bool>(), words(), words());
    (lines, rest).prop_map(|(lines, (freight, share, number, reform, name, street))| {
        let mut invoice = interstate();
        invoice.lines = lines
            .into_iter()
            .enumerate()
            .map(|(n, (quantity, price, name))| {
                let mut line = line(n, quantity, price);
                line.cfop = "6107".parse().expect("a code");
                line.name = name;
                line
            })
            .collect();
        let gross: i64 = invoice.lines.iter().map(|l| l.price.cents() * l.quantity).sum();
        invoice.discount = Money::from_cents(gross * i64::from(share) / 1000);
        invoice.freight = Money::from_cents(freight);
        invoice.number = number;
        invoice.recipient.name.clone_from(&name);
        invoice.recipient.email = Some(name);
        invoice.recipient.address.complement = Some(street.clone());
        invoice.recipient.address.street = street;
        if reform {
            let rate = |text: &str| text.parse().expect("a rate");
            invoice.ibs_cbs = Some(shop_core::nfe::IbsCbs {
                ibs_state: rate("0.05"),
                ibs_city: rate("0.05"),
                cbs: rate("8.7500"),
            });
        }
        invoice
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_order_makes_a_document_that_adds_up_and_whose_key_is_valid(invoice in any_invoice()) {
        prop_assume!(shop_core::nfe::is_random_code(invoice.code, invoice.number));
        check(&signed(&invoice));
    }
}
