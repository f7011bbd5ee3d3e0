//! What most topics need: callers, inputs and outputs, and the rows that they stand in.

pub(super) use hyper::Method;
pub(super) use schemars::JsonSchema;
pub(super) use serde::{Deserialize, Serialize};
pub(super) use shop_core::Result;

pub(super) use crate::caller::{Admin, Customer, Newcomer, Public, Session, Shopper};
pub(super) use crate::input::{Id, IfMatch, Json, Path, Query, Raw, Repeat};
pub(super) use crate::key::{
    Key, OrdersRead, OrdersWrite, ProductsRead, ProductsWrite, StockWrite,
};
pub(super) use crate::openapi::Header;
pub(super) use crate::order_owner::{OrderOwner, OwnOrder};
pub(super) use crate::output::{
    Created, Download, File, Message, Replayed, Versioned, WithHeaders,
};
pub(super) use crate::rate_limit::Rate;
pub(super) use crate::reply::{Code, Failure};
pub(super) use crate::route::{
    Call, Route, admin, card_payer, customer, key, leaving, newcomer, order_owner, own, public,
    public_or_key, session, session_or_key, shopper, staff,
};
