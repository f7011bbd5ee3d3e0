//! The packing slip: what goes into which parcel, with a box to tick for each line.

use super::sheet::{Line, Parcel, Sheet};
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, HEIGHT, PdfPage, Type, WIDTH};
use crate::pdf::write;

const EDGE: f32 = 15.0;
const INNER: f32 = WIDTH - 2.0 * EDGE;
/// Where a page ends.
const FOOT: f32 = HEIGHT - 20.0;
const STEP: f32 = 5.0;
/// What stands left of a line's name: the box to tick and the quantity.
const LEFT: f32 = 24.0;

const TITLE: Type = Type::new(Face::Bold, 16.0, Align::Left);
const HEADING: Type = Type::new(Face::Bold, 11.0, Align::Left).down_to(7.0);
const TEXT: Type = Type::new(Face::Regular, 10.0, Align::Left);
const NUMBER: Type = Type::new(Face::Bold, 10.0, Align::Right);
const SMALL: Type = Type::new(Face::Regular, 8.0, Align::Left);

/// Pages that are being filled from the top.
struct Slip<'a> {
    sheet: &'a Sheet,
    done: Vec<PdfPage>,
    pdf: PdfPage,
    y: f32,
}

/// As many pages as the order needs.
pub(super) fn pages(sheet: &Sheet) -> Vec<printpdf::PdfPage> {
    let mut slip = Slip { sheet, done: Vec::new(), pdf: PdfPage::new(), y: EDGE };
    slip.heading();
    for (n, parcel) in sheet.parcels.iter().enumerate() {
        slip.parcel(n + 1, parcel);
    }
    slip.notes();
    slip.finish()
}

impl Slip<'_> {
    fn heading(&mut self) {
        let sheet = self.sheet;
        self.line(TITLE, &format!("Lista de separação - pedido {}", sheet.number), 8.0);
        let placed = write::date(&sheet.placed_at.local_day().to_string());
        let service = if sheet.service.is_empty() { "-" } else { &sheet.service };
        self.line(TEXT, &format!("Feito em {placed}. Envio: {service}"), STEP);
        let to = &sheet.recipient;
        self.paragraph(TEXT, &format!("Para: {}", to.name));
        let zip_code = write::cep(&to.zip_code);
        let place = [to.street.as_str(), &to.district, &to.place(), &zip_code].join(" - ");
        self.paragraph(TEXT, &place);
    }

    fn parcel(&mut self, n: usize, parcel: &Parcel) {
        self.y += 4.0;
        self.room(3.0 * STEP);
        let called = if parcel.called.is_empty() { "sem caixa" } else { &parcel.called };
        let facts = [parcel.size.clone(), format!("{} kg", parcel.kilograms())];
        let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        let count = self.sheet.parcels.len();
        let title = format!("Volume {n} de {count}: {called} ({})", facts.join(", "));
        self.line(HEADING, &title, STEP + 1.0);
        for line in &parcel.lines {
            self.item(line);
        }
    }

    /// A line with its box to tick, broken where its name is long.
    fn item(&mut self, line: &Line) {
        let names = TEXT.face.wrap(TEXT.size, INNER - LEFT, &line.name);
        let height: f32 = names.iter().map(|_| STEP).sum();
        self.room(height + 1.5);
        let tick = Area { x: EDGE, y: self.y, w: 3.5, h: 3.5 };
        self.pdf.frame(tick);
        let units = Area { x: EDGE + 5.0, y: self.y, w: 16.0, h: STEP };
        self.pdf.text(units, self.y + 3.3, NUMBER, &format!("{} x", line.quantity));
        for name in names {
            let area = Area { x: EDGE + LEFT, y: self.y, w: INNER - LEFT, h: STEP };
            self.pdf.text(area, self.y + 3.3, TEXT, &name);
            self.y += STEP;
        }
        self.y += 1.5;
    }

    fn notes(&mut self) {
        if self.sheet.notes.is_empty() {
            return;
        }
        self.y += 4.0;
        self.room(3.0 * STEP);
        self.line(HEADING, "Recado do cliente", STEP + 1.0);
        self.paragraph(TEXT, &self.sheet.notes);
    }

    fn paragraph(&mut self, kind: Type, text: &str) {
        for line in kind.face.wrap(kind.size, INNER, text) {
            self.line(kind, &line, STEP);
        }
    }

    fn line(&mut self, kind: Type, text: &str, step: f32) {
        self.room(step);
        let area = Area { x: EDGE, y: self.y, w: INNER, h: step };
        self.pdf.text(area, self.y + step * 0.75, kind, text);
        self.y += step;
    }

    /// Begins another page where so much has no room on this one.
    fn room(&mut self, height: f32) {
        if self.y + height > FOOT {
            self.done.push(std::mem::replace(&mut self.pdf, PdfPage::new()));
            self.y = EDGE;
        }
    }

    fn finish(mut self) -> Vec<printpdf::PdfPage> {
        self.done.push(self.pdf);
        let count = self.done.len();
        let foot = Area { x: EDGE, y: FOOT, w: INNER, h: STEP };
        let number = |(n, mut pdf): (usize, PdfPage)| {
            let text = format!("Pedido {} - página {} de {count}", self.sheet.number, n + 1);
            pdf.text(foot, FOOT + 6.0, Type { align: Align::Right, ..SMALL }, &text);
            pdf.finish()
        };
        self.done.into_iter().enumerate().map(number).collect()
    }
}
