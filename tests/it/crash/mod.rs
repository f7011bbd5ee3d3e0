//! Real processes, killed at random moments or at each step of what they do.

mod import;
mod label;
mod nfe;
pub(crate) mod order;
mod order_return;
mod payment;
pub(crate) mod webhook;
