//! Sessions of staff. Beside the signed token, which says no more than a customer's, each has a
//! row: so a session can be seen and ended, and a token without a row that holds is no session.

use std::net::IpAddr;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::totp::{TotpKey, TwoFactorCode};
use super::{session_store, two_factor};
use crate::account::session_token::{Claims, LIFETIME_SECONDS, SessionKeys};
use crate::account::{Account, Known, Role, Sessions, store};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, StaffSessionId};
use crate::lane;
use crate::storage::Tx;

/// How much of a program's name is kept, in characters.
const USER_AGENT: usize = 300;

/// A session of an account that runs the shop, as its owner sees it: everything but the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StaffSession {
    /// By which it is ended.
    pub id: StaffSessionId,
    /// When it was started.
    pub created_at: Timestamp,
    /// When it was last used, to a minute or so.
    pub last_used_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
    /// The name that the browser or program gave itself at the log-in, in at most 300 characters.
    pub user_agent: Option<String>,
    /// The address that the log-in came from.
    pub address: Option<String>,
}

/// The holder of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// Whose session it is.
    pub account: Account,
    /// Which one it is, where the account runs the shop; sessions of customers are not kept.
    pub session: Option<StaffSessionId>,
    /// Whether the shop demands two-factor log-ins of staff (`staff.require_two_factor`) and the
    /// account has none yet: then it may do nothing but enrol, and look after itself.
    pub must_enrol: bool,
}

impl Identity {
    /// The account, for all that is not its own affair.
    ///
    /// # Errors
    /// [`Refusal::TwoFactorRequired`] where it must enrol first.
    pub fn admitted(self) -> Result<Account> {
        if self.must_enrol {
            return Err(Error::Refused(Refusal::TwoFactorRequired));
        }
        Ok(self.account)
    }
}

/// The second step of a log-in.
#[derive(Debug, Clone)]
pub(in crate::account) enum SecondStep {
    /// What came with the password; needed where the account has a second factor.
    Code(Option<TwoFactorCode>),
    /// The caller has a session, which came by it.
    Done,
}

/// A session of staff to be started.
#[derive(Debug, Clone)]
pub(in crate::account) struct NewSession {
    pub(in crate::account) account: Account,
    /// The second from which on it shall hold.
    pub(in crate::account) starts: i64,
    pub(in crate::account) second_step: SecondStep,
    pub(in crate::account) user_agent: Option<String>,
    pub(in crate::account) address: Option<IpAddr>,
}

impl NewSession {
    pub(in crate::account) fn new(
        account: Account,
        starts: i64,
        second_step: SecondStep,
        user_agent: Option<&str>,
        address: Option<IpAddr>,
    ) -> Self {
        let shown = |name: &str| -> String {
            name.chars().filter(|c| !c.is_control()).take(USER_AGENT).collect()
        };
        let user_agent = user_agent.map(shown).filter(|name| !name.is_empty());
        Self { account, starts, second_step, user_agent, address }
    }
}

