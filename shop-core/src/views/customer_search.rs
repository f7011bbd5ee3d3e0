//! How staff find customers: all of them, by the beginning of an e-mail, or by words.

use crate::account::{Customers, Role};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::AccountId;
use crate::page::{Page, PageLimit, PageNumber, PageRequest, Pagination};
use crate::storage::{Filter, PLACES, Param, SearchWord, Tx, params, placed, read_columns};
use crate::value::words::query_words;
use crate::value::{Email, OptionalText};

/// More customers than these are not counted when something is searched for.
const COUNTED: i64 = 10_000;

/// Which customers to list, latest first (`GET /api/admin/customers`).
#[apply(filter!)]
pub struct CustomerFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Entries a page.
    pub limit: Option<PageLimit>,
    /// Words of the name or the e-mail, each by its beginning; or the beginning of an e-mail up to
    /// its `@` and beyond.
    pub search: Option<OptionalText<120>>,
    /// Only those who can log in, or only those who are suspended.
    pub active: Option<bool>,
    /// Only guests, who have no password, or only the others. No more than 10,000 are counted then.
    pub guest: Option<bool>,
}

/// A customer in a list.
#[apply(answer!)]
pub struct CustomerSummary {
    /// Of the account.
    pub id: AccountId,
    /// The person's name.
    pub name: String,
    /// As it was entered.
    pub email: Email,
    /// False when suspended.
    pub is_active: bool,
    /// Whether it is a guest's account, without a password.
    pub guest: bool,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// How much there is of what belongs to the account.
    #[serde(rename = "_count")]
    pub count: CustomerCount,
}

/// Counts of what belongs to a customer.
#[apply(answer!)]
#[derive(Copy)]
pub struct CustomerCount {
    /// Orders, whatever became of them.
    pub orders: i64,
}

impl Customers<'_> {
    /// The customers that a filter finds. Of what a search finds no more than 10,000 are counted.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: CustomerFilter) -> Result<Page<CustomerSummary>> {
        self.cx.db().read("customer.list", move |tx| list(tx, &filter)).await
    }
}

/// How customers are found.
enum Search {
    /// All of them.
    All,
    /// By how the e-mail begins, lower-case.
    Email(String),
    /// By words.
    Words(Vec<SearchWord>),
}

impl Search {
    fn of(text: &str) -> Self {
        match text.find('@') {
            _ if text.is_empty() => Self::All,
            Some(at) if at > 0 => Self::Email(text.to_lowercase()),
            _ => Self::Words(query_words(text).into_iter().map(SearchWord::Beginning).collect()),
        }
    }
}

/// The customers that a search finds, at most so many: of those found by words, the latest.
pub(super) fn matching(tx: &mut dyn Tx, text: &str, limit: i64) -> Result<Vec<AccountId>> {
    match Search::of(text) {
        Search::All => Ok(Vec::new()),
        Search::Email(prefix) => {
            let end = format!("{prefix}\u{10FFFF}");
            tx.list(
                "SELECT id FROM account WHERE email_key >= $1 AND email_key < $2 LIMIT $3",
                params![&prefix, &end, limit],
            )
        }
        Search::Words(words) if words.is_empty() => Ok(Vec::new()),
        Search::Words(words) => {
            let dialect = tx.dialect();
            let pattern = (dialect.state_pattern)(&words, None);
            let sql = format!(
                "SELECT e.account_id FROM (SELECT pk FROM ({}) found LIMIT $2) hit
                 JOIN customer_entry e ON e.pk = hit.pk",
                (dialect.text_search)("customer_search")
            );
            tx.list(&sql, params![&pattern, limit])
        }
    }
}

fn list(tx: &mut dyn Tx, wanted: &CustomerFilter) -> Result<Page<CustomerSummary>> {
    let request = PageRequest::of(wanted.page, wanted.limit);
    let text = wanted.search.as_ref().map_or("", OptionalText::as_str);
    let (total, data) = match Search::of(text) {
        Search::All => all(tx, wanted, request)?,
        Search::Email(prefix) => by_email(tx, &prefix, wanted, request)?,
        Search::Words(words) if words.is_empty() => (0, Vec::new()),
        Search::Words(words) => by_words(tx, &words, wanted, request)?,
    };
    Ok(Page { data, pagination: Pagination::new(request, total) })
}

type Found = (i64, Vec<CustomerSummary>);

/// One index holds them in their order. How many there are is kept, but for those of guests and of
/// the others, who are counted.
fn all(tx: &mut dyn Tx, wanted: &CustomerFilter, request: PageRequest) -> Result<Found> {
    let mut filter = Filter::default();
    filter.compare("role =", Some(Role::Customer.as_str()));
    filter.compare("guest =", wanted.guest);
    filter.compare("active =", wanted.active);
    let conditions = filter.sql().to_owned();
    let total = if wanted.guest.is_some() {
        let some = format!("SELECT id FROM account{conditions} LIMIT {COUNTED}");
        tx.value(&format!("SELECT count(*) FROM ({some}) hit"), filter.params())?
    } else {
        let mut counters = Filter::default();
        counters.compare("active =", wanted.active);
        let counted =
            format!("SELECT coalesce(sum(customers), 0) FROM customer_tally{}", counters.sql());
        tx.value(&counted, counters.params())?
    };
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let ids = format!(
        "SELECT id FROM account{conditions}
         ORDER BY created_at DESC, id DESC LIMIT {limit} OFFSET {offset}"
    );
    Ok((total, summaries(tx, &ids, filter.params())?))
}

