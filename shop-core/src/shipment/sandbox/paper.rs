//! The sandbox's labels on paper: A6, with the parcel's code as bars.

use printpdf::{PdfDocument, PdfSaveOptions};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::pdf::barcode;
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, PdfPage, Type};
use crate::pdf::write::{self, printable};
use crate::shipment::{LabelRequest, Party};

const WIDTH: f32 = 105.0;
const HEIGHT: f32 = 148.0;
const EDGE: f32 = 5.0;
const INNER: f32 = WIDTH - 2.0 * EDGE;

const TITLE: Type = Type::new(Face::Bold, 13.0, Align::Left).down_to(8.0);
const HEADING: Type = Type::new(Face::Bold, 8.0, Align::Left);
const CODE: Type = Type::new(Face::Bold, 12.0, Align::Center);
const LINE: Type = Type::new(Face::Regular, 10.0, Align::Left).down_to(5.0);
const PLACE: Type = Type::new(Face::Bold, 13.0, Align::Left).down_to(7.0);
const NOTE: Type = Type::new(Face::Regular, 7.5, Align::Center);

/// What is printed on a label.
#[derive(Serialize, Deserialize)]
pub(super) struct Paper {
    service: String,
    order: String,
    reference: String,
    weight: String,
    from: Side,
    to: Side,
}

/// A sender or a recipient, line by line.
#[derive(Default, Serialize, Deserialize)]
struct Side {
    name: String,
    street: String,
    district: String,
    zip_code: String,
    place: String,
}

impl Side {
    fn of(party: &Party) -> Self {
        let street = [&party.street, &party.number].into_iter().chain(&party.complement);
        let street: Vec<&str> =
            street.map(String::as_str).filter(|part| !part.is_empty()).collect();
        Self {
            name: printable(&party.name),
            street: printable(&street.join(", ")),
            district: printable(&party.district),
            zip_code: party.zip_code.clone(),
            place: printable(&format!("{}/{}", party.city, party.state)),
        }
    }
}

impl Paper {
    pub(super) fn of(request: &LabelRequest, service: &str) -> Self {
        let (kilograms, grams) = (request.grams / 1000, request.grams % 1000);
        let [length, width, height] = request.sides;
        Self {
            service: service.to_owned(),
            order: request.order_number.clone(),
            reference: request.reference.clone(),
            weight: format!("{kilograms},{grams:03} kg - {length} x {width} x {height} cm"),
            from: Side::of(&request.from),
            to: Side::of(&request.to),
        }
    }

    pub(super) fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::from_source)
    }

    /// Of a customer who was forgotten nothing is left to print.
    pub(super) fn from_json(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self {
                service: String::new(),
                order: String::new(),
                reference: String::new(),
                weight: String::new(),
                from: Side::default(),
                to: Side::default(),
            });
        }
        serde_json::from_str(text).map_err(Error::from_source)
    }

    /// The label as a PDF of one page.
    pub(super) fn draw(&self, code: &str) -> Vec<u8> {
        let mut pdf = PdfPage::sized(WIDTH, HEIGHT);
        let head = Area { x: EDGE, y: EDGE, w: INNER, h: 8.0 };
        pdf.text(head, EDGE + 5.0, TITLE, &self.service);
        pdf.text(head, EDGE + 10.0, LINE, &format!("Pedido {} - {}", self.order, self.weight));
        bars(&mut pdf, code);
        let to = Area { x: EDGE, y: 52.0, w: INNER, h: 46.0 };
        side(&mut pdf, to, "DESTINATÁRIO", &self.to);
        if let Some(modules) = barcode::modules(&self.to.zip_code) {
            pdf.bars(Area { x: EDGE + 3.0, y: to.y + 31.0, w: 45.0, h: 11.0 }, &modules);
        }
        side(&mut pdf, Area { y: 101.0, h: 32.0, ..to }, "REMETENTE", &self.from);
        let foot = Area { x: EDGE, y: HEIGHT - 12.0, w: INNER, h: 8.0 };
        pdf.text(foot, HEIGHT - 9.0, NOTE, &self.reference);
        pdf.text(foot, HEIGHT - 5.0, NOTE, "ETIQUETA DE TESTE - SEM VALOR PARA POSTAGEM");
        let mut document = PdfDocument::new(code);
        let pages = vec![pdf.finish()];
        document.with_pages(pages).save(&PdfSaveOptions::default(), &mut Vec::new())
    }
}

fn bars(pdf: &mut PdfPage, code: &str) {
    let area = Area { x: EDGE + 8.0, y: 19.0, w: INNER - 16.0, h: 22.0 };
    if let Some(modules) = barcode::text(code) {
        pdf.bars(area, &modules);
    }
    pdf.text(area, 46.5, CODE, code);
}

fn side(pdf: &mut PdfPage, area: Area, heading: &str, side: &Side) {
    pdf.frame(area);
    let inside = area.inside(3.0);
    pdf.text(inside, area.y + 4.5, HEADING, heading);
    pdf.text(inside, area.y + 10.0, Type { face: Face::Bold, ..LINE }, &side.name);
    pdf.text(inside, area.y + 15.0, LINE, &side.street);
    pdf.text(inside, area.y + 20.0, LINE, &side.district);
    let place = format!("{}  {}", write::cep(&side.zip_code), side.place);
    pdf.text(inside, area.y + 27.0, PLACE, &place);
}
