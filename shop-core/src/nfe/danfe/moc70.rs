//! The form of the manual (MOC 7.0), for invoices issued before 1 December 2026.

use super::boxes;
use super::layout::Line::{Center, Left, Right};
use super::layout::Value::Money;
use super::layout::{Block, Column, Field, Layout, Line, REST, Row};
use super::parse::Part;
use crate::pdf::write;

pub(super) const MOC_7_0: Layout = Layout {
    issuer: &[boxes::OPERATION, boxes::REGISTRATION],
    blocks: &[
        boxes::RECIPIENT,
        boxes::PICK_UP,
        boxes::DELIVERY,
        boxes::BILLING,
        TAXES,
        boxes::TRANSPORT,
    ],
    items: "DADOS DO PRODUTO / SERVIÇO",
    columns: COLUMNS,
    below: &[boxes::SERVICES],
    qr_code: false,
};

const TAXES: Block = Block::new(
    "CÁLCULO DO IMPOSTO",
    &[
        Row::new(&[
            Field::new("BASE DE CÁLCULO DO ICMS", REST, Money("total/ICMSTot/vBC")),
            Field::new("VALOR DO ICMS", REST, Money("total/ICMSTot/vICMS")),
            Field::new("BASE DE CÁLC. DO ICMS ST", REST, Money("total/ICMSTot/vBCST")),
            Field::new("VALOR DO ICMS ST", REST, Money("total/ICMSTot/vST")),
            Field::new("VALOR APROX. DOS TRIBUTOS", REST, Money("total/ICMSTot/vTotTrib")),
            Field::new("VALOR TOTAL DOS PRODUTOS", 38.0, Money("total/ICMSTot/vProd")),
        ]),
        Row::new(&[
            Field::new("VALOR DO FRETE", REST, Money("total/ICMSTot/vFrete")),
            Field::new("VALOR DO SEGURO", REST, Money("total/ICMSTot/vSeg")),
            Field::new("DESCONTO", REST, Money("total/ICMSTot/vDesc")),
            Field::new("OUTRAS DESPESAS", REST, Money("total/ICMSTot/vOutro")),
            Field::new("VALOR TOTAL DO IPI", REST, Money("total/ICMSTot/vIPI")),
            Field::new("VALOR TOTAL DA NOTA", 38.0, Money("total/ICMSTot/vNF")),
        ]),
    ],
);

const COLUMNS: &[Column] = &[
    Column::new("CÓDIGO PRODUTO", 20.0, |item| vec![Left(item.text("prod/cProd").into())]),
    Column::new("DESCRIÇÃO DO PRODUTO / SERVIÇO", REST, description),
    Column::new("NCM/SH", 12.0, |item| vec![Center(item.text("prod/NCM").into())]),
    Column { titles: ["O/CST", "O/CSOSN"], width: 10.0, cell: |item| vec![Center(taxation(item))] },
    Column::new("CFOP", 8.0, |item| vec![Center(item.text("prod/CFOP").into())]),
    Column::new("UN", 8.0, |item| both(item, ["uCom", "uTrib"], |text| Center(text.into()))),
    Column::new("QUANT.", 14.0, |item| both(item, ["qCom", "qTrib"], quantity)),
    Column::new("VALOR UNIT.", 14.0, |item| both(item, ["vUnCom", "vUnTrib"], price)),
    Column::new("VALOR TOTAL", 14.0, |item| vec![amount(item, "prod/vProd")]),
    Column::new("B.CÁLC. ICMS", 13.0, |item| vec![amount(item, "imposto/ICMS/*/vBC")]),
    Column::new("VALOR ICMS", 12.0, |item| vec![amount(item, "imposto/ICMS/*/vICMS")]),
    Column::new("VALOR IPI", 11.0, |item| vec![amount(item, "imposto/IPI/IPITrib/vIPI")]),
    Column::new("ALÍQ. ICMS", 8.5, |item| vec![amount(item, "imposto/ICMS/*/pICMS")]),
    Column::new("ALÍQ. IPI", 8.5, |item| vec![amount(item, "imposto/IPI/IPITrib/pIPI")]),
];

fn description(item: Part<'_>) -> Vec<Line> {
    lines_of_description(item).map(Left).collect()
}

/// What an item is, and what else is said about it.
pub(super) fn lines_of_description(item: Part<'_>) -> impl Iterator<Item = String> {
    let texts = [item.text("prod/xProd"), item.text("infAdProd")];
    texts.into_iter().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Origin and code of taxation.
pub(super) fn taxation(item: Part<'_>) -> String {
    let code = item.any(&["imposto/ICMS/*/CSOSN", "imposto/ICMS/*/CST"]);
    format!("{}{code}", item.text("imposto/ICMS/*/orig"))
}

/// What is sold by one unit and taxed by another is said of both.
fn both(item: Part<'_>, names: [&str; 2], line: fn(&str) -> Line) -> Vec<Line> {
    let same = is_taxed_as_sold(item);
    let names = if same { &names[..1] } else { &names[..] };
    names.iter().map(|name| line(item.text(&format!("prod/{name}")))).collect()
}

/// Is the unit for the tax the one it is sold by?
pub(super) fn is_taxed_as_sold(item: Part<'_>) -> bool {
    item.text("prod/uTrib").is_empty() || item.text("prod/uCom") == item.text("prod/uTrib")
}

fn quantity(text: &str) -> Line {
    Right(write::decimal(text, 4))
}

fn price(text: &str) -> Line {
    Right(write::decimal(text, 4))
}

fn amount(item: Part<'_>, path: &str) -> Line {
    let text = item.text(path);
    Right(write::money(if text.is_empty() { "0" } else { text }))
}
