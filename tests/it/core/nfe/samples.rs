//! Invoices of every kind.

use shop_core::clock::Timestamp;
use shop_core::config::Secret;
use shop_core::money::Money;
use shop_core::nfe::{
    Certificate, City, Company, Csrt, Fiscal, FiscalAddress, IbsCbs, Invoice, IssuedSale, Line,
    Origin, PaymentMeans, Recipient, RecipientId, Responsible, ReturnGround, ReturnInvoice,
    ReturnedLine, TaxEnvironment, TaxRegime,
};

use crate::core::fixture::START;

/// The sandbox's own certificate.
pub(super) fn certificate() -> Certificate {
    let key = include_str!("../../../../shop-core/src/nfe/sandbox/key.pem");
    let certificate = include_str!("../../../../shop-core/src/nfe/sandbox/certificate.pem");
    Certificate::from_pem(key, certificate).expect("a certificate")
}

pub(super) fn place(city: &str, state: &str, cep: &str) -> FiscalAddress {
    FiscalAddress {
        street: "Rua São José".to_owned(),
        number: "20".to_owned(),
        complement: None,
        district: "Centro".to_owned(),
        city: City::of_code(city).expect("a city"),
        state: state.parse().expect("a state"),
        zip_code: cep.parse().expect("a CEP"),
    }
}

pub(super) fn line(number: usize, quantity: i64, cents: i64) -> Line {
    Line {
        code: format!("VELA-{number:03}"),
        name: format!("Vela aromática nº {number}"),
        quantity,
        price: Money::from_cents(cents),
        cfop: "5101".parse().expect("a code"),
        fiscal: Fiscal {
            ncm: "34060000".parse().expect("a code"),
            cest: None,
            gtin: None,
            origin: Origin::NATIONAL,
            csosn: "102".parse().expect("a code"),
            unit: "UN".parse().expect("a unit"),
        },
    }
}

/// One item in the company's own state, paid by PIX, sent for nothing.
pub(super) fn plain() -> Invoice {
    Invoice {
        environment: TaxEnvironment::Homologation,
        series: 1,
        number: 7,
        code: 48_271_936,
        issued_at: START,
        company: Company {
            cnpj: "11222333000181".parse().expect("a CNPJ"),
            name: "AURORA VELAS LTDA".to_owned(),
            trade_name: Some("AURORA".to_owned()),
            state_registration: "110042490114".to_owned(),
            regime: TaxRegime::Simples,
            address: place("3550308", "SP", "01001000"),
            phone: Some("(11) 3333-4444".to_owned()),
        },
        recipient: Recipient {
            id: RecipientId::Person(super::CPF.parse().expect("a CPF")),
            name: "Ana Conceição".to_owned(),
            address: place("3550308", "SP", "01310200"),
            email: Some("ana@example.com".to_owned()),
            phone: Some("11 99999-8888".to_owned()),
        },
        lines: vec![line(1, 2, 4990)],
        freight: Money::ZERO,
        discount: Money::ZERO,
        parcels: 1,
        weight_grams: 500,
        means: PaymentMeans::Pix,
        order_number: "PED-20261121-0001".to_owned(),
        ibs_cbs: None,
        responsible: None,
        tax_share: None,
    }
}

/// The same to another state.
pub(super) fn interstate() -> Invoice {
    let mut invoice = plain();
    invoice.recipient.address = place("3304557", "RJ", "20010020");
    for line in &mut invoice.lines {
        line.cfop = "6107".parse().expect("a code");
    }
    invoice
}

/// Sixty lines whose prices divide badly.
fn sixty() -> Invoice {
    let lines = (0..60).map(|n| line(n, 1 + i64::try_from(n).expect("small") % 7, 333 + 17 * 7));
    Invoice {
        lines: lines.collect(),
        freight: Money::from_cents(1851),
        discount: Money::from_cents(1301),
        ..plain()
    }
}

fn with_everything() -> Invoice {
    let mut invoice = interstate();
    invoice.recipient.address.complement = Some("Apto. 12 – “fundos”".to_owned());
    let line = &mut invoice.lines[0];
    "Vela <Cravo & Canela> \"especial\" 🕯 d'água".clone_into(&mut line.name);
    line.fiscal.cest = "2806300".parse().ok();
    line.fiscal.gtin = "7891000315507".parse().ok();
    line.fiscal.origin = Origin::try_from(2).expect("an origin");
    line.fiscal.csosn = "400".parse().expect("a code");
    line.fiscal.unit = "CX12".parse().expect("a unit");
    Invoice { freight: Money::from_cents(1), discount: Money::from_cents(9979), ..invoice }
}

/// A company that answers for the program, with the code of NT 2018.005's example.
pub(super) fn responsible() -> Responsible {
    let code = Secret::new("G8063VRTNDMO886SFNK5LDUDEI24XJ22YIPO");
    Responsible {
        cnpj: "12ABC34501DE35".parse().expect("a CNPJ"),
        contact: "Equipe – Notas".to_owned(),
        email: "nfe@velas.example".to_owned(),
        phone: "4133334444".to_owned(),
        csrt: Some(Csrt { id: "01".to_owned(), code }),
    }
}