impl Sessions<'_> {
    /// The sessions of an account that runs the shop, the latest first; those of customers are not
    /// kept.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<StaffSession>> {
        let (account, now) = (account.clone(), self.cx.now());
        let job = move |tx: &mut dyn Tx| session_store::of_account(tx, &account, now);
        let sessions = self.cx.db().read("session.list", job).await?;
        let with_last_use = |session: StaffSession| {
            let noted = self.credentials.session_uses.of(&session.id);
            let last_used_at = session.last_used_at.max(noted.unwrap_or(session.last_used_at));
            StaffSession { last_used_at, ..session }
        };
        Ok(sessions.into_iter().map(with_last_use).collect())
    }

    /// Ends a session of an account that runs the shop: its token is refused from the next request
    /// on.
    ///
    /// # Errors
    /// [`Entity::Session`] where the account has no such session that holds.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn end(&self, by: &Actor, account: &AccountId, id: &StaffSessionId) -> Result<()> {
        let (by, account, id, at) = (by.clone(), account.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            if !session_store::end(tx, &at, &account, &id)? {
                return Err(Error::NotFound(Entity::Session));
            }
            audit::record(tx, &at, &by, "session.end", id.as_str(), &(), &())
        };
        self.cx.db().write(lane::CUSTOMERS, "session.end", job).await
    }

    /// Ends all sessions of an account that runs the shop but one, and says how many.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn end_others(
        &self,
        by: &Actor,
        account: &AccountId,
        kept: &StaffSessionId,
    ) -> Result<usize> {
        #[derive(Serialize)]
        struct Noted {
            ended: usize,
        }
        let (by, account, kept) = (by.clone(), account.clone(), kept.clone());
        let at = self.cx.work();
        let job = move |tx: &mut dyn Tx| {
            let ended = session_store::end_others(tx, &at, &account, &kept)?;
            if ended > 0 {
                let (id, noted) = (account.as_str(), Noted { ended });
                audit::record(tx, &at, &by, "session.end_others", id, &(), &noted)?;
            }
            Ok(ended)
        };
        self.cx.db().write(lane::CUSTOMERS, "session.end_others", job).await
    }

    /// Ends the session of a token where one is kept. A customer's token holds until it expires or
    /// the password changes; a token that is not valid is none of this shop's.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn log_out(&self, token: &str) -> Result<()> {
        let claims = self.credentials.session_keys.open(token, self.cx.now());
        if claims.is_none_or(|claims| claims.role != Role::Admin) {
            return Ok(());
        }
        let (hash, at) = (token_hash(token), self.cx.work());
        let known = {
            let hash = hash.clone();
            let job = move |tx: &mut dyn Tx| session_store::by_token(tx, &hash);
            self.cx.db().lookup("session.by_token", job).await?
        };
        if known.is_none() {
            return Ok(());
        }
        let job = move |tx: &mut dyn Tx| session_store::end_token(tx, &at, &hash);
        self.cx.db().write(lane::CUSTOMERS, "session.log_out", job).await
    }

    /// Writes down when sessions were last used, if that was not done within the last minute.
    pub(crate) async fn note_uses_if_due(&self) -> Result<()> {
        if self.credentials.session_uses.is_due(self.cx.now()) {
            self.note_uses().await
        } else {
            Ok(())
        }
    }

    /// Writes down when sessions were last used.
    pub(crate) async fn note_uses(&self) -> Result<()> {
        let write = |uses: Vec<(StaffSessionId, Timestamp)>| {
            let job = move |tx: &mut dyn Tx| {
                uses.iter().try_for_each(|(id, at)| session_store::note_use(tx, id, *at))
            };
            self.cx.db().write(lane::CUSTOMERS, "session.note_uses", job)
        };
        self.credentials.session_uses.note(self.cx.now(), write).await
    }
}

/// The holder of a token that this shop signed, if the session holds; and whether the account must
/// enrol first where the shop demands a second factor.
pub(in crate::account) fn identify(
    tx: &mut dyn Tx,
    claims: &Claims,
    token_hash: &str,
    demand_two_factor: bool,
) -> Result<Option<Identity>> {
    let Some(Known { account, sessions_from, .. }) = store::by_id(tx, &claims.user_id)? else {
        return Ok(None);
    };
    if !account.is_active || claims.starts() < sessions_from {
        return Ok(None);
    }
    if account.role == Role::Customer {
        return Ok(Some(Identity { account, session: None, must_enrol: false }));
    }
    let Some(session) = session_store::by_token(tx, token_hash)? else { return Ok(None) };
    let must_enrol = demand_two_factor && !two_factor::is_enabled(tx, &account.id)?;
    Ok(Some(Identity { account, session: Some(session), must_enrol }))
}

/// Starts a session and gives its token, once the second factor is right; nothing where the
/// account's sessions were ended since the log-in was checked.
pub(in crate::account) fn start(
    tx: &mut dyn Tx,
    at: &Work,
    keys: &SessionKeys,
    new: &NewSession,
    totp_key: &TotpKey,
) -> Result<Option<String>> {
    let known = store::by_id(tx, &new.account.id)?;
    if known.is_none_or(|it| !it.account.is_active || it.sessions_from > new.starts) {
        return Ok(None);
    }
    if let SecondStep::Code(code) = &new.second_step {
        two_factor::check_code(tx, at, totp_key, &new.account.id, code.as_ref())?;
    }
    session_store::make_room(tx, at, &new.account.id)?;
    let mut starts = new.starts;
    loop {
        let token = keys.seal(&Claims::of(&new.account, starts, at.now()))?;
        let expires_at = Timestamp::from_millis((starts + LIFETIME_SECONDS) * 1000);
        if session_store::insert(tx, at, new, &token_hash(&token), expires_at)? {
            return Ok(Some(token));
        }
        // A token counts in seconds, and each session has one of its own: of those that start in
        // the same second the later ones hold as many seconds longer.
        starts += 1;
    }
}

/// What is kept of a token, which is long and signed.
pub(in crate::account) fn token_hash(token: &str) -> String {
    hex::encode(Sha256::digest(token))
}
