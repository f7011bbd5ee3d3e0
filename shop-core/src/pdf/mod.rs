//! What printed pages are drawn with: places in millimetres, text in Times, and how numbers are
//! written in Brazil.

pub(crate) mod barcode;
pub(crate) mod font;
pub(crate) mod merge;
pub(crate) mod page;
pub(crate) mod write;
