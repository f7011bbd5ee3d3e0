//! A label for each parcel, on A6: whom it goes to, large, and whom it comes from.

use super::sheet::{Parcel, Party, Sheet};
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, PdfPage, Type};
use crate::pdf::{barcode, write};

const WIDTH: f32 = 105.0;
const HEIGHT: f32 = 148.0;
const EDGE: f32 = 5.0;
const INNER: f32 = WIDTH - 2.0 * EDGE;

const HEADING: Type = Type::new(Face::Bold, 8.0, Align::Left);
const NAME: Type = Type::new(Face::Bold, 14.0, Align::Left);
const LARGE: Type = Type::new(Face::Regular, 12.0, Align::Left);
const PLACE: Type = Type::new(Face::Bold, 15.0, Align::Left).down_to(9.0);
const SMALL: Type = Type::new(Face::Regular, 9.0, Align::Left);
const FACT: Type = Type::new(Face::Regular, 9.0, Align::Left).down_to(6.0);
/// The size that even the longest address has room in.
const LEAST: f32 = 6.0;
/// Millimetres between two lines, for each point of their size.
const STEP: f32 = 0.43;

/// A page for each parcel.
pub(super) fn pages(sheet: &Sheet) -> Vec<printpdf::PdfPage> {
    let count = sheet.parcels.len();
    let parcels = sheet.parcels.iter().enumerate();
    parcels.map(|(n, parcel)| page(sheet, parcel, n + 1, count)).collect()
}

fn page(sheet: &Sheet, parcel: &Parcel, n: usize, count: usize) -> printpdf::PdfPage {
    let mut pdf = PdfPage::sized(WIDTH, HEIGHT);
    let head = Area { x: EDGE, y: EDGE, w: INNER, h: 8.0 };
    pdf.text(head, EDGE + 5.0, Type { size: 12.0, ..HEADING }.down_to(7.0), &sheet.service);
    let right = Type { align: Align::Right, ..FACT };
    pdf.text(head, EDGE + 5.0, right, &format!("Volume {n}/{count}"));
    let y = to(&mut pdf, EDGE + 8.0, &sheet.recipient);
    from(&mut pdf, y + 3.0, &sheet.sender);
    let foot = Area { x: EDGE, y: HEIGHT - EDGE - 8.0, w: INNER, h: 8.0 };
    pdf.text(foot, foot.y + 3.0, HEADING, &format!("Pedido {}", sheet.number));
    let facts = [parcel.called.clone(), parcel.size.clone(), format!("{} kg", parcel.kilograms())];
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    pdf.text(foot, foot.y + 7.5, FACT, &facts.join(" - "));
    pdf.finish()
}

/// The recipient's box; answers where it ends.
fn to(pdf: &mut PdfPage, y: f32, recipient: &Party) -> f32 {
    let area = Area { x: EDGE, y, w: INNER, h: 82.0 };
    pdf.frame(area);
    let inside = area.inside(3.0);
    pdf.text(inside, y + 5.0, HEADING, "DESTINATÁRIO");
    whom(pdf, Area { y: y + 11.5, h: 42.0, ..inside }, recipient);
    let place = y + 59.0;
    let zip_code = write::cep(&recipient.zip_code);
    pdf.text(inside, place, PLACE, &format!("{zip_code}  {}", recipient.place()));
    if let Some(modules) = barcode::modules(&recipient.zip_code) {
        pdf.bars(Area { x: inside.x, y: place + 4.0, w: 50.0, h: 15.0 }, &modules);
    }
    y + area.h
}

/// Name, street, district and telephone, as large as they all have room.
fn whom(pdf: &mut PdfPage, area: Area, recipient: &Party) {
    let phone = match recipient.phone.as_str() {
        "" => String::new(),
        phone => format!("Tel. {phone}"),
    };
    let texts = [&recipient.name, &recipient.street, &recipient.district, &phone];
    let kind = |at: usize, size: f32| {
        if at == 0 { Type { size: size + 2.0, ..NAME } } else { Type { size, ..LARGE } }
    };
    let height = |size: f32| -> f32 {
        let height = |(at, text): (usize, &&String)| {
            let Type { face, size, .. } = kind(at, size);
            face.wrap(size, area.w, text).iter().map(|_| size * STEP).sum::<f32>()
        };
        texts.iter().enumerate().map(height).sum()
    };
    let sizes = [LARGE.size, 10.5, 9.0, 7.5];
    let size = sizes.into_iter().find(|size| height(*size) <= area.h).unwrap_or(LEAST);
    let mut base = area.y;
    for (at, text) in texts.into_iter().enumerate() {
        base = lines(pdf, area, base, kind(at, size), text);
    }
}

fn from(pdf: &mut PdfPage, y: f32, sender: &Party) {
    let area = Area { x: EDGE, y, w: INNER, h: 33.0 };
    pdf.frame(area);
    let inside = area.inside(3.0);
    pdf.text(inside, y + 4.5, HEADING, "REMETENTE");
    let place = format!("{}  {}", write::cep(&sender.zip_code), sender.place());
    let texts = [&sender.name, &sender.street, &sender.district, &place].map(|text| text.trim());
    let height = |size: f32| -> f32 {
        texts
            .iter()
            .flat_map(|text| SMALL.face.wrap(size, inside.w, text))
            .map(|_| size * STEP)
            .sum()
    };
    let room = area.h - 9.0;
    let size = [SMALL.size, 8.0, 7.0].into_iter().find(|size| height(*size) <= room);
    let kind = Type { size: size.unwrap_or(LEAST), ..SMALL };
    texts.into_iter().fold(y + 9.0, |base, text| lines(pdf, inside, base, kind, text));
}

/// Writes a text in as many lines as it needs; answers where the next one stands.
fn lines(pdf: &mut PdfPage, area: Area, base: f32, kind: Type, text: &str) -> f32 {
    let mut base = base;
    for line in kind.face.wrap(kind.size, area.w, text) {
        pdf.text(area, base, kind, &line);
        base += kind.size * STEP;
    }
    base
}
