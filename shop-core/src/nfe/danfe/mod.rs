//! The DANFE: an invoice on paper, as a PDF. It is made from the invoice's XML alone.

mod boxes;
mod correction;
mod head;
mod layout;
mod logo;
mod moc70;
mod nt2026;
mod paginator;
mod parse;
mod rows;
mod table;

use printpdf::{PdfDocument, PdfSaveOptions};
use roxmltree::Document;

pub(crate) use self::correction::{PrintedCorrection, render as render_correction};
use self::logo::Logo;
use self::paginator::Paginator;
use self::parse::Invoice;

/// What a DANFE may have beside what the invoice says.
#[derive(Debug, Clone, Default)]
pub struct DanfeOptions {
    /// The company's logo: the bytes of a PNG or a JPEG.
    pub logo: Option<Vec<u8>>,
    /// The invoice was cancelled: the pages say so.
    pub cancelled: bool,
}

/// Why there is no DANFE.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DanfeError {
    /// The text is no XML.
    #[error("the invoice is no XML: {0}")]
    Xml(String),
    /// It is no invoice: it lacks what every invoice has.
    #[error("the invoice has no {0}")]
    Missing(&'static str),
    /// It is an invoice of a kind that has another form.
    #[error("no DANFE for such an invoice: {0}")]
    Unsupported(&'static str),
    /// The logo cannot be used.
    #[error("the logo is {0}")]
    Logo(&'static str),
}

/// Whether a logo can be used.
pub(crate) fn check_logo(bytes: &[u8]) -> Result<(), DanfeError> {
    Logo::new(bytes).map(drop)
}

/// Puts an invoice on paper: A4, upright, as many pages as it needs.
///
/// `nfe_proc_xml` is the authorised invoice (`nfeProc`). The day of its issue decides between the
/// form of the manual (MOC 7.0) and that of NT 2026.010, which is in force from 1 December 2026. An
/// invoice of the test environment, or one without an authorisation, is marked `SEM VALOR FISCAL`.
///
/// # Errors
/// [`DanfeError`] when the text is no invoice of model 55, when it was issued in contingency, or
/// when the logo cannot be read.
pub fn render(nfe_proc_xml: &str, options: &DanfeOptions) -> Result<Vec<u8>, DanfeError> {
    let document =
        Document::parse(nfe_proc_xml).map_err(|error| DanfeError::Xml(error.to_string()))?;
    let invoice = Invoice::new(&document)?;
    let mut pdf = PdfDocument::new(&format!("DANFE {}", invoice.key));
    let logo = options.logo.as_deref().map(Logo::new).transpose()?;
    let issued = invoice.text("ide/dhEmi");
    let paginator = Paginator {
        invoice,
        layout: if issued < nt2026::FROM { &moc70::MOC_7_0 } else { &nt2026::NT_2026_010 },
        logo: logo.map(|logo| (pdf.add_xobject(&logo.object), logo.ratio)),
        mark: match (options.cancelled, invoice.is_valid()) {
            (true, true) => Some("CANCELADA"),
            (true, false) => Some("CANCELADA - SEM VALOR FISCAL"),
            (false, true) => None,
            (false, false) => Some("SEM VALOR FISCAL"),
        },
    };
    invoice.text("emit/xNome").clone_into(&mut pdf.metadata.info.author);
    let pages = paginator.pages();
    Ok(pdf.with_pages(pages).save(&PdfSaveOptions::default(), &mut Vec::new()))
}
