//! Job 2: what a provider's answer makes of a shipment.

use std::time::Duration;

use super::call::Answer;
use super::{CLAIM, notice, payment};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::ShipmentId;
use crate::shipment::{
    self, LabelAnswer, LabelError, ProviderLabel, ProviderLabelStatus as Known, ShipmentProblem,
    ShipmentProblemKind as Problem, ShipmentStatus as Status, Stored,
};
use crate::storage::Tx;

/// The pauses between calls that bring nothing forward double up to this.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);
/// The first of them.
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(60);
/// How long a name, a code or an address of a page may be.
const LONGEST_TEXT: usize = 500;
/// A label takes some seconds to be made, or some minutes.
const FIRST_LOOK: Duration = Duration::from_secs(15);

/// What comes after an answer.
pub(super) enum After {
    /// The next call.
    GoOn,
    /// Nothing for now.
    Wait,
    /// The label that was made is not wanted any more.
    Drop(String),
}

/// Writes what became of a shipment.
pub(super) fn keep(tx: &mut dyn Tx, at: &Work, was: &Stored, mut now: Stored) -> Result<()> {
    if *was == now {
        return Ok(());
    }
    if was.shipment != now.shipment {
        now.shipment.updated_at = at.now();
    }
    shipment::save(tx, &now)?;
    notice::note(tx, at, &was.shipment, &now.shipment)
}

/// Leaves a shipment alone whose label is another provider's. Should the shop have that provider
/// again, it goes on.
pub(super) fn leave_to_other(
    tx: &mut dyn Tx,
    at: &Work,
    was: &Stored,
    pause: Duration,
) -> Result<()> {
    let mut now = was.clone();
    now.shipment.problem = Some(ShipmentProblem::of(Problem::OtherProvider));
    now.check_at = Some(at.now().plus(pause));
    keep(tx, at, was, now)
}

/// Books what the provider answered to what was stored at `asked_at`. An answer may be booked late,
/// when another server has gone on meanwhile.
pub(super) fn answer(
    tx: &mut dyn Tx,
    at: &Work,
    id: &ShipmentId,
    asked_at: Timestamp,
    answer: &Answer,
) -> Result<After> {
    let Some(was) = shipment::by_id(tx, id)? else { return Ok(After::Wait) };
    let (mut of, now) = (was.clone(), at.now());
    let after = match answer {
        Answer::Label(Ok(label)) => in_cart(&mut of, label, now),
        Answer::Label(Err(error)) => not_in_cart(&mut of, error, now),
        Answer::Paid(said) => payment::paid(&mut of, said, asked_at, now),
        Answer::Short(balance) => payment::short(&mut of, *balance, asked_at),
        Answer::Unpaid(known) => payment::unpaid(&mut of, known, asked_at, now),
        Answer::Known(known) => payment::asked(&mut of, known, asked_at, now),
        Answer::Made(known, said) => made(&mut of, known, said.as_ref(), now),
        Answer::Dropped(left) => dropped(&mut of, left, now),
        Answer::Cancelled(known, said) => cancelled(&mut of, known, said.as_ref(), now),
    };
    keep(tx, at, &was, of)?;
    if let Some(LabelError::Shop(error)) = answer.error() {
        return Err(error.clone());
    }
    Ok(after)
}

fn in_cart(of: &mut Stored, label: &ProviderLabel, now: Timestamp) -> After {
    match of.shipment.status {
        Status::Draft | Status::Cancelling if of.shipment.label_id.is_none() => {
            take(of, label);
            if of.shipment.status == Status::Draft {
                forward(of, Status::InCart, now);
            }
            After::GoOn
        }
        _ if of.shipment.label_id.as_ref() == Some(&label.id) => After::GoOn,
        _ => After::Drop(label.id.clone()),
    }
}

fn not_in_cart(of: &mut Stored, error: &LabelError, now: Timestamp) -> After {
    if of.shipment.status != Status::Draft {
        return After::Wait;
    }
    match error {
        LabelError::Refused(_) => close(of, Status::Failed, Some(problem(error)), now),
        _ => later(of, problem(error), now),
    }
}

fn made(
    of: &mut Stored,
    known: &LabelAnswer<Option<ProviderLabel>>,
    said: Option<&LabelError>,
    now: Timestamp,
) -> After {
    let label = match known {
        Ok(Some(label)) => label,
        Ok(None) if of.shipment.status == Status::Paid => {
            return later(of, ShipmentProblem::of(Problem::Gone), now);
        }
        Err(error) if of.shipment.status == Status::Paid => {
            return later(of, problem(error), now);
        }
        _ => return After::Wait,
    };
    take(of, label);
    if of.shipment.status != Status::Paid {
        return After::Wait;
    }
    match label.status {
        Known::InCart | Known::Paid => {
            of.shipment.problem = said.map(problem);
            of.check_at = Some(now.plus(pause(FIRST_LOOK, of.attempts)));
            After::Wait
        }
        Known::Cancelled => close(of, Status::Cancelled, None, now),
        Known::Expired => close(of, Status::Expired, None, now),
        _ => generated(of, label, None, now),
    }
}

