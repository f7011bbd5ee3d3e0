//! An invoice laid out on as many pages as it needs.

use printpdf::XObjectId;

use super::layout::{Block, Layout};
use super::parse::Invoice;
use super::table::{self, Item, Table};
use super::{boxes, head, rows};
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, HEIGHT, PdfPage, Type, WIDTH};

/// What a printer may not reach.
const EDGE: f32 = 5.0;
const LEFT: f32 = EDGE;
const INNER: f32 = WIDTH - 2.0 * EDGE;
const BOTTOM: f32 = HEIGHT - EDGE;

/// The block of additional data at the foot of the first page.
const NOTES: f32 = 26.0;
const NOTES_WIDTH: f32 = 135.0;
/// Beside it, where the invoice has one.
const QR_CODE: f32 = 27.0;
const NOTE: Type = Type::new(Face::Regular, 7.0, Align::Left);
const NOTE_LINE: f32 = 2.8;
/// What the label takes from a box of notes.
const NOTE_LABEL: f32 = 3.4;

/// An invoice and the form it is put into.
pub(super) struct Paginator<'a> {
    pub(super) invoice: Invoice<'a>,
    pub(super) layout: &'static Layout,
    pub(super) logo: Option<(XObjectId, f32)>,
    /// What stands across every page.
    pub(super) mark: Option<&'static str>,
}

/// What goes onto one page, apart from what every one has.
#[derive(Default)]
struct Share {
    items: Vec<Item>,
    /// Additional data for which the first page had no room.
    notes: Vec<String>,
}

