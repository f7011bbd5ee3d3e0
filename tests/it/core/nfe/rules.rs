//! The rules by which the tax office refuses invoices: of each, a document that it refuses and one
//! that it accepts. Documents are this program's own where it writes such, edited where it does
//! not.

use std::collections::BTreeSet;

use shop_core::actor::Actor;
use shop_core::error::Refusal;
use shop_core::nfe::rules::{self, Reception, Violation};
use shop_core::nfe::{AccessKey, Csrt, IbsCbs, Invoice, TaxRegime};
use shop_core::{Error, Shop};

use super::samples::{certificate, interstate, plain, responsible};
use super::sold;
use crate::core::fixture::{START, TestShop};

/// What a case begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Base {
    /// A sale in the state, by a company under Simples Nacional.
    Sale,
    /// The same to another state.
    Far,
    /// A sale by a micro-entrepreneur.
    Mei,
    /// Goods that come back, by a company under Simples Nacional and by a micro-entrepreneur.
    Return,
    MeiReturn,
    /// A sale that shows the taxes of the reform, in 2026 and in 2027.
    Reform,
    Reform2027,
    /// A sale of a company in Paraná that names who answers for its program.
    Parana,
}

use Base::{Far, Mei, MeiReturn, Parana, Reform, Reform2027, Return, Sale};

fn signed(invoice: &Invoice) -> String {
    invoice.sign(&certificate()).expect("a document").xml
}

fn rates(state: &str, city: &str, cbs: &str) -> IbsCbs {
    let rate = |text: &str| text.parse().expect("a rate");
    IbsCbs { ibs_state: rate(state), ibs_city: rate(city), cbs: rate(cbs) }
}

fn mei() -> Invoice {
    let mut invoice = plain();
    invoice.company.regime = TaxRegime::Mei;
    invoice.lines[0].cfop = "5102".parse().expect("a code");
    invoice
}

/// A document of a sale turned into one of goods that come back.
fn returned(sale: &str) -> String {
    let key = "35261111222333000181550010000000061112223339";
    let key = check_digit(key);
    edited(
        sale,
        &[
            ("<tpNF>1</tpNF>", "<tpNF>0</tpNF>"),
            ("<finNFe>1</finNFe>", "<finNFe>4</finNFe>"),
            ("<indPres>2</indPres><indIntermed>0</indIntermed>", "<indPres>0</indPres>"),
            ("<CFOP>5101</CFOP>", "<CFOP>1201</CFOP>"),
            ("<CFOP>5102</CFOP>", "<CFOP>1202</CFOP>"),
            (
                "</imposto>",
                &format!(
                    "</imposto><DFeReferenciado><chaveAcesso>{key}</chaveAcesso><nItem>1</nItem>\
                     </DFeReferenciado>"
                ),
            ),
            (
                "<indPag>0</indPag><tPag>17</tPag><vPag>99.80</vPag><card><tpIntegra>2</tpIntegra>\
                 </card>",
                "<tPag>90</tPag><vPag>0.00</vPag>",
            ),
        ],
    )
}

/// A key with the check digit that follows from the rest of it.
fn check_digit(key: &str) -> String {
    let keys = (0..10).map(|digit| format!("{}{digit}", &key[..43]));
    keys.into_iter().find(|key| key.parse::<AccessKey>().is_ok()).expect("a digit")
}

impl Base {
    fn document(self) -> String {
        match self {
            Sale => signed(&plain()),
            Far => signed(&interstate()),
            Mei => signed(&mei()),
            Return => returned(&signed(&plain())),
            MeiReturn => edited(
                &returned(&signed(&mei())),
                &[
                    ("<ICMSSN102>", "<ICMSSN900>"),
                    ("</ICMSSN102>", "</ICMSSN900>"),
                    ("<CSOSN>102</CSOSN>", "<CSOSN>900</CSOSN>"),
                ],
            ),
            Reform => signed(&Invoice { ibs_cbs: Some(rates("0.10", "0", "0.90")), ..plain() }),
            Reform2027 => {
                let issued_at = "2027-01-04T12:00:00Z".parse().expect("a time");
                let rates = Some(rates("0.05", "0.05", "8.75"));
                signed(&Invoice { ibs_cbs: rates, issued_at, ..plain() })
            }
            Parana => {
                let mut invoice = plain();
                let place = || super::samples::place("4106902", "PR", "80010000");
                (invoice.company.address, invoice.recipient.address) = (place(), place());
                signed(&Invoice { responsible: Some(responsible()), ..invoice })
            }
        }
    }

