//! Job 2 of a payment: whether a label was paid, which only its provider tells.
//!
//! An answer may be booked late, when another server has gone on meanwhile. So each is taken for
//! what was the case when it was asked for, and for the payment that it is about.

use std::time::Duration;

use super::book::{After, FIRST_PAUSE, close, later, mark_paid, pause, problem, take};
use crate::clock::Timestamp;
use crate::money::Money;
use crate::shipment::{
    LabelAnswer, LabelError, ProviderLabel, ProviderLabelStatus as Known, ShipmentProblem,
    ShipmentProblemKind as Problem, ShipmentStatus as Status, Stored,
};

/// How long after a payment whose answer was lost a label that is still in the cart was not paid by
/// it: much longer than the call goes on ([`super::PAYMENT`]), also on the way, at the provider,
/// and by another server's clock.
const SETTLED_AFTER: Duration = Duration::from_secs(10 * 60);
/// After which a label that was being paid and that its provider does not know never was.
const LOST_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether a shipment waits for the payment that was stored then, and not for a later one.
fn is_paying_since(of: &Stored, asked_at: Timestamp) -> bool {
    of.shipment.status == Status::Paying && of.paying_at == Some(asked_at)
}

/// Whatever was not paid for sure is asked about at once.
pub(super) fn paid(
    of: &mut Stored,
    said: &LabelAnswer<()>,
    asked_at: Timestamp,
    now: Timestamp,
) -> After {
    match said {
        Ok(()) => {
            if !of.shipment.status.is_live() {
                let (id, status) = (&of.shipment.id, of.shipment.status);
                tracing::error!(shipment = %id, %status, "a label was paid that was given up");
            }
            if matches!(of.shipment.status, Status::Paying | Status::InCart) {
                of.shipment.status = Status::Paid;
            }
            mark_paid(of, now);
            After::GoOn
        }
        Err(error) if is_paying_since(of, asked_at) => {
            if !matches!(error, LabelError::Unclear(_) | LabelError::Shop(_)) {
                of.paying_at = None;
            }
            of.shipment.problem = Some(problem(error));
            After::GoOn
        }
        Err(_) => After::Wait,
    }
}

/// The label is asked about once more, as after any refusal.
pub(super) fn short(of: &mut Stored, balance: Option<Money>, asked_at: Timestamp) -> After {
    if !is_paying_since(of, asked_at) {
        return After::Wait;
    }
    let price = of.shipment.price.unwrap_or(Money::ZERO);
    of.shipment.problem =
        Some(ShipmentProblem::too_much(Problem::InsufficientBalance, price, balance));
    of.paying_at = None;
    After::GoOn
}

/// It was not paid: it is dearer than what was accepted, so that its price is compared anew, it is
/// not in the cart any more, or the provider did not say.
pub(super) fn unpaid(
    of: &mut Stored,
    known: &LabelAnswer<Option<ProviderLabel>>,
    asked_at: Timestamp,
    now: Timestamp,
) -> After {
    if !is_paying_since(of, asked_at) {
        return After::Wait;
    }
    of.paying_at = None;
    match known {
        Ok(Some(label)) if label.status == Known::InCart => {
            take(of, label);
            (of.shipment.status, of.price_accepted) = (Status::InCart, false);
            After::GoOn
        }
        Ok(_) => asked(of, known, asked_at, now),
        Err(error) => {
            of.shipment.status = Status::InCart;
            later(of, problem(error), now)
        }
    }
}