impl Paginator<'_> {
    pub(super) fn pages(&self) -> Vec<printpdf::PdfPage> {
        let table = Table::new(self.layout.columns, INNER, self.invoice.is_simples());
        let mut notes = self.notes();
        let overflow = notes.split_off(notes.len().min(lines_in(NOTES - NOTE_LABEL)));
        let shares = self.shares(&table, overflow);
        let total = shares.len();
        let draw = |(index, share): (usize, Share)| {
            let mut pdf = PdfPage::new();
            if let Some(mark) = self.mark {
                pdf.mark(mark);
            }
            let page = head::Page { number: index + 1, total };
            let (top, bottom) = self.around(&mut pdf, &page, &notes);
            let area = Area { x: LEFT, y: top, w: INNER, h: bottom - top };
            self.items(&mut pdf, area, &table, &share);
            pdf.finish()
        };
        shares.into_iter().enumerate().map(draw).collect()
    }

    /// Draws all of a page but the items, and answers what is left for them.
    fn around(&self, pdf: &mut PdfPage, page: &head::Page, notes: &[String]) -> (f32, f32) {
        let mut y = EDGE;
        if page.number == 1 {
            y += head::receipt(pdf, Area { x: LEFT, y, w: INNER, h: 0.0 }, self.invoice);
        }
        let logo = self.logo.as_ref().map(|(id, ratio)| (id, *ratio));
        y += head::head(pdf, Area { x: LEFT, y, w: INNER, h: 0.0 }, self.invoice, logo, page);
        for row in self.layout.issuer {
            y += rows::row(pdf, Area { x: LEFT, y, w: INNER, h: rows::HEIGHT }, row, self.invoice);
        }
        if page.number > 1 {
            return (y, BOTTOM);
        }
        for block in self.layout.blocks {
            y += rows::block(pdf, Area { x: LEFT, y, w: INNER, h: 0.0 }, block, self.invoice);
        }
        let end = BOTTOM - self.foot_height();
        let mut foot = end;
        for block in self.layout.below {
            let area = Area { x: LEFT, y: foot, w: INNER, h: 0.0 };
            foot += rows::block(pdf, area, block, self.invoice);
        }
        self.additional(pdf, foot, notes);
        (y, end)
    }

    fn foot_height(&self) -> f32 {
        let blocks: f32 = self.layout.below.iter().map(|block| self.height(block)).sum();
        blocks + rows::TITLE + NOTES
    }

    fn height(&self, block: &Block) -> f32 {
        rows::height(block, self.invoice)
    }

    /// How much room a page has for items.
    fn room(&self, first: bool) -> f32 {
        let issuer: f32 = self.layout.issuer.iter().map(|_| rows::HEIGHT).sum();
        let always = 2.0 * EDGE + head::HEIGHT + issuer + rows::TITLE + table::HEADING;
        let once = if first {
            let blocks: f32 = self.layout.blocks.iter().map(|block| self.height(block)).sum();
            head::RECEIPT + blocks + self.foot_height()
        } else {
            0.0
        };
        HEIGHT - always - once
    }

    /// Deals the items out to pages, in their order, and after them what is left of the notes.
    fn shares(&self, table: &Table, overflow: Vec<String>) -> Vec<Share> {
        let (mut shares, mut share) = (Vec::new(), Share::default());
        let mut left = self.room(true);
        for item in self.invoice.root.all("det") {
            let item = table.measure(item);
            // A page of its own takes an item of any height.
            let empty = share.items.is_empty() && !shares.is_empty();
            if item.height > left && !empty {
                shares.push(std::mem::take(&mut share));
                left = self.room(false);
            }
            left -= item.height;
            share.items.push(item);
        }
        let mut notes = overflow.into_iter().peekable();
        while notes.peek().is_some() {
            share.notes.extend(notes.by_ref().take(lines_in(left - NOTE_LABEL)));
            if notes.peek().is_some() {
                shares.push(std::mem::take(&mut share));
                left = self.room(false);
            }
        }
        shares.push(share);
        shares
    }

    fn items(&self, pdf: &mut PdfPage, area: Area, table: &Table, share: &Share) {
        rows::title(pdf, area, self.layout.items);
        let y = area.y + rows::TITLE;
        let area = Area { y, h: area.h - rows::TITLE, ..area };
        pdf.frame(area);
        let used = table.draw(pdf, area, &share.items);
        if share.notes.is_empty() {
            table.rules(pdf, area);
            return;
        }
        table.rules(pdf, Area { h: used, ..area });
        let rest = Area { y: area.y + used, h: area.h - used, ..area };
        pdf.frame(rest);
        notes(pdf, rest, "CONTINUAÇÃO DAS INFORMAÇÕES COMPLEMENTARES", &share.notes);
    }

    /// The lines of the additional data.
    fn notes(&self) -> Vec<String> {
        let mut texts = vec![self.invoice.text("infAdic/infCpl").to_owned()];
        if let Some(more) = self.invoice.root.find("infAdic") {
            let remark = |it: super::parse::Part<'_>| {
                format!("{}: {}", it.attribute("xCampo"), it.text("xTexto"))
            };
            texts.extend(more.all("obsCont").map(remark));
        }
        let office = self.invoice.text("infAdic/infAdFisco");
        if !office.is_empty() {
            texts.push(format!("INF. DE INTERESSE DO FISCO: {office}"));
        }
        let street = self.invoice.root.street(boxes::RECIPIENT_ADDRESS);
        if !rows::fits_street(&street, INNER) {
            texts.push(format!("ENDEREÇO DO DESTINATÁRIO: {street}"));
        }
        let wrap = |text: &String| NOTE.face.wrap(NOTE.size, self.notes_width() - 2.0, text);
        texts.iter().flat_map(wrap).collect()
    }

    fn qr_code(&self) -> Option<&str> {
        self.invoice.qr_code.filter(|_| self.layout.qr_code)
    }

    fn notes_width(&self) -> f32 {
        if self.qr_code().is_some() { NOTES_WIDTH - QR_CODE } else { NOTES_WIDTH }
    }

    fn additional(&self, pdf: &mut PdfPage, y: f32, lines: &[String]) {
        rows::title(pdf, Area { x: LEFT, y, w: INNER, h: 0.0 }, "DADOS ADICIONAIS");
        let y = y + rows::TITLE;
        let width = self.notes_width();
        let left = Area { x: LEFT, y, w: width, h: NOTES };
        pdf.frame(left);
        notes(pdf, left, "INFORMAÇÕES COMPLEMENTARES", lines);
        let qr_code = self.qr_code();
        let reserved = INNER - width - if qr_code.is_some() { QR_CODE } else { 0.0 };
        let right = Area { x: LEFT + width, w: reserved, ..left };
        pdf.frame(right);
        notes(pdf, right, "RESERVADO AO FISCO", &[]);
        if let Some(text) = qr_code {
            let place = Area { x: right.x + right.w, w: QR_CODE, ..right };
            pdf.frame(place);
            head::qr_code(pdf, place, text);
        }
    }
}

/// How many lines of notes go into a height.
fn lines_in(height: f32) -> usize {
    let mut lines = 0;
    let mut used = NOTE_LINE;
    while used <= height {
        lines += 1;
        used += NOTE_LINE;
    }
    lines
}

fn notes(pdf: &mut PdfPage, area: Area, label: &str, lines: &[String]) {
    rows::label(pdf, area, label);
    let mut base = area.y + NOTE_LABEL + NOTE_LINE * 0.75;
    for line in lines {
        pdf.text(area.inside(1.0), base, NOTE, line);
        base += NOTE_LINE;
    }
}
