//! The profile of an account: name, e-mail, phone, CPF and the company it buys for.

use super::{
    Account, AccountMail, Accounts, Known, PasswordAttempt, enqueue_mail, note_of_staff,
    reset_link, store,
};
use crate::context::Work;
use crate::error::{Credential, Entity, Error, Result};
use crate::fiscal::BuyingCompany;
use crate::id::AccountId;
use crate::lane;
use crate::storage::Tx;
use crate::value::{Cnpj, Cpf, Email, InvalidValue, OptionalText, StateRegistration, Text};

/// What to change of the own account; fields that are absent stay.
#[apply(patch!)]
pub struct ProfilePatch {
    /// The person's name; an invoice takes none of one character.
    pub name: Option<Text<2, 120>>,
    /// No other account may have it, in whatever case.
    pub email: Option<Email>,
    /// Null or an empty text clears it.
    pub phone: Option<Option<OptionalText<30>>>,
    /// Null clears it.
    pub cpf: Option<Option<Cpf>>,
    /// The company that is bought for; null clears it and what is said of it.
    pub cnpj: Option<Option<Cnpj>>,
    /// The company's registered name; null or an empty text clears it.
    pub company_name: Option<Option<OptionalText<120>>>,
    /// The company's state registration (IE); null clears it.
    pub state_registration: Option<Option<StateRegistration>>,
    /// Whether the company buys to sell again.
    pub buys_to_resell: Option<bool>,
    #[own_form]
    /// The account's password, where the e-mail is to be another one.
    pub current_password: Option<PasswordAttempt>,
}

impl Accounts<'_> {
    /// Changes what the patch names. Another e-mail is another way into the account, so it asks for
    /// the current password.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Conflict::Email`](crate::error::Conflict::Email) when another account
    /// has the new e-mail; [`Error::Invalid`] for another e-mail without the password,
    /// [`Credential::CurrentPassword`] for one with a wrong password, [`Error::TooManyAttempts`]
    /// after too many of those; [`Credential::Session`] when the account was suspended or erased
    /// meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(&self, id: &AccountId, mut patch: ProfilePatch) -> Result<Account> {
        let password = patch.current_password.take();
        let confirmed = match &patch.email {
            Some(email) => self.confirm(id, email, password).await?,
            None => None,
        };
        let (id, at) = (id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let known = store::by_id(tx, &id)?.ok_or(Error::NotFound(Entity::Account))?;
            known.account.check_active()?;
            save(tx, &at, known, patch.clone(), confirmed.as_deref())
        };
        let account = self.cx.db().write(lane::CUSTOMERS, "account.update", job).await?;
        self.cx.mail_written();
        Ok(account)
    }

    /// The hash of the password that confirms another e-mail; `None` where it is none.
    async fn confirm(
        &self,
        id: &AccountId,
        email: &Email,
        password: Option<PasswordAttempt>,
    ) -> Result<Option<String>> {
        let id = id.clone();
        let known = self.cx.db().lookup("account.get", move |tx| store::by_id(tx, &id)).await?;
        let Known { account, password_hash, .. } = known.ok_or(Error::NotFound(Entity::Account))?;
        if !is_another(&account, email) {
            return Ok(None);
        }
        let required = || Error::field("currentPassword", InvalidValue::Required);
        let password = password.ok_or_else(required)?;
        self.confirm_password(&account.id, password, &password_hash).await?;
        Ok(Some(password_hash))
    }
}

fn is_another(account: &Account, email: &Email) -> bool {
    account.email.key() != email.key()
}

/// Another e-mail needs the password that the account has now, not the one it had when the
/// request came.
fn save(
    tx: &mut dyn Tx,
    at: &Work,
    known: Known,
    patch: ProfilePatch,
    confirmed: Option<&str>,
) -> Result<Account> {
    let another = patch.email.clone().filter(|email| is_another(&known.account, email));
    if let Some(new) = another {
        if confirmed != Some(&*known.password_hash) {
            return Err(Error::Unauthenticated(Credential::CurrentPassword));
        }
        let id = &known.account.id;
        reset_link::delete_all(tx, id)?;
        note_of_staff(tx, at, id, "account.change_email")?;
        // Before the new e-mail is saved, so it goes to the old one: an attacker who took the
        // account over reads the new one.
        enqueue_mail(tx, at, id, &AccountMail::EmailChanged { at: at.now(), new })?;
    }
    let account = patched(known.account, patch);
    account.company.check().into_result()?;
    store::save_profile(tx, at, &account)?;
    Ok(account)
}

