//! The form of NT 2026.010, for invoices issued from 1 December 2026. What is not in the invoice
//! stays blank in it, and is not a zero.

use super::boxes;
use super::layout::Line::{Center, Left, Named, Right};
use super::layout::Value::Money;
use super::layout::{Block, Column, Field, Layout, Line, REST, Row};
use super::moc70::{is_taxed_as_sold, lines_of_description, taxation};
use super::parse::Part;
use crate::pdf::write;

/// The day from which invoices are shown in this form.
pub(super) const FROM: &str = "2026-12-01";

pub(super) const NT_2026_010: Layout = Layout {
    issuer: &[boxes::OPERATION, boxes::REGISTRATION, boxes::TAX_REGIME],
    blocks: &[
        boxes::RECIPIENT,
        boxes::PICK_UP,
        boxes::DELIVERY,
        boxes::BILLING,
        TOTALS,
        STATE_TAXES,
        NEW_TAXES,
        boxes::SERVICES,
        boxes::TRANSPORT_AS_NEEDED,
    ],
    items: "DADOS DOS PRODUTOS / SERVIÇOS",
    columns: COLUMNS,
    below: &[],
    qr_code: true,
};

const TOTALS: Block = Block::new(
    "TOTAL DOS PRODUTOS E TOTAL DA NOTA",
    &[
        Row::new(&[
            Field::new("VALOR TOTAL DOS PRODUTOS", REST, Money("total/ICMSTot/vProd")),
            Field::new("VALOR DO FRETE", REST, Money("total/ICMSTot/vFrete")),
            Field::new("VALOR DO SEGURO", REST, Money("total/ICMSTot/vSeg")),
            Field::new("DESCONTO", REST, Money("total/ICMSTot/vDesc")),
            Field::new("OUTRAS DESPESAS ACESSÓRIAS", REST, Money("total/ICMSTot/vOutro")),
        ]),
        Row::new(&[
            Field::new("VALOR APROXIMADO DOS TRIBUTOS", REST, Money("total/ICMSTot/vTotTrib")),
            Field::new("VALOR TOTAL DA NOTA", REST, Money("total/ICMSTot/vNF")),
        ]),
    ],
);

const STATE_TAXES: Block = Block::new(
    "TOTAL DO ICMS / IPI",
    &[
        Row::new(&[
            Field::new("BASE DE CÁLCULO DO ICMS", REST, Money("total/ICMSTot/vBC")),
            Field::new("VALOR DO ICMS", REST, Money("total/ICMSTot/vICMS")),
            Field::new("BASE DE CÁLCULO DO ICMS ST", REST, Money("total/ICMSTot/vBCST")),
            Field::new("VALOR DO ICMS ST", REST, Money("total/ICMSTot/vST")),
            Field::new("VALOR DO IPI", REST, Money("total/ICMSTot/vIPI")),
        ]),
        Row::not_zero(&[
            Field::new("VALOR DO FCP", REST, Money("total/ICMSTot/vFCP")),
            Field::new("VALOR DO FCP RETIDO POR ST", REST, Money("total/ICMSTot/vFCPST")),
            Field::new("DIFAL NA UF DE DESTINO", REST, Money("total/ICMSTot/vICMSUFDest")),
            Field::new("FCP NA UF DE DESTINO", REST, Money("total/ICMSTot/vFCPUFDest")),
        ]),
        Row::not_zero(&[
            Field::new("BC DO ICMS MONOFÁSICO", REST, Money("total/ICMSTot/qBCMono")),
            Field::new("VALOR DO ICMS MONOFÁSICO", REST, Money("total/ICMSTot/vICMSMono")),
            Field::new("BC ICMS MONOF. RETENÇÃO", REST, Money("total/ICMSTot/qBCMonoReten")),
            Field::new("ICMS MONOF. RETENÇÃO", REST, Money("total/ICMSTot/vICMSMonoReten")),
        ]),
    ],
);

const NEW_TAXES: Block = Block::new(
    "TOTAL DO IBS / CBS / IS",
    &[
        Row::new(&[
            Field::new("VALOR DA CBS", REST, Money("total/IBSCBSTot/gCBS/vCBS")),
            Field::new("VALOR DO IBS UF", REST, Money("total/IBSCBSTot/gIBS/gIBSUF/vIBSUF")),
            Field::new(
                "VALOR DO IBS MUNICÍPIO",
                REST,
                Money("total/IBSCBSTot/gIBS/gIBSMun/vIBSMun"),
            ),
            Field::new("VALOR DO IMPOSTO SELETIVO", REST, Money("total/ISTot/vIS")),
        ]),
        Row::with(
            "total/IBSCBSTot/gMono",
            &[
                Field::new("IBS MONOFÁSICO", REST, Money("total/IBSCBSTot/gMono/vIBSMono")),
                Field::new("CBS MONOFÁSICA", REST, Money("total/IBSCBSTot/gMono/vCBSMono")),
                Field::new(
                    "IBS MONOF. RETENÇÃO",
                    REST,
                    Money("total/IBSCBSTot/gMono/vIBSMonoReten"),
                ),
                Field::new(
                    "CBS MONOF. RETENÇÃO",
                    REST,
                    Money("total/IBSCBSTot/gMono/vCBSMonoReten"),
                ),
            ],
        ),
    ],
);