/// The range of e-mails comes first and alone: the planner would take it for larger than all that
/// are customers.
fn by_email(
    tx: &mut dyn Tx,
    prefix: &str,
    wanted: &CustomerFilter,
    request: PageRequest,
) -> Result<Found> {
    let end = format!("{prefix}\u{10FFFF}");
    let mut filter = Filter::default();
    let (from, to) = (filter.bind(prefix), filter.bind(&end));
    let near = format!(
        "SELECT id, created_at, role, active, guest FROM account
         WHERE email_key >= {from} AND email_key < {to} LIMIT {COUNTED}"
    );
    filter.compare("role =", Some(Role::Customer.as_str()));
    filter.compare("active =", wanted.active);
    filter.compare("guest =", wanted.guest);
    let hits = format!("SELECT id, created_at FROM ({near}) near{}", filter.sql());
    let total = tx.value(&format!("SELECT count(*) FROM ({hits}) hit"), filter.params())?;
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let ids = format!(
        "SELECT id FROM ({hits}) found ORDER BY created_at DESC, id DESC LIMIT {limit} OFFSET {offset}"
    );
    Ok((total, summaries(tx, &ids, filter.params())?))
}

/// What is found is read once, for the page and for the count.
fn by_words(
    tx: &mut dyn Tx,
    words: &[SearchWord],
    wanted: &CustomerFilter,
    request: PageRequest,
) -> Result<Found> {
    let dialect = tx.dialect();
    let state = wanted.active.map(|active| if active { "active" } else { "suspended" });
    let pattern = (dialect.state_pattern)(words, state);
    let search = (dialect.text_search)("customer_search");
    let hits = format!("SELECT pk FROM ({search}) hit LIMIT {COUNTED}");
    let pks = match wanted.guest {
        None => tx.list::<i64>(&hits, params![&pattern])?,
        Some(guest) => {
            let those = format!(
                "SELECT hit.pk FROM ({hits}) hit CROSS JOIN customer_entry e CROSS JOIN account a
                 WHERE e.pk = hit.pk AND a.id = e.account_id AND a.guest = $2 ORDER BY hit.pk DESC"
            );
            tx.list::<i64>(&those, params![&pattern, guest])?
        }
    };
    let page = placed(request.slice(&pks).iter().copied());
    let ids = format!("SELECT account_id AS id FROM customer_entry WHERE pk IN ({})", *PLACES);
    let total = i64::try_from(pks.len()).unwrap_or(COUNTED);
    Ok((total, summaries(tx, &ids, &page)?))
}

/// The customers whose ids a query gives, latest first. `CROSS JOIN`: the ids come first.
fn summaries(tx: &mut dyn Tx, ids: &str, params: &[Param<'_>]) -> Result<Vec<CustomerSummary>> {
    let sql = format!(
        "SELECT a.id, a.name, a.email, a.active, a.guest, a.created_at,
           (SELECT count(*) FROM orders o WHERE o.account_id = a.id)
         FROM ({ids}) hit CROSS JOIN account a WHERE a.id = hit.id
         ORDER BY a.created_at DESC, a.id DESC"
    );
    tx.list(&sql, params)
}

read_columns!(CustomerSummary: id, name, email, is_active, guest, created_at, count);
read_columns!(CustomerCount: orders);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    #[tokio::test]
    async fn no_list_of_customers_looks_at_an_account_that_it_does_not_show() {
        for search in ["", "ana", "ana souza", "ana@example.com", "@example"] {
            for (active, guest) in [(None, None), (Some(true), None), (None, Some(true))] {
                let search = search.parse().ok();
                let by_email = matches!(&search, Some(text) if format!("{text}").contains("a@"));
                let filter = CustomerFilter { search, active, guest, ..CustomerFilter::default() };
                let job = move |tx: &mut dyn Tx| list(tx, &filter).map(drop);
                let plan = explain::plan(job).await;
                assert!(plan.len() > 3, "{plan:?}");
                let subqueries = ["hit", "found", "near", "customer_tally"];
                assert_eq!(explain::costly(&plan, &subqueries), [""; 0], "{plan:#?}");
                let range = plan.iter().any(|step| step.contains("email_key>"));
                assert_eq!(range, by_email, "{plan:#?}");
            }
        }
    }

    #[test]
    fn a_text_with_an_at_is_the_beginning_of_an_e_mail() {
        let of = |text: &str| match Search::of(text) {
            Search::All => "all".to_owned(),
            Search::Email(prefix) => prefix,
            Search::Words(words) => format!("{} words", words.len()),
        };
        assert_eq!(of(""), "all");
        assert_eq!(of("Ana@Ex"), "ana@ex");
        assert_eq!(of("@example.com"), "2 words");
        assert_eq!(of("Ana Souza"), "2 words");
        assert_eq!(of("!?"), "0 words");
    }
}
