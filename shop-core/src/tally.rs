//! What the shop counts of what happens in it.
//!
//! The store that writes it says so in the same transaction ([`Tx::count`](crate::storage::Tx::count)),
//! and it is counted once that is committed: a job that is refused or run again counts nothing twice.

use crate::storage::Tally;

/// Orders that were placed.
pub(crate) const ORDER: Tally = Tally::new(0);

/// Mails that left.
pub(crate) const MAIL_SENT: Tally = Tally::new(1);
/// Tries of mails that failed and come again.
pub(crate) const MAIL_PUT_OFF: Tally = Tally::new(2);
/// Mails that were given up.
pub(crate) const MAIL_GIVEN_UP: Tally = Tally::new(3);

/// Events that an endpoint took.
pub(crate) const WEBHOOK_DELIVERED: Tally = Tally::new(4);
/// Tries of events that failed and come again.
pub(crate) const WEBHOOK_PUT_OFF: Tally = Tally::new(5);
/// Events that were given up.
pub(crate) const WEBHOOK_GIVEN_UP: Tally = Tally::new(6);

/// How many states each kind may have.
pub(crate) const STATES: usize = 8;
const INVOICES: usize = 8;
const PAYMENTS: usize = INVOICES + STATES;

/// Invoices that came into a state, by its place among all states.
pub(crate) const fn invoice(state: usize) -> Tally {
    Tally::new(INVOICES + state)
}

/// Payments of a provider that came into a state, by the places of both among all.
pub(crate) const fn payment(provider: usize, state: usize) -> Tally {
    Tally::new(PAYMENTS + provider * STATES + state)
}
