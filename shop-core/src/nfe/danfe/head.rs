//! What stands at the top: the strip that is signed and torn off, and the head.

use printpdf::XObjectId;
use qrcode::{EcLevel, QrCode};

use super::parse::Invoice;
use super::rows::label;
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, PdfPage, Type};
use crate::pdf::{barcode, write};

/// The height of the strip, with the free space below it.
pub(super) const RECEIPT: f32 = STRIP + 3.0;
const STRIP: f32 = 17.0;
/// The height of the head.
pub(super) const HEIGHT: f32 = 34.0;

/// The widths of the strip's right end, and of the middle and the right of the head.
const STUB: f32 = 32.0;
const NAME: f32 = 34.0;
const KEY: f32 = 95.0;

const SMALL: Type = Type::new(Face::Regular, 6.0, Align::Left);
const TEXT: Type = Type::new(Face::Regular, 8.0, Align::Center).down_to(6.0);
const BOLD: Type = Type::new(Face::Bold, 10.0, Align::Center).down_to(8.0);
const COMPANY: Type = Type::new(Face::Bold, 12.0, Align::Center);
const DOCUMENT: Type = Type::new(Face::Bold, 14.0, Align::Center);

/// Which page of how many.
pub(super) struct Page {
    pub(super) number: usize,
    pub(super) total: usize,
}

/// Draws the strip at the top of an area, and answers how high it is.
pub(super) fn receipt(pdf: &mut PdfPage, area: Area, invoice: Invoice<'_>) -> f32 {
    let text = receipt_text(invoice);
    let left = Area { w: area.w - STUB, h: STRIP, ..area };
    pdf.frame(left);
    let mut base = area.y + 2.6;
    for line in SMALL.face.wrap(SMALL.size, left.w - 2.0, &text).iter().take(3) {
        pdf.text(left.inside(1.0), base, SMALL, line);
        base += 2.4;
    }
    let half = area.y + STRIP / 2.0;
    let boxes = [(0.0, 45.0, "DATA DE RECEBIMENTO"), (45.0, left.w - 45.0, SIGNATURE)];
    for (x, w, text) in boxes {
        let place = Area { x: area.x + x, y: half, w, h: STRIP / 2.0 };
        pdf.frame(place);
        label(pdf, place, text);
    }
    let stub = Area { x: area.x + left.w, w: STUB, h: STRIP, ..area };
    pdf.frame(stub);
    let lines = ["NF-e".to_owned(), number(invoice), series(invoice)];
    for (line, base) in lines.iter().zip([5.0, 10.0, 15.0]) {
        pdf.text(stub.inside(0.5), area.y + base, BOLD, line);
    }
    pdf.dashes(area.y + STRIP + 1.5, area);
    RECEIPT
}

const SIGNATURE: &str = "IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR";

fn receipt_text(invoice: Invoice<'_>) -> String {
    let place = ["xLgr", "nro", "xBairro", "xMun", "UF"]
        .map(|name| invoice.text(&format!("dest/enderDest/{name}")));
    let [street, number, quarter, town, state] = place;
    format!(
        "RECEBEMOS DE {} OS PRODUTOS E/OU SERVIÇOS CONSTANTES DA NOTA FISCAL ELETRÔNICA INDICADA \
         ABAIXO. EMISSÃO: {} VALOR TOTAL: R$ {} DESTINATÁRIO: {} - {street}, {number}, {quarter}, \
         {town} - {state}",
        invoice.text("emit/xNome"),
        write::date(invoice.text("ide/dhEmi")),
        write::money(invoice.text("total/ICMSTot/vNF")),
        invoice.text("dest/xNome"),
    )
}

fn number(invoice: Invoice<'_>) -> String {
    format!("Nº {}", write::number(invoice.text("ide/nNF")))
}

fn series(invoice: Invoice<'_>) -> String {
    format!("SÉRIE {:0>3}", invoice.text("ide/serie"))
}

/// Draws the head at the top of an area, and answers how high it is.
pub(super) fn head(
    pdf: &mut PdfPage,
    area: Area,
    invoice: Invoice<'_>,
    logo: Option<(&XObjectId, f32)>,
    page: &Page,
) -> f32 {
    let company = Area { w: area.w - NAME - KEY, h: HEIGHT, ..area };
    let document = Area { x: company.x + company.w, w: NAME, ..company };
    let key = Area { x: document.x + NAME, w: KEY, ..company };
    for part in [company, document, key] {
        pdf.frame(part);
    }
    issuer(pdf, company, invoice, logo);
    title(pdf, document, invoice, page);
    proof(pdf, key, invoice);
    HEIGHT
}

