//! The tax office over the wire: SOAP and mutual TLS, and what becomes of an order's invoice
//! however the office behaves.

mod kill;
mod port;
mod shop;
