//! The SQL of payments: each table is written by one file.

pub(crate) mod dispute;
pub(crate) mod event;
mod read;
pub(crate) mod refund;
mod write;

pub(crate) use self::read::{
    DUE, Payment, by_provider_id, get, holds_order, is_held_open, is_paid_otherwise, must_get,
    next_check, of_order, of_orders, open, refundable, same_request, states_of_orders,
    status_before_chargeback, to_check, unanswered, usable_intent, with_news,
};
pub(crate) use self::write::{
    NewAttempt, charge_back, check_soon, complete, forget_pictures, insert, insert_as,
    raise_refunded, release, reserve, reserve_gone, set_captured, set_charged_back, set_in_process,
    set_refunded, set_status, take_check,
};
