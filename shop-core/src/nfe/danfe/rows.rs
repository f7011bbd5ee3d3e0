//! Boxes with a label above and what they hold below.

use super::layout::{Block, Field, Row, Value, shares};
use super::parse::Invoice;
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, PdfPage, Type};

/// The height of a row of boxes.
pub(super) const HEIGHT: f32 = 7.0;
/// The height of the title above a block.
pub(super) const TITLE: f32 = 3.4;
/// The height of a line of a list, and how many texts stand in one.
const LIST: f32 = 3.4;
const LIST_COLUMNS: usize = 5;

const HEADING: Type = Type::new(Face::Bold, 6.5, Align::Left);
const LABEL: Type = Type::new(Face::Regular, 6.0, Align::Left).down_to(5.0);
const TEXT: Type = Type::new(Face::Regular, 10.0, Align::Left).down_to(6.0);
const LISTED: Type = Type::new(Face::Regular, 7.0, Align::Left).down_to(5.0);

/// The street's share of its row.
const STREET_LEFT: f32 = 97.0;

/// Does the recipient's street go into its box?
pub(super) fn fits_street(street: &str, width: f32) -> bool {
    TEXT.face.width(TEXT.least, street) <= width - STREET_LEFT - 2.0
}

/// How high a block is.
pub(super) fn height(block: &Block, invoice: Invoice<'_>) -> f32 {
    let rows: f32 = block.rows(invoice).iter().map(|_| HEIGHT).sum();
    let texts = block.list.map_or(0, |list| list(invoice).len());
    let list: f32 = (0..texts.div_ceil(LIST_COLUMNS)).map(|_| LIST).sum();
    if rows + list > 0.0 { TITLE + rows + list } else { 0.0 }
}

/// Draws a block at the top of an area, and answers how high it is.
pub(super) fn block(pdf: &mut PdfPage, area: Area, block: &Block, invoice: Invoice<'_>) -> f32 {
    let height = height(block, invoice);
    if height <= 0.0 {
        return 0.0;
    }
    title(pdf, area, block.title);
    let mut y = area.y + TITLE;
    for shown in block.rows(invoice) {
        y += row(pdf, Area { y, h: HEIGHT, ..area }, shown, invoice);
    }
    let texts = block.list.map(|list| list(invoice)).unwrap_or_default();
    for line in texts.chunks(LIST_COLUMNS) {
        let widths = shares(area.w, [0.0; LIST_COLUMNS].into_iter());
        let mut x = area.x;
        for (text, w) in line.iter().zip(widths) {
            let cell = Area { x, y, w, h: LIST };
            pdf.frame(cell);
            pdf.text(cell.inside(1.0), y + 2.5, LISTED, text);
            x += w;
        }
        y += LIST;
    }
    height
}

pub(super) fn title(pdf: &mut PdfPage, area: Area, text: &str) {
    pdf.text(area.inside(0.5), area.y + 2.7, HEADING, text);
}

/// Draws a row, and answers how high it is.
pub(super) fn row(pdf: &mut PdfPage, area: Area, row: &Row, invoice: Invoice<'_>) -> f32 {
    let widths = shares(area.w, row.fields.iter().map(|field| field.width));
    let mut x = area.x;
    for (field, w) in row.fields.iter().zip(widths) {
        draw(pdf, Area { x, w, ..area }, field, invoice);
        x += w;
    }
    area.h
}

fn draw(pdf: &mut PdfPage, area: Area, field: &Field, invoice: Invoice<'_>) {
    pdf.frame(area);
    label(pdf, area, field.label);
    let kind = match field.value {
        Value::Money(_) | Value::Weight(_) => Type { align: Align::Right, ..TEXT },
        Value::Proof(_) => Type { face: Face::Bold, align: Align::Center, ..TEXT },
        _ => TEXT,
    };
    pdf.text(area.inside(1.0), area.y + area.h - 1.1, kind, &field.value.of(invoice));
}

/// What a box is for, in its upper left corner.
pub(super) fn label(pdf: &mut PdfPage, area: Area, text: &str) {
    pdf.text(area.inside(0.8), area.y + 2.3, LABEL, text);
}