fn ibs_cbs() -> IbsCbs {
    let rate = |text: &str| text.parse().expect("a rate");
    IbsCbs { ibs_state: rate("0.10"), ibs_city: rate("0"), cbs: rate("0.90") }
}

/// The same, for a company instead of a person.
pub(super) fn to_company(mut invoice: Invoice, ie: Option<&str>, resells: bool) -> Invoice {
    invoice.recipient.id = RecipientId::Company {
        cnpj: "12ABC34501DE35".parse().expect("a CNPJ"),
        state_registration: ie.map(|ie| ie.parse().expect("an IE")),
        buys_to_resell: resells,
    };
    invoice
}

/// Soap whose tax an earlier seller retained.
pub(super) fn retained_before() -> Line {
    let mut soap = line(1, 2, 1290);
    soap.cfop = "5405".parse().expect("a code");
    soap.fiscal.ncm = "34011190".parse().expect("a code");
    soap.fiscal.cest = "2003500".parse().ok();
    soap.fiscal.csosn = "500".parse().expect("a code");
    soap
}

/// Every kind of order, by name.
pub(super) fn kinds() -> Vec<(&'static str, Invoice)> {
    let cents = Money::from_cents;
    let mut alphanumeric = plain();
    alphanumeric.company.cnpj = "12ABC34501DE35".parse().expect("a CNPJ");
    let mut mei = plain();
    mei.company.regime = TaxRegime::Mei;
    mei.lines[0].cfop = "5102".parse().expect("a code");
    "ISENTO".clone_into(&mut mei.company.state_registration);
    let odd = vec![line(1, 3, 333), line(2, 7, 1), line(3, 1, 9999)];
    let december: Timestamp = "2026-12-02T12:00:00Z".parse().expect("a time");
    let mut retained = plain();
    retained.lines = vec![retained_before(), line(2, 1, 990)];
    let mut other = to_company(interstate(), Some("110042490114"), true);
    other.lines[0].cfop = "6101".parse().expect("a code");
    other.lines[0].fiscal.csosn = "900".parse().expect("a code");
    vec![
        ("one-item", plain()),
        ("sixty-items", sixty()),
        ("discount", Invoice { discount: cents(1001), ..plain() }),
        ("freight", Invoice { freight: cents(1850), ..plain() }),
        ("out-of-state", interstate()),
        ("card", Invoice { means: PaymentMeans::Card, freight: cents(990), ..interstate() }),
        ("odd-cents", Invoice { lines: odd, freight: cents(7), discount: cents(5), ..plain() }),
        ("nothing-to-pay", Invoice { discount: cents(9980), ..plain() }),
        ("everything", with_everything()),
        ("alphanumeric-cnpj", alphanumeric),
        ("micro-entrepreneur", mei),
        ("csosn-500", retained),
        ("csosn-900", other),
        ("company", to_company(plain(), None, false)),
        ("contributor-own-use", to_company(plain(), Some("110042490114"), false)),
        ("contributor-resells", to_company(plain(), Some("110042490114"), true)),
        ("tax-share", Invoice { tax_share: "4.00".parse().ok(), ..sixty() }),
        (
            "nothing-to-pay-of-many",
            Invoice {
                lines: vec![line(1, 2, 4990), line(2, 3, 333)],
                discount: cents(10_979),
                means: PaymentMeans::Nothing,
                ..plain()
            },
        ),
        ("production", Invoice { environment: TaxEnvironment::Production, ..plain() }),
        ("responsible", Invoice { responsible: Some(responsible()), ..plain() }),
        ("ibs-cbs", Invoice { ibs_cbs: Some(ibs_cbs()), ..sixty() }),
        ("december", Invoice { ibs_cbs: Some(ibs_cbs()), issued_at: december, ..interstate() }),
    ]
}

/// The return of a sale: of all its units with the freight, or of one unit of each line without.
fn returned(sale: &Invoice, whole: bool) -> ReturnInvoice {
    let signed = sale.sign(&certificate()).expect("a document");
    let sold = IssuedSale::parse(&signed.xml).expect("a sale");
    let back = |(place, line): (usize, &shop_core::nfe::SoldLine)| {
        let quantity = if whole { line.quantity } else { 1 };
        let discount = if whole { line.discount } else { Money::ZERO };
        ReturnedLine { place: place + 1, quantity, discount }
    };
    ReturnInvoice {
        environment: sale.environment,
        series: 1,
        number: 8,
        code: 11_223_344,
        issued_at: sale.issued_at,
        company: sale.company.clone(),
        lines: sold.lines.iter().enumerate().map(back).collect(),
        freight: if whole { sold.freight } else { Money::ZERO },
        sale: sold,
        ground: ReturnGround::Withdrawal,
        reason: Some("Não gostou do “perfume” & trocou".to_owned()),
        order_number: sale.order_number.clone(),
        responsible: sale.responsible.clone(),
    }
}

/// Returns of every kind of order, whole and in part, by name.
pub(super) fn returns() -> Vec<(String, ReturnInvoice)> {
    let both = |(name, sale): (&'static str, Invoice)| {
        [("whole", true), ("part", false)]
            .map(|(part, whole)| (format!("return-{part}-{name}"), returned(&sale, whole)))
    };
    kinds().into_iter().flat_map(both).collect()
}
