//! How often the current password of an account may be wrong where it confirms a change: a stolen
//! session must not find the password out by trying. Counted in this process's memory,
//! on the shop's clock.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Accounts, Credential, PasswordAttempt};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::AccountId;

/// The wrong passwords of one account in a [`WINDOW`].
const MAX: usize = 10;
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// The accounts that are remembered; beyond them, the one that has been quiet for longest is not.
const MAX_ACCOUNTS: usize = 10_000;

/// The wrong passwords of late.
#[derive(Debug, Default)]
pub(crate) struct WrongPasswords(Mutex<HashMap<AccountId, VecDeque<Timestamp>>>);

impl WrongPasswords {
    /// Counts a password or a code as wrong until [`Attempt::settle`]: many at once count as many.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`].
    pub(super) fn begin(&self, account: &AccountId, now: Timestamp) -> Result<Attempt<'_>> {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= MAX_ACCOUNTS && !accounts.contains_key(account) {
            forget_some(&mut accounts, now);
        }
        let wrong = accounts.entry(account.clone()).or_default();
        while wrong.front().is_some_and(|at| at.plus(WINDOW) <= now) {
            wrong.pop_front();
        }
        if let Some(oldest) = wrong.front().filter(|_| wrong.len() >= MAX) {
            let millis = oldest.plus(WINDOW).millis() - now.millis();
            let retry_after = Duration::from_millis(u64::try_from(millis).unwrap_or_default());
            return Err(Error::TooManyAttempts { max: MAX, retry_after });
        }
        wrong.push_back(now);
        Ok(Attempt { counted: self, account: account.clone(), at: now })
    }

    fn take_back(&self, account: &AccountId, at: Timestamp) {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(wrong) = accounts.get_mut(account) else { return };
        if let Some(place) = wrong.iter().position(|counted| *counted == at) {
            wrong.remove(place);
        }
        if wrong.is_empty() {
            accounts.remove(account);
        }
    }
}

fn forget_some(accounts: &mut HashMap<AccountId, VecDeque<Timestamp>>, now: Timestamp) {
    accounts.retain(|_, wrong| wrong.back().is_some_and(|at| now < at.plus(WINDOW)));
    if accounts.len() >= MAX_ACCOUNTS {
        let quiet = accounts.iter().min_by_key(|(_, wrong)| wrong.back().copied());
        let quiet = quiet.map(|(account, _)| account.clone());
        quiet.and_then(|account| accounts.remove(&account));
    }
}

/// A password or a code that is being looked at. One that nobody waits for any more stays counted:
/// it may be right and have its effect, so who hangs up in time could try any number of them.
#[must_use]
pub(super) struct Attempt<'a> {
    counted: &'a WrongPasswords,
    account: AccountId,
    at: Timestamp,
}

impl Attempt<'_> {
    /// Takes the attempt back, unless the outcome is that this credential was wrong.
    pub(super) fn settle<T>(self, outcome: Result<T>, wrong: Credential) -> Result<T> {
        if !matches!(&outcome, Err(Error::Unauthenticated(refused)) if *refused == wrong) {
            self.counted.take_back(&self.account, self.at);
        }
        outcome
    }
}

impl Accounts<'_> {
    /// Whether the password that confirms a change is the account's.
    ///
    /// # Errors
    /// [`Credential::CurrentPassword`] when it is not; [`Error::TooManyAttempts`] after ten wrong
    /// ones in 15 minutes.
    pub(crate) async fn confirm_password(
        &self,
        id: &AccountId,
        password: PasswordAttempt,
        hash: &str,
    ) -> Result<()> {
        let attempt = self.credentials.wrong_passwords.begin(id, self.cx.now())?;
        let hasher = &self.credentials.hasher;
        let wrong = Credential::CurrentPassword;
        let verified =
            hasher.verify(self.requester(id.as_str()), password, Some(hash.to_owned())).await;
        let checked =
            verified.and_then(|right| right.then_some(()).ok_or(Error::Unauthenticated(wrong)));
        attempt.settle(checked, wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Entity;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    fn wrong(counted: &WrongPasswords, account: &str, second: i64) -> Result<()> {
        // As one that nobody waits for any more.
        counted.begin(&account.into(), at(second)).map(drop)
    }

    fn settle(attempt: Attempt<'_>, outcome: Result<()>) {
        drop(attempt.settle(outcome, Credential::CurrentPassword));
    }

    #[test]
    fn ten_wrong_ones_in_fifteen_minutes_are_the_most() {
        let counted = WrongPasswords::default();
        for second in 0..10 {
            wrong(&counted, "ana", second).expect("a try");
        }
        let refused = wrong(&counted, "ana", 60).expect_err("one too many");
        let Error::TooManyAttempts { retry_after, .. } = refused else { panic!("{refused}") };
        assert_eq!(retry_after, Duration::from_secs(15 * 60 - 60));
        wrong(&counted, "bia", 60).expect("another account");
        wrong(&counted, "ana", 15 * 60).expect("the first one is forgotten");
        wrong(&counted, "ana", 15 * 60).expect_err("only the first one");
    }

    #[test]
    fn right_ones_are_not_counted_and_those_under_way_are() {
        let counted = WrongPasswords::default();
        for _ in 0..100 {
            settle(counted.begin(&"ana".into(), at(0)).expect("a try"), Ok(()));
        }
        assert!(counted.0.lock().expect("a lock").is_empty());
        let tries: Vec<_> =
            (0..MAX).map(|_| counted.begin(&"ana".into(), at(0)).expect("a try")).collect();
        assert!(counted.begin(&"ana".into(), at(0)).is_err());
        for attempt in tries {
            settle(attempt, Err(Error::NotFound(Entity::Account)));
        }
        assert!(counted.begin(&"ana".into(), at(0)).is_ok());
    }

    #[test]
    fn only_what_was_found_wrong_stays_counted() {
        let counted = WrongPasswords::default();
        let wrong = Error::Unauthenticated(Credential::CurrentPassword);
        for _ in 0..MAX {
            settle(counted.begin(&"ana".into(), at(0)).expect("a try"), Err(wrong.clone()));
        }
        assert!(counted.begin(&"ana".into(), at(0)).is_err());
    }

    #[test]
    fn the_memory_has_an_end() {
        let counted = WrongPasswords::default();
        for n in 0..MAX_ACCOUNTS + 5 {
            wrong(&counted, &n.to_string(), i64::try_from(n).expect("small") / 1000)
                .expect("a try");
        }
        assert_eq!(counted.0.lock().expect("a lock").len(), MAX_ACCOUNTS);
    }
}
