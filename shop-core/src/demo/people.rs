//! Who buys in the demonstration shop, who runs it, and what buyers say.

use super::{DemoLogin, fixed};
use crate::account::{NewAddress, NewPassword, ProfilePatch, Register, Role};
use crate::catalog::review::{Review, ReviewStatus, insert};
use crate::catalog::{RatingCounts, add_ratings};
use crate::context::Work;
use crate::error::{Conflict, Error, Result};
use crate::id::{AccountId, ProductId};
use crate::shop::Shop;
use crate::storage::Tx;

const CUSTOMER: DemoLogin =
    DemoLogin { role: "CUSTOMER", email: "cliente@velas.example", password: "velas-demo-123" };
const ADMIN: DemoLogin =
    DemoLogin { role: "ADMIN", email: "admin@velas.example", password: "admin-demo-123" };

/// The number that customers of the demonstration have, which labels and invoices need. It is the
/// usual one of tests.
pub(super) const CPF: &str = "111.444.777-35";

/// First name, last name.
const REVIEWERS: &[(&str, &str)] = &[
    ("Beatriz", "Almeida"),
    ("Caio", "Nogueira"),
    ("Débora", "Pires"),
    ("Eduardo", "Sampaio"),
    ("Fernanda", "Lopes"),
    ("Gustavo", "Teixeira"),
    ("Helena", "Barros"),
    ("Igor", "Martins"),
    ("Juliana", "Rocha"),
    ("Larissa", "Prado"),
    ("Marcelo", "Dias"),
    ("Natália", "Freitas"),
];

/// Rating, headline, opinion.
const OPINIONS: &[(i64, Option<&str>, &str)] = &[
    (5, Some("Perfume maravilhoso"), "A casa inteira ficou perfumada. Já pedi a segunda."),
    (4, None, "Gostei muito, só achei que ia durar um pouco mais."),
    (5, Some("Presente perfeito"), "Dei de presente e fez sucesso. A embalagem é linda."),
    (5, None, "Queima por igual até o fim e não faz fumaça."),
    (3, Some("Cheiro suave"), "Bonita, mas o aroma é mais discreto do que eu esperava."),
    (4, Some("Chegou rápido"), "Entrega em três dias, tudo bem protegido na caixa."),
    (5, Some("Minha preferida"), "Uso toda noite para ler. Acalma sem enjoar."),
    (2, None, "Veio com um pequeno lascado; a loja trocou sem problema."),
    (4, None, "Ótimo acabamento e perfume na medida certa."),
    (5, Some("Voltarei a comprar"), "Dá para sentir que é feito à mão, com cuidado."),
];

/// The customer with an address, and the admin; an account that has the e-mail already stays as it
/// is.
pub(super) async fn logins(shop: &Shop) -> Result<Vec<DemoLogin>> {
    let mut made = Vec::new();
    match shop.accounts().create_demo(register("Marina Costa", &CUSTOMER)?, Role::Customer).await {
        Ok(account) => {
            shop.addresses().create(&account.id, address()?).await?;
            let named = ProfilePatch { cpf: Some(Some(fixed(CPF)?)), ..ProfilePatch::default() };
            shop.accounts().update(&account.id, named).await?;
            made.push(CUSTOMER);
        }
        Err(Error::Conflict(Conflict::Email)) => {}
        Err(error) => return Err(error),
    }
    match shop.accounts().create_demo(register("Administração", &ADMIN)?, Role::Admin).await {
        Ok(_) => made.push(ADMIN),
        Err(Error::Conflict(Conflict::Email)) => {}
        Err(error) => return Err(error),
    }
    Ok(made)
}

fn register(name: &str, login: &DemoLogin) -> Result<Register> {
    let (email, password) = (fixed(login.email)?, fixed(login.password)?);
    Ok(Register { name: fixed(name)?, email, password })
}

fn address() -> Result<NewAddress> {
    Ok(NewAddress {
        label: fixed("Casa")?,
        street: fixed("Avenida Paulista")?,
        number: fixed("1578")?,
        complement: Some(fixed("Apto 42")?),
        district: fixed("Bela Vista")?,
        city: fixed("São Paulo")?,
        state: fixed("SP")?,
        zip_code: fixed("01310-200")?,
        is_default: None,
    })
}

/// Someone whose opinion is shown.
#[derive(Debug, Clone)]
pub(super) struct Reviewer {
    account: AccountId,
    /// As reviews show the author: `Beatriz A.`
    author: String,
}

/// Accounts of reviewers. Their passwords are random and not kept.
pub(super) async fn reviewers(shop: &Shop) -> Result<Vec<Reviewer>> {
    let mut reviewers = Vec::new();
    for (number, (first, last)) in REVIEWERS.iter().enumerate() {
        let register = Register {
            name: fixed(&format!("{first} {last}"))?,
            email: fixed(&format!("avaliador-{number}@velas.example"))?,
            password: random_password()?,
        };
        let account = match shop.accounts().create_demo(register, Role::Customer).await {
            Ok(account) => account.id,
            Err(Error::Conflict(Conflict::Email)) => continue,
            Err(error) => return Err(error),
        };
        let initial: String = last.chars().take(1).collect();
        reviewers.push(Reviewer { account, author: format!("{first} {initial}.") });
    }
    Ok(reviewers)
}

fn random_password() -> Result<NewPassword> {
    let random = getrandom::u64().map_err(Error::from_source)?;
    let more = getrandom::u64().map_err(Error::from_source)?;
    fixed(&format!("{random:016x}{more:016x}"))
}

/// The approved reviews of one product: how many, and what they sum to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reviews {
    first: usize,
    count: usize,
}

impl Reviews {
    /// `count` reviews, the first of them opinion number `first`.
    pub(super) fn new(first: usize, count: usize) -> Self {
        Self { first, count: count.min(REVIEWERS.len()) }
    }

    fn opinions(self) -> impl Iterator<Item = &'static (i64, Option<&'static str>, &'static str)> {
        OPINIONS.iter().cycle().skip(self.first % OPINIONS.len()).take(self.count)
    }
}

/// Notes the reviews' ratings with the product.
pub(super) fn summarise(tx: &mut dyn Tx, product: &ProductId, reviews: Reviews) -> Result<()> {
    let mut counts = RatingCounts::default();
    for (rating, ..) in reviews.opinions() {
        counts.add(*rating, 1);
    }
    add_ratings(tx, product, counts)
}

/// Writes the reviews themselves, one a day up to yesterday.
pub(super) fn review(
    tx: &mut dyn Tx,
    at: &Work,
    product: &ProductId,
    reviews: Reviews,
    reviewers: &[Reviewer],
) -> Result<()> {
    let day = std::time::Duration::from_secs(24 * 60 * 60);
    for (days, ((rating, title, body), reviewer)) in
        (1..).zip(reviews.opinions().zip(reviewers.iter().cycle().skip(reviews.first)))
    {
        let review = Review {
            id: at.id(),
            rating: *rating,
            title: title.map(str::to_owned),
            body: (*body).to_owned(),
            author: reviewer.author.clone(),
            verified_purchase: false,
            status: ReviewStatus::Approved,
            created_at: at.now().minus(day * days),
        };
        insert(tx, product, &reviewer.account, &review)?;
    }
    Ok(())
}
