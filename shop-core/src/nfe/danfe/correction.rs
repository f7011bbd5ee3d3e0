//! A correction letter on paper: one page, made from the invoice's XML and what the letter says.

use printpdf::{PdfDocument, PdfSaveOptions};
use roxmltree::Document;

use super::DanfeError;
use super::parse::Invoice;
use super::rows::label;
use crate::nfe::correction::CONDITIONS;
use crate::pdf::font::Face;
use crate::pdf::page::{Align, Area, HEIGHT, PdfPage, Type, WIDTH};
use crate::pdf::{barcode, write};

/// What a correction letter says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrintedCorrection<'a> {
    /// Its number among the invoice's correction letters.
    pub(crate) sequence: u8,
    /// What is right.
    pub(crate) text: &'a str,
    /// The number of its registration's protocol.
    pub(crate) protocol: &'a str,
    /// When it was registered, in local time.
    pub(crate) registered_at: &'a str,
    /// The invoice was cancelled since.
    pub(crate) cancelled: bool,
}

const EDGE: f32 = 10.0;
const INNER: f32 = WIDTH - 2.0 * EDGE;
const TITLE: Type = Type::new(Face::Bold, 14.0, Align::Center);
const TEXT: Type = Type::new(Face::Regular, 9.0, Align::Left).down_to(6.0);
const SMALL: Type = Type::new(Face::Regular, 7.0, Align::Left);
const KEY: Type = Type::new(Face::Bold, 10.0, Align::Center);
const ROW: f32 = 9.0;

/// Puts a correction letter on paper.
///
/// # Errors
/// [`DanfeError`] when the text is no invoice of model 55.
pub(crate) fn render(
    nfe_proc_xml: &str,
    correction: &PrintedCorrection<'_>,
) -> Result<Vec<u8>, DanfeError> {
    let document =
        Document::parse(nfe_proc_xml).map_err(|error| DanfeError::Xml(error.to_string()))?;
    let invoice = Invoice::new(&document)?;
    let title = format!("CC-e {:02} {}", correction.sequence, invoice.key);
    let mut pdf = PdfDocument::new(&title);
    invoice.text("emit/xNome").clone_into(&mut pdf.metadata.info.author);
    let pages = vec![page(invoice, correction)];
    Ok(pdf.with_pages(pages).save(&PdfSaveOptions::default(), &mut Vec::new()))
}

fn page(invoice: Invoice<'_>, correction: &PrintedCorrection<'_>) -> printpdf::PdfPage {
    let mut pdf = PdfPage::new();
    match (correction.cancelled, invoice.is_valid()) {
        (true, _) => pdf.mark("NF-e CANCELADA"),
        (false, false) => pdf.mark("SEM VALOR FISCAL"),
        (false, true) => {}
    }
    let mut y = EDGE;
    y = heading(&mut pdf, y);
    y = access_key(&mut pdf, y, invoice);
    for row in rows(invoice, correction) {
        y = fields(&mut pdf, y, &row);
    }
    y = paragraph(&mut pdf, y, "CORREÇÃO A SER CONSIDERADA", TEXT, correction.text);
    let note = "Esta carta substitui as anteriores da mesma nota fiscal.";
    y = paragraph(&mut pdf, y, "OBSERVAÇÃO", TEXT, note);
    paragraph(&mut pdf, y, "CONDIÇÕES DE USO", SMALL, CONDITIONS);
    pdf.finish()
}

fn heading(pdf: &mut PdfPage, y: f32) -> f32 {
    let area = Area { x: EDGE, y, w: INNER, h: 16.0 };
    pdf.frame(area);
    pdf.text(area.inside(1.0), y + 7.0, TITLE, "CARTA DE CORREÇÃO ELETRÔNICA (CC-e)");
    let about = "Não é documento fiscal: é a impressão do evento registrado pela Sefaz";
    pdf.text(area.inside(1.0), y + 12.5, Type { align: Align::Center, ..TEXT }, about);
    y + area.h + 2.0
}

fn access_key(pdf: &mut PdfPage, y: f32, invoice: Invoice<'_>) -> f32 {
    let area = Area { x: EDGE, y, w: INNER, h: 24.0 };
    pdf.frame(area);
    label(pdf, area, "CHAVE DE ACESSO DA NF-e");
    if let Some(modules) = barcode::modules(invoice.key) {
        let count: f32 = modules.iter().map(|_| 1.0).sum();
        let margin = (INNER - 0.3 * count) / 2.0;
        pdf.bars(Area { y: y + 4.0, h: 11.0, ..area }.inside(margin), &modules);
    }
    pdf.text(area.inside(1.0), y + 20.5, KEY, &write::key(invoice.key));
    y + area.h + 2.0
}

/// Labels and texts, row by row.
fn rows(
    invoice: Invoice<'_>,
    correction: &PrintedCorrection<'_>,
) -> Vec<Vec<(&'static str, String)>> {
    let text = |path| invoice.text(path).to_owned();
    let who = |place: &str| {
        let number = [format!("{place}/CNPJ"), format!("{place}/CPF")];
        write::identity(invoice.root.any(&[&number[0], &number[1]]))
    };
    let registered = format!(
        "{} {}",
        write::date(correction.registered_at),
        write::time(correction.registered_at)
    );
    vec![
        vec![("EMITENTE", text("emit/xNome")), ("CNPJ", who("emit"))],
        vec![("DESTINATÁRIO", text("dest/xNome")), ("CNPJ / CPF", who("dest"))],
        vec![
            ("NÚMERO DA NF-e", write::number(invoice.text("ide/nNF"))),
            ("SÉRIE", format!("{:0>3}", invoice.text("ide/serie"))),
            ("EMISSÃO", write::date(invoice.text("ide/dhEmi"))),
        ],
        vec![
            ("SEQUÊNCIA DO EVENTO", correction.sequence.to_string()),
            ("PROTOCOLO", correction.protocol.to_owned()),
            ("REGISTRO", registered),
        ],
    ]
}

fn fields(pdf: &mut PdfPage, y: f32, row: &[(&'static str, String)]) -> f32 {
    let count: f32 = row.iter().map(|_| 1.0).sum();
    let w = INNER / count;
    let mut x = EDGE;
    for (name, text) in row {
        let area = Area { x, y, w, h: ROW };
        pdf.frame(area);
        label(pdf, area, name);
        pdf.text(area.inside(1.0), y + 7.0, TEXT, text);
        x += w;
    }
    y + ROW
}

/// A box as high as its text.
fn paragraph(pdf: &mut PdfPage, y: f32, name: &str, kind: Type, text: &str) -> f32 {
    let y = y + 2.0;
    let step = kind.size * 0.42;
    let lines = kind.face.wrap(kind.size, INNER - 3.0, text);
    let height: f32 = lines.iter().map(|_| step).sum();
    let area = Area { x: EDGE, y, w: INNER, h: (height + 6.0).min(HEIGHT - EDGE - y) };
    pdf.frame(area);
    label(pdf, area, name);
    let mut base = y + 4.0 + step * 0.7;
    for line in &lines {
        pdf.text(area.inside(1.5), base, kind, line);
        base += step;
    }
    y + area.h
}
