//! Runs the jobs of a group in its transaction.

use super::group::{Locks, Part, Write};
use super::outbox::Outbox;
use super::session::{Session, Transaction};
use super::tx::{PostgresTx, breaks_constraint, is_conflict};
use crate::error::{Error, Result};
use crate::storage::generation::Touched;

/// What each job of a group is answered.
pub(super) type Outcomes = Vec<Result<()>>;

/// What the jobs of a group did in a transaction that is not committed yet.
pub(super) struct Ran {
    pub(super) transaction: Transaction,
    pub(super) outcomes: Outcomes,
    pub(super) touched: Touched,
    pub(super) outbox: Outbox,
}

/// Why the transaction of a group cannot be committed.
pub(super) enum Broken {
    /// It may go through if it is run again.
    Again(Error),
    /// One job took the others along: it failed when it had changed something.
    Torn,
    /// One job took the others along, and would again.
    Apart(Error),
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        if breaks_constraint(&error) { Self::Apart(error) } else { Self::Again(error) }
    }
}

/// Runs every job of a group; one that fails takes back its own changes only.
pub(super) fn run_all(
    session: &mut Session,
    group: &mut [Write],
    locks: &Locks,
) -> Result<Ran, Broken> {
    let (transaction, prefetched) = session.begin(&locks.begin(), &Write::prefetch(group))?;
    let outbox = Outbox { prefetched, ..Outbox::default() };
    let outcomes = vec![Ok(()); group.len()];
    let mut ran = Ran { transaction, outcomes, touched: Touched::default(), outbox };
    if locks.savepoints {
        run_each(session, group, &mut ran)?;
    } else {
        run_together(session, group, &mut ran)?;
    }
    run_last(session, group, &mut ran)?;
    Ok(ran)
}

/// Runs job by job, each behind a savepoint.
fn run_each(session: &mut Session, group: &mut [Write], ran: &mut Ran) -> Result<(), Broken> {
    let last = group.len() - 1;
    for (place, (write, outcome)) in group.iter_mut().zip(&mut ran.outcomes).enumerate() {
        let (mark, mut touched) = (ran.outbox.mark(), Touched::default());
        let name = write.work.name;
        for part in [Part::First, Part::Middle] {
            let Some(job) = write.part(part).filter(|_| outcome.is_ok()) else { continue };
            let (ended, met) = session.run_job(name, job, Some(&mut ran.outbox));
            if met.conflict || session.is_lost() {
                return Err(Broken::Again(ended.err().unwrap_or_else(Error::busy)));
            }
            touched.merge(met.touched);
            *outcome = ended;
        }
        if outcome.is_ok() {
            ran.touched.merge(touched);
        } else {
            session.run("ROLLBACK TO SAVEPOINT job")?;
            ran.outbox.back_to(mark);
        }
        if place < last {
            session.run("RELEASE SAVEPOINT job; SAVEPOINT job")?;
        }
    }
    Ok(())
}

/// Runs the first parts of all jobs, makes what they planned, and runs the parts that follow. A job
/// that fails is left out if it has changed nothing, and takes the others along if it has.
fn run_together(session: &mut Session, group: &mut [Write], ran: &mut Ran) -> Result<(), Broken> {
    let mut have_changed = vec![false; group.len()];
    ran.outbox.planned.is_open = true;
    run_part(session, group, ran, (Part::First, &mut have_changed))?;
    ran.outbox.planned.is_open = false;
    if let Err(error) = PostgresTx::new(session, Some(&mut ran.outbox)).make_planned() {
        let again = is_conflict(&error) || session.is_lost();
        return Err(match group.len() {
            _ if again => Broken::Again(error),
            1 => Broken::Apart(error),
            _ => Broken::Torn,
        });
    }
    run_part(session, group, ran, (Part::Middle, &mut have_changed))
}

/// Runs a part of all jobs that went well so far. Which jobs have changed something is noted.
fn run_part(
    session: &mut Session,
    group: &mut [Write],
    ran: &mut Ran,
    (part, have_changed): (Part, &mut [bool]),
) -> Result<(), Broken> {
    let is_alone = group.len() == 1;
    let jobs = group.iter_mut().zip(have_changed).zip(&mut ran.outcomes).enumerate();
    for (place, ((write, has_changed), outcome)) in jobs {
        let name = write.work.name;
        let Some(job) = write.part(part).filter(|_| outcome.is_ok()) else { continue };
        let mark = ran.outbox.mark();
        ran.outbox.planned.job = place;
        let (ended, met) = session.run_job(name, job, Some(&mut ran.outbox));
        if met.conflict || session.is_lost() {
            return Err(Broken::Again(ended.err().unwrap_or_else(Error::busy)));
        }
        let planned = &mut ran.outbox.planned;
        *has_changed |= met.changed || met.failed || planned.have_changed(place);
        // Its units, say, are taken and it does not know. Behind savepoints nothing is planned.
        let strays = ended.is_ok() && planned.are_left(place);
        match ended {
            Ok(()) if strays => return Err(Broken::Torn),
            Ok(()) => {
                *has_changed |= ran.outbox.has_kept_since(mark);
                ran.touched.merge(met.touched);
            }
            Err(error) if is_alone => return Err(Broken::Apart(error)),
            Err(_) if *has_changed => return Err(Broken::Torn),
            Err(error) => {
                ran.outbox.back_to(mark);
                *outcome = Err(error);
            }
        }
    }
    Ok(())
}

/// Runs the last parts of those jobs that have one and went well so far.
fn run_last(session: &mut Session, group: &mut [Write], ran: &mut Ran) -> Result<(), Broken> {
    let went_well = group.iter_mut().zip(&ran.outcomes).filter(|(_, outcome)| outcome.is_ok());
    let names_and_parts = went_well.map(|(write, _)| (write.work.name, write.part(Part::Last)));
    let mut parts: Vec<_> =
        names_and_parts.filter_map(|(name, part)| Some((name, part?))).collect();
    if parts.is_empty() {
        return Ok(());
    }
    let mut left = parts.len();
    for (name, job) in &mut parts {
        ran.outbox.numbers.expect(left);
        left -= 1;
        let (outcome, met) = session.run_job(name, job, Some(&mut ran.outbox));
        match outcome {
            Ok(()) if !met.conflict => ran.touched.merge(met.touched),
            outcome => {
                let error = outcome.err().unwrap_or_else(Error::busy);
                let again = met.conflict || session.is_lost();
                return Err(if again { Broken::Again(error) } else { Broken::Apart(error) });
            }
        }
    }
    Ok(())
}
