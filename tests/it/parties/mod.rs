//! Third parties, played by small servers that speak the real wire formats.

pub(crate) mod smtp;