/// What the carrier says of it from here on is tracking.
fn generated(
    of: &mut Stored,
    label: &ProviderLabel,
    problem: Option<ShipmentProblem>,
    now: Timestamp,
) -> After {
    forward(of, Status::Generated, now);
    of.shipment.generated_at = of.shipment.generated_at.or(Some(now));
    of.shipment.problem = problem;
    let is_fresh = label.status == Known::Generated;
    of.check_at = Some(if is_fresh { now.plus(LONGEST_PAUSE) } else { now });
    After::Wait
}

fn dropped(of: &mut Stored, left: &LabelAnswer<Option<ProviderLabel>>, now: Timestamp) -> After {
    if of.shipment.status != Status::Cancelling || of.shipment.paid_at.is_some() {
        return After::GoOn;
    }
    match left {
        // A call that was lost put it into the cart meanwhile.
        Ok(None) => close(of, Status::Cancelled, of.shipment.problem.clone(), now),
        Ok(Some(label)) => {
            take(of, label);
            mark_paid(of, now);
            After::GoOn
        }
        Err(error) => later(of, problem(error), now),
    }
}

fn cancelled(
    of: &mut Stored,
    known: &LabelAnswer<Option<ProviderLabel>>,
    said: Option<&LabelError>,
    now: Timestamp,
) -> After {
    if of.shipment.status != Status::Cancelling {
        return After::Wait;
    }
    let label = match known {
        Ok(Some(label)) => label,
        Ok(None) => return later(of, ShipmentProblem::of(Problem::Gone), now),
        Err(error) => return later(of, problem(error), now),
    };
    take(of, label);
    match (label.status, said) {
        (Known::Cancelled, _) => close(of, Status::Cancelled, None, now),
        (Known::Expired, _) => close(of, Status::Expired, None, now),
        (Known::Paid | Known::Generated | Known::InCart, Some(LabelError::Refused(text))) => {
            let refused = ShipmentProblem::said(Problem::Refused, text);
            if label.status == Known::Generated || of.shipment.generated_at.is_some() {
                return generated(of, label, Some(refused), now);
            }
            of.shipment.status = Status::Paid;
            later(of, refused, now)
        }
        (Known::Paid | Known::Generated | Known::InCart, said) => {
            let kept = ShipmentProblem::of(Problem::NoAnswer);
            later(of, said.map_or(kept, problem), now)
        }
        // The parcel left: it is too late.
        _ => generated(of, label, Some(ShipmentProblem::of(Problem::TooLate)), now),
    }
}

/// What the provider says of the label, but for how it stands.
pub(super) fn take(of: &mut Stored, label: &ProviderLabel) {
    let it = &mut of.shipment;
    it.label_id = Some(label.id.clone());
    it.price = Some(label.price);
    // What is longer than any of them is none.
    let text = |new: &Option<String>, old: &mut Option<String>| {
        if let Some(new) = new.as_ref().filter(|text| (1..=LONGEST_TEXT).contains(&text.len())) {
            *old = Some(new.clone());
        }
    };
    text(&label.service_name, &mut it.service_name);
    text(&label.tracking_code, &mut it.tracking_code);
    text(&label.tracking_url, &mut it.tracking_url);
    it.delivery_days = label.delivery_days.or(it.delivery_days);
}

pub(super) fn mark_paid(of: &mut Stored, now: Timestamp) {
    of.shipment.paid_at = of.shipment.paid_at.or(Some(now));
    of.paying_at = None;
    advanced(of, now);
}

fn forward(of: &mut Stored, to: Status, now: Timestamp) {
    of.shipment.status = to;
    advanced(of, now);
}

/// It came forward: whatever kept it is over.
fn advanced(of: &mut Stored, now: Timestamp) {
    of.attempts = 0;
    of.shipment.problem = None;
    of.check_at = Some(now.plus(CLAIM));
}

/// Nothing more is done about it.
pub(super) fn close(
    of: &mut Stored,
    to: Status,
    problem: Option<ShipmentProblem>,
    now: Timestamp,
) -> After {
    of.shipment.status = to;
    of.shipment.problem = problem;
    of.shipment.cancelled_at = Some(now);
    (of.check_at, of.paying_at) = (None, None);
    After::Wait
}

/// It is tried again after a pause.
pub(super) fn later(of: &mut Stored, problem: ShipmentProblem, now: Timestamp) -> After {
    of.shipment.problem = Some(problem);
    of.check_at = Some(now.plus(pause(FIRST_PAUSE, of.attempts)));
    After::Wait
}

pub(super) fn pause(first: Duration, attempts: i64) -> Duration {
    let doublings = u32::try_from((attempts - 1).clamp(0, 10)).unwrap_or_default();
    LONGEST_PAUSE.min(first * 2_u32.pow(doublings))
}

pub(super) fn problem(error: &LabelError) -> ShipmentProblem {
    let kind = match error {
        LabelError::Refused(text) => {
            return ShipmentProblem::said(Problem::Refused, text);
        }
        LabelError::InsufficientBalance => Problem::InsufficientBalance,
        LabelError::NotConnected => Problem::NotConnected,
        LabelError::Unclear(text) => {
            return ShipmentProblem::said(Problem::NoAnswer, text);
        }
        LabelError::Shop(_) => Problem::NoAnswer,
    };
    ShipmentProblem::of(kind)
}
