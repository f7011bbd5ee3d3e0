//! What a form is made of. The forms themselves are tables of these, in [`super::moc70`],
//! [`super::nt2026`] and, where they agree, in [`super::boxes`].

use super::parse::{Invoice, Part};
use crate::pdf::write;

/// A form: what stands where.
#[derive(Debug)]
pub(super) struct Layout {
    /// Rows below the head, on every page.
    pub(super) issuer: &'static [Row],
    /// What comes before the items, on the first page.
    pub(super) blocks: &'static [Block],
    /// The title of the items.
    pub(super) items: &'static str,
    /// What is said of each item.
    pub(super) columns: &'static [Column],
    /// What comes after the items, on the first page.
    pub(super) below: &'static [Block],
    /// Is there a place for the invoice's QR code?
    pub(super) qr_code: bool,
}

/// Boxes under a title. Not drawn at all where none of its rows is.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) title: &'static str,
    pub(super) rows: &'static [Row],
    /// Short texts, five to a line.
    pub(super) list: Option<fn(Invoice<'_>) -> Vec<String>>,
}

/// Boxes side by side.
#[derive(Debug)]
pub(super) struct Row {
    shown: When,
    pub(super) fields: &'static [Field],
}

/// A box.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) label: &'static str,
    /// In millimetres; boxes of no width share what the others leave.
    pub(super) width: f32,
    pub(super) value: Value,
}

/// The width of a box that takes what the others leave.
pub(super) const REST: f32 = 0.0;

/// When a row is drawn.
#[derive(Debug)]
enum When {
    Always,
    /// Where this element is there.
    With(&'static str),
    /// Where one of the row's amounts is not zero.
    NotZero,
}

/// What stands in a box: an element's text, and how it is written.
#[derive(Debug)]
pub(super) enum Value {
    Blank,
    Text(&'static str),
    Money(&'static str),
    /// Kilograms.
    Weight(&'static str),
    Date(&'static str),
    Time(&'static str),
    /// The CNPJ or CPF of who stands at the path.
    Identity(&'static str),
    /// Street, number and what completes them, of the place at the path.
    Street(&'static str),
    Cep(&'static str),
    Phone(&'static str),
    Made(fn(Invoice<'_>) -> String),
    /// The same, in the middle and bold.
    Proof(fn(Invoice<'_>) -> String),
}

/// What is said of an item.
#[derive(Debug)]
pub(super) struct Column {
    /// Its heading, and the heading where the company is of the simplified regime.
    pub(super) titles: [&'static str; 2],
    pub(super) width: f32,
    pub(super) cell: fn(Part<'_>) -> Vec<Line>,
}

/// A line in an item's cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    Left(String),
    Center(String),
    Right(String),
    /// A name and its amount, at most two side by side.
    Named(Vec<(&'static str, String)>),
}

impl Block {
    pub(super) const fn new(title: &'static str, rows: &'static [Row]) -> Self {
        Self { title, rows, list: None }
    }

    pub(super) fn rows(&self, invoice: Invoice<'_>) -> Vec<&'static Row> {
        self.rows.iter().filter(|row| row.is_shown(invoice)).collect()
    }
}

impl Row {
    pub(super) const fn new(fields: &'static [Field]) -> Self {
        Self { shown: When::Always, fields }
    }

    pub(super) const fn with(path: &'static str, fields: &'static [Field]) -> Self {
        Self { shown: When::With(path), fields }
    }

    pub(super) const fn not_zero(fields: &'static [Field]) -> Self {
        Self { shown: When::NotZero, fields }
    }

    fn is_shown(&self, invoice: Invoice<'_>) -> bool {
        match self.shown {
            When::Always => true,
            When::With(path) => invoice.root.find(path).is_some(),
            When::NotZero => {
                let amounts = self.fields.iter().map(|field| field.value.of(invoice));
                amounts.into_iter().any(|amount| amount.contains(|c| matches!(c, '1'..='9')))
            }
        }
    }
}

impl Field {
    pub(super) const fn new(label: &'static str, width: f32, value: Value) -> Self {
        Self { label, width, value }
    }
}

impl Value {
    pub(super) fn of(&self, invoice: Invoice<'_>) -> String {
        let text = |path: &str| invoice.text(path);
        match *self {
            Self::Blank => String::new(),
            Self::Text(path) => text(path).to_owned(),
            Self::Money(path) => write::money(text(path)),
            Self::Weight(path) => write::decimal(text(path), 3),
            Self::Date(path) => write::date(text(path)),
            Self::Time(path) => write::time(text(path)),
            Self::Identity(who) => {
                let who = invoice.root.find(who);
                write::identity(who.map_or("", |who| who.any(&["CNPJ", "CPF", "idEstrangeiro"])))
            }
            Self::Street(place) => invoice.root.street(place),
            Self::Cep(path) => write::cep(text(path)),
            Self::Phone(path) => write::phone(text(path)),
            Self::Made(make) | Self::Proof(make) => make(invoice),
        }
    }
}

impl Column {
    pub(super) const fn new(
        title: &'static str,
        width: f32,
        cell: fn(Part<'_>) -> Vec<Line>,
    ) -> Self {
        Self { titles: [title, title], width, cell }
    }
}

/// The widths of things side by side: those without one share what is left of the whole.
pub(super) fn shares(whole: f32, widths: impl Iterator<Item = f32> + Clone) -> Vec<f32> {
    let is_rest = |width: &f32| *width <= REST;
    let taken: f32 = widths.clone().sum();
    let sharers: f32 = widths.clone().filter(is_rest).map(|_| 1.0).sum();
    let share = (whole - taken) / sharers.max(1.0);
    widths.map(|width| if is_rest(&width) { share } else { width }).collect()
}