    /// The office when the document comes in.
    fn reception(self) -> Reception {
        let at = match self {
            Reform2027 => "2027-01-04T12:00:00Z".parse().expect("a time"),
            _ => START,
        };
        Reception { at, csrt: responsible().csrt }
    }
}

fn edited(xml: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(xml.to_owned(), |xml, (from, to)| xml.replace(from, to))
}

fn codes(found: &[Violation]) -> Vec<u16> {
    found.iter().map(|it| it.code).collect()
}

/// The code, what the case begins with, and what is changed so that the rule is broken.
type Case = (u16, Base, &'static [(&'static str, &'static str)]);

const CASES: &[Case] = &[
    (502, Sale, &[("<nNF>7</nNF>", "<nNF>8</nNF>")]),
    (253, Sale, &[("Id=\"NFe35", "Id=\"NFe36")]),
    (897, Sale, &[("<cNF>48271936</cNF>", "<cNF>11111111</cNF>")]),
    (244, Sale, &[("<serie>1</serie>", "<serie>890</serie>")]),
    (703, Sale, &[("<dhEmi>2026-11-21T", "<dhEmi>2026-11-22T")]),
    (228, Sale, &[("<dhEmi>2026-11-21T", "<dhEmi>2026-10-20T")]),
    (434, Sale, &[("<indIntermed>0</indIntermed>", "")]),
    (435, Sale, &[("<indPres>2</indPres>", "<indPres>0</indPres>")]),
    (438, Sale, &[("<indIntermed>0</indIntermed>", "<indIntermed>1</indIntermed>")]),
    (439, Sale, &[("</pag>", "</pag><infIntermed><CNPJ>12ABC34501DE35</CNPJ></infIntermed>")]),
    (598, Sale, &[("<xNome>NF-E EMITIDA", "<xNome>ANA EMITIDA")]),
    (207, Sale, &[("<CNPJ>11222333000181</CNPJ>", "<CNPJ>11222333000182</CNPJ>")]),
    (209, Sale, &[("<IE>110042490114</IE>", "<IE>ISENTO</IE>")]),
    (719, Sale, &[("<CPF>52998224725</CPF>", "")]),
    (208, Sale, &[("<CPF>52998224725</CPF>", "<CNPJ>11222333000182</CNPJ>")]),
    (237, Sale, &[("<CPF>52998224725</CPF>", "<CPF>52998224726</CPF>")]),
    (772, Far, &[("<UF>RJ</UF>", "<UF>SP</UF>")]),
    (805, Sale, &[("<indIEDest>9</indIEDest>", "<indIEDest>2</indIEDest>")]),
    (696, Sale, &[("<indFinal>1</indFinal>", "<indFinal>0</indFinal>")]),
    (728, Sale, &[("<indIEDest>9</indIEDest>", "<indIEDest>1</indIEDest>")]),
    (210, Sale, &[("<indIEDest>9</indIEDest>", "<indIEDest>1</indIEDest><IE>ISENTO</IE>")]),
    (791, Sale, &[("<indIEDest>9</indIEDest>", "<indIEDest>2</indIEDest><IE>123456</IE>")]),
    (927, Sale, &[("<det nItem=\"1\">", "<det nItem=\"2\">")]),
    (611, Sale, &[("<cEAN>SEM GTIN</cEAN>", "<cEAN>7891000315508</cEAN>")]),
    (612, Sale, &[("<cEANTrib>SEM GTIN</cEANTrib>", "<cEANTrib>789</cEANTrib>")]),
    (885, Sale, &[("<cEAN>SEM GTIN</cEAN>", "<cEAN>7891000315507</cEAN>")]),
    (886, Sale, &[("<cEANTrib>SEM GTIN</cEANTrib>", "<cEANTrib>7891000315507</cEANTrib>")]),
    (777, Sale, &[("<NCM>34060000</NCM>", "<NCM>34</NCM>")]),
    (778, Sale, &[("<NCM>34060000</NCM>", "<NCM>77060000</NCM>")]),
    (732, Sale, &[("<CFOP>5101</CFOP>", "<CFOP>6107</CFOP>")]),
    (733, Far, &[("<CFOP>6107</CFOP>", "<CFOP>5101</CFOP>")]),
    (629, Sale, &[("<qCom>2.0000</qCom>", "<qCom>3.0000</qCom>")]),
    (483, Sale, &[("<indTot>1</indTot>", "<vDesc>99.81</vDesc><indTot>1</indTot>")]),
    (1002, Sale, &[("<ICMS>", "<OUTRO>"), ("</ICMS>", "</OUTRO>")]),
    (745, Sale, &[("<PIS>", "<OUTRO>"), ("</PIS>", "</OUTRO>")]),
    (748, Sale, &[("<COFINS>", "<OUTRO>"), ("</COFINS>", "</OUTRO>")]),
    (966, Sale, &[("<orig>0</orig>", "")]),
    (600, Sale, &[("<CSOSN>102</CSOSN>", "<CSOSN>101</CSOSN>")]),
    (782, Mei, &[("<CSOSN>102</CSOSN>", "<CSOSN>500</CSOSN>")]),
    (337, Mei, &[("<CFOP>5102</CFOP>", "<CFOP>5101</CFOP>")]),
    (337, MeiReturn, &[("<CSOSN>900</CSOSN>", "<CSOSN>102</CSOSN>")]),
    (806, Sale, &[("<CSOSN>102</CSOSN>", "<CSOSN>500</CSOSN>")]),
    (1020, Reform, &[("<CST>000</CST>", "<CST>999</CST>")]),
    (1021, Reform, &[("<CST>000</CST>", "<CST>410</CST>")]),
    (1022, Reform, &[("<gIBSCBS>", "<outro>"), ("</gIBSCBS>", "</outro>")]),
    (1023, Reform, &[("<cClassTrib>000001<", "<cClassTrib>000099<")]),
    (1024, Reform, &[("<cClassTrib>000001<", "<cClassTrib>200001<")]),
    (1025, Reform, &[("<cClassTrib>000001<", "<cClassTrib>000002<")]),
    (1026, Reform2027, &[("<pIBSUF>0.0500<", "<pIBSUF>0.1000<")]),
    (1026, Reform, &[("<pIBSUF>0.1000<", "<pIBSUF>0.0500<")]),
    (1036, Reform2027, &[("<pIBSMun>0.0500<", "<pIBSMun>0.0000<")]),
    (1037, Reform2027, &[("<pCBS>8.7500<", "<pCBS>0.9000<")]),
    (1037, Reform, &[("<pCBS>0.9000<", "<pCBS>8.8000<")]),
    (1041, Reform, &[("<vIBSUF>0.10<", "<vIBSUF>0.12<")]),
    (1052, Reform2027, &[("<vIBSMun>0.05<", "<vIBSMun>0.07<")]),
    (1069, Reform, &[("<vCBS>0.90<", "<vCBS>0.92<")]),
    (1118, Reform, &[("<IBSCBS>", "<OUTRO>"), ("</IBSCBS>", "</OUTRO>")]),
    (1119, Reform, &[("<IBSCBSTot>", "<OUTRO>"), ("</IBSCBSTot>", "</OUTRO>")]),
    (1076, Reform, &[("<vBCIBSCBS>99.80<", "<vBCIBSCBS>99.81<")]),
    (1077, Reform, &[("<gIBSUF><vDif>0.00<", "<gIBSUF><vDif>0.01<")]),
    (1078, Reform, &[("<vDevTrib>0.00</vDevTrib><vIBSUF>", "<vDevTrib>0.01</vDevTrib><vIBSUF>")]),
    (1080, Reform, &[("</vDevTrib><vIBSUF>0.10<", "</vDevTrib><vIBSUF>0.11<")]),
    (1081, Reform, &[("<gIBSMun><vDif>0.00<", "<gIBSMun><vDif>0.01<")]),
    (1082, Reform, &[("<vDevTrib>0.00</vDevTrib><vIBSMun>", "<vDevTrib>0.01</vDevTrib><vIBSMun>")]),
    (1084, Reform, &[("</vDevTrib><vIBSMun>0.00<", "</vDevTrib><vIBSMun>0.01<")]),
    (1085, Reform, &[("<vIBS>0.10</vIBS><vCredPres>", "<vIBS>0.11</vIBS><vCredPres>")]),
    (1088, Reform, &[("<gCBS><vDif>0.00<", "<gCBS><vDif>0.01<")]),
    (1089, Reform, &[("<vDevTrib>0.00</vDevTrib><vCBS>", "<vDevTrib>0.01</vDevTrib><vCBS>")]),
    (1091, Reform, &[("</vDevTrib><vCBS>0.90<", "</vDevTrib><vCBS>0.91<")]),
    (327, Return, &[("<CFOP>1201</CFOP>", "<CFOP>1101</CFOP>")]),
    (1179, MeiReturn, &[("<CFOP>1202</CFOP>", "<CFOP>1201</CFOP>")]),
    (328, Sale, &[("<CFOP>5101</CFOP>", "<CFOP>5201</CFOP>")]),
    (321, Return, &[("DFeReferenciado>", "outro>")]),
    (1010, Return, &[("</finNFe>", "</finNFe><NFref><refNFe>1</refNFe></NFref>")]),
    (1048, Return, &[("<nItem>1</nItem>", "")]),
    (
        1072,
        Return,
        &[(
            "</det>",
            "<DFeReferenciado><chaveAcesso>A</chaveAcesso></DFeReferenciado>\
        <DFeReferenciado><chaveAcesso>A</chaveAcesso></DFeReferenciado></det>",
        )],
    ),
    (
        1193,
        Return,
        &[(
            "</det>",
            "<DFeReferenciado><chaveAcesso>3526111ABC234500018155001000000006\
        </chaveAcesso><nItem>2</nItem></DFeReferenciado></det>",
        )],
    ),
    (564, Sale, &[("</vFCPSTRet><vProd>99.80<", "</vFCPSTRet><vProd>99.81<")]),
    (535, Sale, &[("<vFrete>0.00<", "<vFrete>1.00<")]),
    (536, Sale, &[("<vSeg>0.00<", "<vSeg>1.00<")]),
    (537, Sale, &[("<vDesc>0.00<", "<vDesc>1.00<")]),
    (604, Sale, &[("<vOutro>0.00<", "<vOutro>1.00<")]),
    (610, Sale, &[("<vNF>99.80<", "<vNF>99.79<")]),
    (871, Return, &[("<tPag>90</tPag>", "<tPag>01</tPag>")]),
    (866, Sale, &[("<vPag>99.80<", "<vPag>99.81<")]),
    (869, Sale, &[("</detPag>", "</detPag><vTroco>1.00</vTroco>")]),
    (904, Return, &[("<vPag>0.00<", "<vPag>99.80<")]),
    (963, Sale, &[("<tPag>17</tPag>", "<tPag>20</tPag>")]),
    (392, Sale, &[("<tpIntegra>2<", "<tpIntegra>1<")]),
    (972, Parana, &[("infRespTec>", "outro>")]),
    (973, Parana, &[("<infRespTec><CNPJ>12ABC34501DE35<", "<infRespTec><CNPJ>12ABC34501DE36<")]),
    (975, Parana, &[("idCSRT>", "outro>")]),
    (976, Parana, &[("<idCSRT>01<", "<idCSRT>02<")]),
    (978, Parana, &[("</hashCSRT>", "=</hashCSRT>")]),
];

#[test]
fn each_rule_refuses_a_document_with_its_code_and_accepts_the_one_before() {
    for base in [Sale, Far, Mei, Return, MeiReturn, Reform, Reform2027, Parana] {
        let found = rules::violations(&base.document(), &base.reception());
        assert_eq!(codes(&found), [0_u16; 0], "{base:?}: {found:?}");
    }
    for (code, base, edits) in CASES {
        let document = base.document();
        for (from, _) in *edits {
            assert!(document.contains(from), "{code}: {from} is not in {document}");
        }
        let found = rules::violations(&edited(&document, edits), &base.reception());
        let broken = found.iter().find(|it| it.code == *code);
        let broken = broken.unwrap_or_else(|| panic!("{code} of {base:?}: {found:?}"));
        let rule = rules::all().find(|it| it.code == *code).expect("a rule");
        assert!(broken.text.starts_with(&format!("Rejeição: {}", rule.text)), "{broken:?}");
        assert_eq!(broken.source, rule.source);
    }
}

#[test]
fn no_rule_is_without_a_case_and_none_is_there_twice() {
    let codes: Vec<u16> = rules::all().map(|rule| rule.code).collect();
    let in_table: BTreeSet<u16> = codes.iter().copied().collect();
    let tried: BTreeSet<u16> = CASES.iter().map(|(code, ..)| *code).collect();
    assert_eq!((in_table.len(), &in_table), (codes.len(), &tried));
}

#[test]
fn a_rule_about_items_names_the_item() {
    let mut invoice = plain();
    invoice.lines.push(super::samples::line(2, 1, 100));
    invoice.lines[1].fiscal.ncm = "99999999".parse().expect("a code");
    let found = rules::violations(&signed(&invoice), &Sale.reception());
    let [broken] = &found[..] else { panic!("{found:?}") };
    let expected = (778, "Rejeição: Informado NCM inexistente [nItem: 2]");
    assert_eq!((broken.code, broken.text.as_str()), expected);
}

#[test]
fn dates_are_refused_from_the_minute_after_their_limit() {
    let xml = Sale.document();
    let minutes = |minutes: i64| {
        let at = START.plus(std::time::Duration::from_secs(60 * 24 * 60 * 60));
        let back = 60 * 24 * 60 - minutes;
        let back = std::time::Duration::from_secs(u64::try_from(back * 60).expect("small"));
        Reception { at: at.minus(back), csrt: None }
    };
    let of = |offset: i64| codes(&rules::violations(&xml, &minutes(offset)));
    assert_eq!((of(-5), of(-6)), (vec![], vec![703]));
    assert_eq!((of(30 * 24 * 60), of(30 * 24 * 60 + 1)), (vec![], vec![228]));
}

#[test]
fn a_micro_entrepreneur_may_leave_out_what_only_others_must_say() {
    let free = [("<orig>0</orig>", ""), ("<NCM>34060000</NCM>", "<NCM>00000000</NCM>")];
    let found = rules::violations(&edited(&Mei.document(), &free), &Mei.reception());
    assert_eq!(codes(&found), [0_u16; 0]);
    let found = rules::violations(&edited(&Sale.document(), &free), &Sale.reception());
    assert_eq!(codes(&found), [778, 966]);
}

#[test]
fn what_is_no_invoice_breaks_the_schema() {
    for xml in ["", "<NFe>", "<NFe><infNFe Id=\"NFe1\"></infNFe></NFe>"] {
        assert_eq!(codes(&rules::violations(xml, &Sale.reception())), [215], "{xml}");
    }
}

/// A shop in Santa Catarina, which demands to be told who answers for the program.
async fn in_santa_catarina(test: &TestShop) -> Shop {
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let builder = builder.configure(|config| {
        config.nfe.company.city_code = Some("4205407".to_owned());
        config.nfe.company.state = "SC".parse().ok();
    });
    builder.open().await.expect("opens")
}

#[tokio::test]
async fn the_sandbox_refuses_by_the_rules_and_the_number_is_taken_by_what_is_corrected() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let shop = in_santa_catarina(&test).await;
    let error = shop.invoices().emit(&Actor::System, &order.id, None).await.expect_err("refused");
    let Error::Refused(Refusal::NfeRejected { code, text }) = error else { panic!("{error:?}") };
    let words = "Rejeição: Obrigatória as informações do responsável técnico";
    assert_eq!((code, text.as_str()), (972, words));
    let corrected = test.shop.invoices().emit(&Actor::System, &order.id, None).await;
    assert_eq!(corrected.expect("issued").number, 1);
}

#[test]
fn a_hash_is_checked_with_the_code_that_the_office_gave() {
    let other = Csrt { id: "01".to_owned(), code: shop_core::config::Secret::new("another") };
    let reception = Reception { csrt: Some(other), ..Parana.reception() };
    assert_eq!(codes(&rules::violations(&Parana.document(), &reception)), [978]);
    let unknown = Reception { csrt: None, ..Parana.reception() };
    assert_eq!(codes(&rules::violations(&Parana.document(), &unknown)), [0_u16; 0]);
}