fn patched(account: Account, patch: ProfilePatch) -> Account {
    let company = patched_company(&account.company, &patch);
    let ProfilePatch { name, email, phone, cpf, .. } = patch;
    let filled = |text: &OptionalText<30>| Some(text.to_string()).filter(|text| !text.is_empty());
    Account {
        name: name.map_or(account.name, |name| name.to_string()),
        email: email.unwrap_or(account.email),
        phone: phone.map_or(account.phone, |phone| phone.as_ref().and_then(filled)),
        cpf: cpf.unwrap_or(account.cpf),
        company,
        ..account
    }
}

/// What was said of one company says nothing of another, or of none, but for what the patch itself
/// says.
fn patched_company(company: &BuyingCompany, patch: &ProfilePatch) -> BuyingCompany {
    let nothing = BuyingCompany::default();
    let another = patch.cnpj.as_ref().is_some_and(|cnpj| *cnpj != company.cnpj);
    let before = if another { &nothing } else { company };
    let filled = |text: &OptionalText<120>| Some(text.to_string()).filter(|text| !text.is_empty());
    let mut company = before.clone();
    if let Some(cnpj) = &patch.cnpj {
        company.cnpj.clone_from(cnpj);
    }
    if let Some(name) = &patch.company_name {
        company.company_name = name.as_ref().and_then(filled);
    }
    if let Some(registration) = &patch.state_registration {
        company.state_registration.clone_from(registration);
    }
    if let Some(resells) = patch.buys_to_resell {
        company.buys_to_resell = resells;
    }
    company
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Role;
    use crate::clock::Timestamp;

    #[test]
    fn a_patch_changes_what_it_names_and_null_clears() {
        let account = Account {
            id: "1".into(),
            name: "Ana".to_owned(),
            email: "ana@example.com".parse().expect("an e-mail"),
            phone: Some("11 99999-0000".to_owned()),
            cpf: "529.982.247-25".parse().ok(),
            company: BuyingCompany::default(),
            role: Role::Customer,
            is_active: true,
            created_at: Timestamp::from_millis(0),
            guest: false,
        };
        let patch = |json| serde_json::from_str::<ProfilePatch>(json).expect("a patch");
        assert_eq!(patched(account.clone(), patch("{}")), account);
        let named = patched(account.clone(), patch(r#"{"name":" Ana Lima ","phone":null}"#));
        assert_eq!((named.name.as_str(), &named.phone), ("Ana Lima", &None));
        assert_eq!(named.cpf, account.cpf);
        let company = patch(
            r#"{"cnpj":"12.ABC.345/01DE-35","stateRegistration":"110.042.490.114",
                "buysToResell":true,"companyName":"Empório Lima"}"#,
        );
        let buys = patched(account.clone(), company);
        assert!(buys.company.check().is_empty() && buys.company.buys_to_resell);
        let other = patch(r#"{"cnpj":"11.222.333/0001-81","companyName":"Beta"}"#);
        let other = patched(buys.clone(), other).company;
        assert_eq!((other.state_registration, other.buys_to_resell), (None, false), "of the other");
        assert_eq!(patched(buys, patch(r#"{"cnpj":null}"#)), account, "and what is said of it");
        let alone = patched(account.clone(), patch(r#"{"buysToResell":true}"#));
        assert!(alone.company.check().field_errors.contains_key("stateRegistration"));
        let cleared = patched(account, patch(r#"{"phone":"  ","cpf":null}"#));
        assert_eq!((cleared.phone, cleared.cpf), (None, None));
    }
}
