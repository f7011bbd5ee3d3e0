//! What an order travels in: the smallest of the shop's boxes that takes everything, else several.
//!
//! [`PackingPlan::pack`] decides it from the goods' sides and weights alone, so the same goods
//! always travel in the same boxes. What carriers are asked about and what staff pack is the same
//! plan, which is kept with the order (docs/decisions.md, "Packing").

mod line;
mod pack;
mod plan;
mod store;
#[cfg(test)]
mod tests;

pub use self::line::PackLine;
pub use self::plan::{PackedItem, PackedParcel, PackingPlan};
pub(crate) use self::store::{chosen_option, insert, of_order};