/// Who issued it.
fn issuer(pdf: &mut PdfPage, area: Area, invoice: Invoice<'_>, logo: Option<(&XObjectId, f32)>) {
    let mut text = area.inside(1.0);
    label(pdf, area, "IDENTIFICAÇÃO DO EMITENTE");
    if let Some((id, ratio)) = logo {
        let (w, h) = if ratio > 1.0 { (22.0, 22.0 / ratio) } else { (22.0 * ratio, 22.0) };
        let y = area.y + 3.0 + (HEIGHT - 4.0 - h) / 2.0;
        pdf.picture(id, Area { x: area.x + 1.5 + (22.0 - w) / 2.0, y, w, h });
        text = Area { x: text.x + 24.0, w: text.w - 24.0, ..text };
    }
    let mut names = COMPANY.face.wrap(COMPANY.size, text.w, invoice.text("emit/xNome"));
    names.truncate(3);
    let address = address(invoice);
    let lines: f32 = address.iter().map(|_| 3.1).sum();
    let name: f32 = names.iter().map(|_| 4.6).sum();
    let mut base = area.y + 3.0 + ((HEIGHT - 3.0 - lines - name) / 2.0).max(0.0) + 3.4;
    for line in &names {
        pdf.text(text, base, COMPANY, line);
        base += 4.6;
    }
    for line in &address {
        pdf.text(text, base, TEXT, line);
        base += 3.1;
    }
}

fn address(invoice: Invoice<'_>) -> Vec<String> {
    let place = invoice.root.find("emit/enderEmit");
    let text = |name| place.map_or("", |place| place.text(name));
    let phone = write::phone(text("fone"));
    [
        invoice.root.street("emit/enderEmit"),
        format!("{} - {}", text("xBairro"), write::cep(text("CEP"))),
        format!("{} - {}", text("xMun"), text("UF")),
        if phone.is_empty() { phone } else { format!("Fone: {phone}") },
    ]
    .into_iter()
    .filter(|line| !line.is_empty())
    .collect()
}

/// What it is, and which.
fn title(pdf: &mut PdfPage, area: Area, invoice: Invoice<'_>, page: &Page) {
    let inner = area.inside(1.0);
    let small = Type { size: 7.0, ..TEXT };
    pdf.text(inner, area.y + 5.0, DOCUMENT, "DANFE");
    let lines = ["Documento Auxiliar", "da Nota Fiscal Eletrônica"];
    for (line, base) in lines.iter().zip([8.0, 10.8]) {
        pdf.text(inner, area.y + base, small, line);
    }
    let left = Type { align: Align::Left, ..TEXT };
    for (line, base) in ["0 - ENTRADA", "1 - SAÍDA"].iter().zip([14.8, 18.2]) {
        pdf.text(inner, area.y + base, left, line);
    }
    let kind = Area { x: area.x + area.w - 8.0, y: area.y + 12.6, w: 6.0, h: 6.0 };
    pdf.frame(kind);
    pdf.text(kind, kind.y + 4.3, BOLD, invoice.text("ide/tpNF"));
    let folha = format!("FOLHA {}/{}", page.number, page.total);
    for (line, base) in [number(invoice), series(invoice), folha].iter().zip([23.3, 27.6, 31.9]) {
        pdf.text(inner, area.y + base, BOLD, line);
    }
}

/// The key, as bars and as digits, and where it can be looked up.
fn proof(pdf: &mut PdfPage, area: Area, invoice: Invoice<'_>) {
    const BARS: f32 = 14.0;
    if let Some(modules) = barcode::modules(invoice.key) {
        let count: f32 = modules.iter().map(|_| 1.0).sum();
        // Ten light modules on either side.
        let module = (area.w / (count + 20.0)).min(0.3);
        let margin = (area.w - module * count) / 2.0;
        let place = Area { y: area.y + 1.5, h: BARS - 3.0, ..area };
        pdf.bars(place.inside(margin), &modules);
    }
    let y = area.y + BARS;
    let digits = Area { y, h: 7.5, ..area };
    pdf.frame(digits);
    label(pdf, digits, "CHAVE DE ACESSO");
    pdf.text(digits.inside(1.0), y + 6.2, BOLD, &write::key(invoice.key));
    let lines = [
        "Consulta de autenticidade no portal nacional da NF-e",
        "www.nfe.fazenda.gov.br/portal",
        "ou no site da Sefaz Autorizadora",
    ];
    for (line, base) in lines.iter().zip([25.3, 28.8, 32.3]) {
        pdf.text(area.inside(1.0), area.y + base, Type { size: 9.0, ..TEXT }, line);
    }
}

/// The invoice's QR code, 22 mm wide.
pub(super) fn qr_code(pdf: &mut PdfPage, area: Area, text: &str) {
    const SIDE: f32 = 22.0;
    label(pdf, area, "QR CODE");
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::M) else { return };
    let rows: Vec<Vec<bool>> = code
        .to_colors()
        .chunks(code.width())
        .map(|row| row.iter().map(|color| *color == qrcode::Color::Dark).collect())
        .collect();
    let count: f32 = rows.iter().map(|_| 1.0).sum();
    let h = SIDE / count;
    let mut y = area.y + 3.0;
    for row in &rows {
        let x = area.x + (area.w - SIDE) / 2.0;
        // Neighbours overlap by a hair, so that no light shows between them.
        pdf.bars(Area { x, y, w: SIDE, h: h + 0.02 }, row);
        y += h;
    }
}