pub(super) fn asked(
    of: &mut Stored,
    known: &LabelAnswer<Option<ProviderLabel>>,
    asked_at: Timestamp,
    now: Timestamp,
) -> After {
    if of.shipment.status != Status::Paying {
        return After::Wait;
    }
    match known {
        Ok(Some(label)) => {
            take(of, label);
            match label.status {
                Known::InCart => not_paid(of, asked_at, now),
                Known::Cancelled => close(of, Status::Cancelled, None, now),
                Known::Expired => close(of, Status::Expired, None, now),
                _ => {
                    of.shipment.status = Status::Paid;
                    mark_paid(of, now);
                    After::GoOn
                }
            }
        }
        Ok(None) if of.paying_at.is_none_or(|since| since.plus(LOST_AFTER) <= asked_at) => {
            let gone = ShipmentProblem::of(Problem::Gone);
            close(of, Status::Failed, Some(gone), now)
        }
        Ok(None) => later(of, ShipmentProblem::of(Problem::Gone), now),
        Err(error) => later(of, problem(error), now),
    }
}

/// The provider says that a label was in the cart still when it was asked: it was not paid, once it
/// is sure that no lost call will have its effect any more. A label that was refused waits for
/// staff, and one without the money or the access for both.
fn not_paid(of: &mut Stored, asked_at: Timestamp, now: Timestamp) -> After {
    if let Some(settled) = of.paying_at.map(|since| since.plus(SETTLED_AFTER))
        && asked_at < settled
    {
        of.check_at = Some(settled);
        return After::Wait;
    }
    of.shipment.status = Status::InCart;
    let was_refused = of.paying_at.take().is_none();
    match of.shipment.problem.as_ref().map(|problem| problem.kind) {
        Some(Problem::Refused) if was_refused => {
            of.check_at = None;
            After::Wait
        }
        Some(Problem::InsufficientBalance | Problem::NotConnected) if was_refused => {
            of.check_at = Some(now.plus(pause(FIRST_PAUSE, of.attempts)));
            After::Wait
        }
        _ => After::GoOn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{OrderId, ShipmentId};
    use crate::shipment::Shipment;

    /// A label that is being paid since an instant.
    fn paying(since: Timestamp) -> Stored {
        let (id, order) = (ShipmentId::from("s"), OrderId::from("o"));
        let mut shipment = Shipment::draft(id, order, "PED-1", at(0));
        shipment.status = Status::Paying;
        shipment.label_id = Some("l".to_owned());
        shipment.price = Some(Money::from_cents(2000));
        Stored {
            shipment,
            allowed_price: None,
            price_accepted: true,
            attempts: 1,
            check_at: None,
            paying_at: Some(since),
        }
    }

    fn at(minutes: u64) -> Timestamp {
        Timestamp::from_millis(0).plus(Duration::from_secs(minutes * 60))
    }

    fn in_cart() -> ProviderLabel {
        ProviderLabel::new("l", Known::InCart, Money::from_cents(2000))
    }

    #[test]
    fn what_is_said_of_an_earlier_payment_ends_no_later_one() {
        let later = paying(at(20));
        let mut of = later.clone();
        let refused = Err(LabelError::Refused("no".to_owned()));
        paid(&mut of, &refused, at(0), at(21));
        short(&mut of, None, at(0));
        unpaid(&mut of, &Ok(Some(in_cart())), at(0), at(21));
        unpaid(&mut of, &Err(LabelError::NotConnected), at(0), at(21));
        assert_eq!(of, later);
        paid(&mut of, &refused, at(20), at(21));
        assert_eq!(of.paying_at, None, "its own");
        // That it was paid is true whenever it is booked.
        let mut of = later;
        paid(&mut of, &Ok(()), at(0), at(21));
        assert_eq!(of.shipment.status, Status::Paid);
    }

    #[test]
    fn a_label_that_was_in_the_cart_before_the_call_settled_may_be_paid_by_it_still() {
        // An answer counts for when it was asked for, however late it is booked.
        let mut of = paying(at(20));
        for asked_at in [at(0), at(20), at(29)] {
            asked(&mut of, &Ok(Some(in_cart())), asked_at, at(60));
            assert_eq!((of.shipment.status, of.paying_at), (Status::Paying, Some(at(20))));
        }
        asked(&mut of, &Ok(Some(in_cart())), at(30), at(60));
        assert_eq!((of.shipment.status, of.paying_at), (Status::InCart, None));
    }
}
