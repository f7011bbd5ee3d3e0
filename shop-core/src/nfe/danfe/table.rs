//! The table of items.

use super::layout::{Column, Line, shares};
use super::parse::Part;
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, PdfPage, Type};

/// The height of the row of headings.
pub(super) const HEADING: f32 = 5.2;
/// The height of a line in a cell.
const LINE: f32 = 2.5;
/// What stays free around a cell's text.
const MARGIN: f32 = 0.6;

const TITLE: Type = Type::new(Face::Bold, 5.0, Align::Center);
const TEXT: Type = Type::new(Face::Regular, 6.25, Align::Left).down_to(4.5);

/// The columns, with their places on a page.
pub(super) struct Table {
    columns: &'static [Column],
    widths: Vec<f32>,
    simples: bool,
}

/// An item, measured.
pub(super) struct Item {
    cells: Vec<Vec<Line>>,
    pub(super) height: f32,
}

impl Table {
    pub(super) fn new(columns: &'static [Column], width: f32, simples: bool) -> Self {
        let widths = shares(width, columns.iter().map(|column| column.width));
        Self { columns, widths, simples }
    }

    /// Breaks an item's texts to the columns' widths.
    pub(super) fn measure(&self, item: Part<'_>) -> Item {
        let cell = |(column, width): (&Column, &f32)| {
            let lines = (column.cell)(item).into_iter();
            lines.flat_map(|line| broken(line, width - 2.0 * MARGIN)).collect::<Vec<_>>()
        };
        let cells: Vec<_> = self.columns.iter().zip(&self.widths).map(cell).collect();
        let height = cells.iter().map(|lines| lines.iter().map(|_| LINE).sum());
        let height = height.fold(LINE, f32::max) + 2.0 * MARGIN;
        Item { cells, height }
    }

    /// Draws headings and items at the top of an area, and answers how high they are.
    pub(super) fn draw(&self, pdf: &mut PdfPage, area: Area, items: &[Item]) -> f32 {
        self.headings(pdf, area);
        let mut y = area.y + HEADING;
        for item in items {
            if y > area.y + HEADING {
                pdf.dashes(y, area);
            }
            self.item(pdf, Area { y, ..area }, item);
            y += item.height;
        }
        y - area.y
    }

    /// The lines between the columns, down to the foot of an area.
    pub(super) fn rules(&self, pdf: &mut PdfPage, area: Area) {
        let mut x = area.x;
        for width in &self.widths[1..] {
            x = if x > area.x { x } else { area.x + self.widths[0] };
            pdf.line((x, area.y), (x, area.y + area.h));
            x += width;
        }
    }

    fn headings(&self, pdf: &mut PdfPage, area: Area) {
        let mut x = area.x;
        for (column, width) in self.columns.iter().zip(&self.widths) {
            let cell = Area { x, w: *width, ..area }.inside(MARGIN);
            let title = column.titles[usize::from(self.simples)];
            let lines = TITLE.face.wrap(TITLE.size, cell.w, title);
            let mut base = area.y + if lines.len() > 1 { 2.2 } else { 3.3 };
            for line in lines {
                pdf.text(cell, base, TITLE, &line);
                base += 2.0;
            }
            x += width;
        }
        let y = area.y + HEADING;
        pdf.line((area.x, y), (area.x + area.w, y));
    }

    fn item(&self, pdf: &mut PdfPage, area: Area, item: &Item) {
        let mut x = area.x;
        for (lines, width) in item.cells.iter().zip(&self.widths) {
            let cell = Area { x, w: *width, ..area }.inside(MARGIN);
            let mut base = area.y + MARGIN + LINE * 0.8;
            for line in lines {
                write(pdf, cell, base, line);
                base += LINE;
            }
            x += width;
        }
    }
}

/// Texts are broken, numbers never: those are set smaller where they do not fit.
fn broken(line: Line, width: f32) -> Vec<Line> {
    match line {
        Line::Left(text) => {
            TEXT.face.wrap(TEXT.size, width, &text).into_iter().map(Line::Left).collect()
        }
        other => vec![other],
    }
}

fn write(pdf: &mut PdfPage, cell: Area, base: f32, line: &Line) {
    let aligned = |align| Type { align, ..TEXT };
    match line {
        Line::Left(text) => pdf.text(cell, base, TEXT, text),
        Line::Center(text) => pdf.text(cell, base, aligned(Align::Center), text),
        Line::Right(text) => pdf.text(cell, base, aligned(Align::Right), text),
        Line::Named(pairs) => {
            // The left names are the longer ones.
            let parts: &[(f32, f32)] = match pairs.len() {
                1 => &[(0.0, 1.0)],
                _ => &[(0.0, 0.56), (0.6, 0.4)],
            };
            for ((name, text), (from, share)) in pairs.iter().zip(parts) {
                let part = Area { x: cell.x + cell.w * from, w: cell.w * share, ..cell };
                let name_width = TEXT.face.width(TEXT.size, name) + 0.3;
                pdf.text(part, base, TEXT, name);
                let rest = Area { x: part.x + name_width, w: part.w - name_width, ..part };
                pdf.text(rest, base, aligned(Align::Right), text);
            }
        }
    }
}