const COLUMNS: &[Column] = &[
    Column::new("CÓDIGO", 20.0, |item| vec![Left(item.text("prod/cProd").into())]),
    Column::new("DESCRIÇÃO DO PRODUTO / SERVIÇO", REST, description),
    Column { titles: ["CST / CFOP", "CSOSN / CFOP"], width: 14.0, cell: codes },
    Column::new("QTD / UN", 13.0, quantity),
    Column::new("VLR UNIT", 13.0, price),
    Column::new("VLR TOTAL", 14.0, |item| vec![Right(write::money(item.text("prod/vProd")))]),
    Column::new("BASES DE CÁLCULO", 24.0, bases),
    Column::new("ALÍQUOTAS", 30.0, rates),
    Column::new("VALOR DOS TRIBUTOS", 34.0, values),
];

fn description(item: Part<'_>) -> Vec<Line> {
    let ncm = item.text("prod/NCM");
    let codes = match item.text("imposto/IBSCBS/cClassTrib") {
        "" => format!("[NCM {ncm}]"),
        class => format!("[NCM {ncm}] [cClassTrib {class}]"),
    };
    lines_of_description(item).chain([codes]).map(Left).collect()
}

fn codes(item: Part<'_>) -> Vec<Line> {
    let simples = item.find("imposto/ICMS/*/CSOSN").is_some();
    let kind = if simples { "CSOSN" } else { "CST" };
    let named = [(kind, taxation(item)), ("CFOP", item.text("prod/CFOP").to_owned())];
    lines(named.into_iter())
}

fn quantity(item: Part<'_>) -> Vec<Line> {
    let of = |amount: &str, unit: &str| {
        [write::decimal(item.text(amount), 4), item.text(unit).to_owned()].map(Center)
    };
    let mut lines = of("prod/qCom", "prod/uCom").to_vec();
    if !is_taxed_as_sold(item) {
        lines.extend(of("prod/qTrib", "prod/uTrib"));
    }
    lines
}

fn price(item: Part<'_>) -> Vec<Line> {
    let of = |path: &str| Right(write::decimal(item.text(path), 4));
    let mut lines = vec![of("prod/vUnCom")];
    if !is_taxed_as_sold(item) {
        lines.extend([Right(String::new()), of("prod/vUnTrib")]);
    }
    lines
}

fn bases(item: Part<'_>) -> Vec<Line> {
    let bases = [
        ("ICMS", "imposto/ICMS/*/vBC"),
        ("IBS / CBS", "imposto/IBSCBS/gIBSCBS/vBC"),
        ("IS", "imposto/IS/vBCIS"),
        ("IPI", "imposto/IPI/IPITrib/vBC"),
    ];
    lines(bases.into_iter().map(|(name, path)| (name, write::money(item.text(path)))))
}

fn lines(named: impl Iterator<Item = (&'static str, String)>) -> Vec<Line> {
    named.filter(|(_, text)| !text.is_empty()).map(|it| Named(vec![it])).collect()
}

/// A tax on an item: its name, where its rate stands (a reduced one first), and where its value.
struct Tax {
    name: &'static str,
    rates: &'static [&'static str],
    value: &'static str,
}

const LEFT: [Tax; 3] = [
    Tax { name: "ICMS", rates: &["imposto/ICMS/*/pICMS"], value: "imposto/ICMS/*/vICMS" },
    Tax {
        name: "IBS UF",
        rates: &[
            "imposto/IBSCBS/gIBSCBS/gIBSUF/gRed/pAliqEfet",
            "imposto/IBSCBS/gIBSCBS/gIBSUF/pIBSUF",
        ],
        value: "imposto/IBSCBS/gIBSCBS/gIBSUF/vIBSUF",
    },
    Tax {
        name: "IBS MUN",
        rates: &[
            "imposto/IBSCBS/gIBSCBS/gIBSMun/gRed/pAliqEfet",
            "imposto/IBSCBS/gIBSCBS/gIBSMun/pIBSMun",
        ],
        value: "imposto/IBSCBS/gIBSCBS/gIBSMun/vIBSMun",
    },
];

const RIGHT: [Tax; 3] = [
    Tax {
        name: "CBS",
        rates: &["imposto/IBSCBS/gIBSCBS/gCBS/gRed/pAliqEfet", "imposto/IBSCBS/gIBSCBS/gCBS/pCBS"],
        value: "imposto/IBSCBS/gIBSCBS/gCBS/vCBS",
    },
    Tax { name: "IPI", rates: &["imposto/IPI/IPITrib/pIPI"], value: "imposto/IPI/IPITrib/vIPI" },
    Tax { name: "IS", rates: &["imposto/IS/pIS"], value: "imposto/IS/vIS" },
];

fn rates(item: Part<'_>) -> Vec<Line> {
    side_by_side(|tax| write::rate(item.any(tax.rates)))
}

fn values(item: Part<'_>) -> Vec<Line> {
    side_by_side(|tax| write::money(item.text(tax.value)))
}

/// The taxes two to a line, as the form has them. Those that the item does not have are left out.
fn side_by_side(text: impl Fn(&Tax) -> String) -> Vec<Line> {
    let [lefts, rights] = [&LEFT, &RIGHT].map(|side| {
        let named = side.iter().map(|tax| (tax.name, text(tax)));
        named.filter(|(_, text)| !text.is_empty()).collect::<Vec<_>>()
    });
    if rights.is_empty() {
        return lines(lefts.into_iter());
    }
    let line = |index: usize| {
        let at = |side: &[(&'static str, String)]| side.get(index).cloned().unwrap_or_default();
        Named(vec![at(&lefts), at(&rights)])
    };
    (0..lefts.len().max(rights.len())).map(line).collect()
}
