//! What the site shows beside the catalogue: pages that staff put together with a page builder, the
//! ids of the site at services that measure visits, and what the law wants shoppers to know.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::actor::Actor;
use crate::area;
use crate::audit;
use crate::clock::Timestamp;
use crate::config::Seller;
use crate::context::{Context, Work};
use crate::error::{Error, Result};
use crate::lane;
use crate::revision::Revision;
use crate::storage::{Tx, params};
use crate::value::{AnalyticsId, InvalidValue, inline_schema};

/// The key of the ids of analytics.
const ANALYTICS: &str = "analytics";

/// A page that staff put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitePage {
    /// The first page of the site.
    Home,
    /// The page about the shop.
    About,
}

impl SitePage {
    fn key(self) -> &'static str {
        match self {
            Self::Home => "pagebuilder",
            Self::About => "pagebuilder-about",
        }
    }
}

/// What a page builder keeps of a page: a JSON object of at most a mebibyte. It is kept as it was
/// written, with its order and its numbers, for only the page builder knows what it means.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct PageData(Box<RawValue>);

impl PageData {
    /// The largest there is, in bytes.
    pub const MAX: usize = 1024 * 1024;

    /// As it was written.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl TryFrom<Box<RawValue>> for PageData {
    type Error = InvalidValue;

    fn try_from(raw: Box<RawValue>) -> Result<Self, Self::Error> {
        if !raw.get().starts_with('{') {
            Err(InvalidValue::NotAnObject)
        } else if raw.get().len() > Self::MAX {
            Err(InvalidValue::TooLarge { most_mib: 1 })
        } else {
            Ok(Self(raw))
        }
    }
}

impl<'de> Deserialize<'de> for PageData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

inline_schema!(PageData, { "type": "object", "additionalProperties": true });

/// A page to be published.
#[apply(input!)]
pub struct PublishPage {
    /// What the page builder made, at most 1 MiB.
    pub data: PageData,
}

/// A page as it is published.
#[apply(inexact_answer!)]
pub struct PublishedPage {
    /// What the page builder made; null before the first time.
    pub data: Option<PageData>,
    /// Since when.
    pub updated_at: Option<Timestamp>,
    /// Names this state.
    #[serde(skip)]
    pub revision: Revision,
}

/// The ids of the site at services that measure visits.
#[apply(answer!)]
#[derive(Default, Deserialize)]
pub struct Analytics {
    /// At the service that counts visits.
    pub web_analytics_id: Option<AnalyticsId>,
    /// At the service that shows advertisements.
    pub ad_pixel_id: Option<AnalyticsId>,
    /// At the service that records clicks.
    pub heatmap_id: Option<AnalyticsId>,
}

/// What changes of the ids; fields that are absent stay, null or an empty text clears.
#[apply(patch!)]
pub struct AnalyticsPatch {
    /// At the service that counts visits.
    pub web_analytics_id: Option<Option<AnalyticsId>>,
    /// At the service that shows advertisements.
    pub ad_pixel_id: Option<Option<AnalyticsId>>,
    /// At the service that records clicks.
    pub heatmap_id: Option<Option<AnalyticsId>>,
}

/// The settings that the site shows to everyone.
#[apply(inexact_answer!)]
pub struct PublicSettings {
    /// For the site's scripts.
    pub analytics: Analytics,
    /// The first page; null before it is published.
    pub pagebuilder: Option<PageData>,
    /// The page about the shop; null before it is published.
    pub pagebuilder_about: Option<PageData>,
    /// Who sells, which the law wants each page to show (Decreto 7.962/2013, art. 2): the company
    /// of the settings (`nfe.company`); null while its name, number or address is not set.
    pub seller: Option<Seller>,
    /// Days after delivery within which a customer may withdraw from a purchase without a reason.
    pub withdrawal_days: u32,
}

/// What the site shows: [`Shop::site`](crate::Shop::site).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::site::{PublishPage, SitePage};
///
/// let home: PublishPage = serde_json::from_str(r#"{ "data": { "title": "Velas" } }"#)?;
/// shop.site().publish(&Actor::System, SitePage::Home, home, None).await?;
/// assert!(shop.site().get_public().await?.pagebuilder.is_some());
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Site<'a> {
    cx: &'a Context,
}

impl Site<'_> {
    /// The settings that the site shows to everyone.
    ///
    /// Cancel safe: reads only.
    pub async fn get_public(&self) -> Result<PublicSettings> {
        let seller = self.cx.config().seller();
        let withdrawal_days = self.cx.config().returns.withdrawal_days;
        let job = move |tx: &mut dyn Tx| {
            Ok(PublicSettings {
                analytics: analytics(tx)?,
                pagebuilder: page(tx, SitePage::Home)?.data,
                pagebuilder_about: page(tx, SitePage::About)?.data,
                seller: seller.clone(),
                withdrawal_days,
            })
        };
        self.cx.db().read_public("site.public", job).await
    }

    /// A page as it is published.
    ///
    /// Cancel safe: reads only.
    pub async fn get_page(&self, which: SitePage) -> Result<PublishedPage> {
        self.cx.db().read("site.page", move |tx| page(tx, which)).await
    }

    /// Publishes a page, in place of the one before.
    ///
    /// # Errors
    /// [`crate::error::Conflict::Changed`] where the page is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn publish(
        &self,
        by: &Actor,
        which: SitePage,
        new: PublishPage,
        expected: Option<Revision>,
    ) -> Result<Revision> {
        let (by, at) = (by.clone(), self.cx.work());
        // Here and not in the job, which others wait for.
        let revision = Revision::of(&new.data)?;
        let job = move |tx: &mut dyn Tx| {
            let before = stored_revision(tx, which.key())?;
            before.check(expected.as_ref())?;
            if revision == before {
                return Ok(before);
            }
            save(tx, &at, which.key(), new.data.as_str(), &revision)?;
            note(tx, &at, &by, which.key(), &Published::of(&before), &Published::of(&revision))?;
            Ok(revision.clone())
        };
        self.cx.db().write(lane::CATALOG, "site.publish", job).await
    }

    /// The ids of analytics.
    ///
    /// Cancel safe: reads only.
    pub async fn get_analytics(&self) -> Result<Analytics> {
        self.cx.db().lookup("site.analytics", analytics).await
    }

    /// Changes the ids that the patch names.
    ///
    /// # Errors
    /// [`crate::error::Conflict::Changed`] where they are not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_analytics(
        &self,
        by: &Actor,
        patch: AnalyticsPatch,
        expected: Option<Revision>,
    ) -> Result<Analytics> {
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let before = analytics(tx)?;
            before.revision()?.check(expected.as_ref())?;
            let after = before.clone().patched(&patch);
            if after == before {
                return Ok(before);
            }
            let json = serde_json::to_string(&after).map_err(Error::from_source)?;
            save(tx, &at, ANALYTICS, &json, &after.revision()?)?;
            note(tx, &at, &by, ANALYTICS, &before, &after)?;
            Ok(after)
        };
        self.cx.db().write(lane::CATALOG, "site.update_analytics", job).await
    }
}

revised! {
    /// The state that staff see and change.
    Analytics |it| it;
}

impl Analytics {
    fn patched(self, patch: &AnalyticsPatch) -> Self {
        let AnalyticsPatch { web_analytics_id, ad_pixel_id, heatmap_id } = patch;
        let changed = |old: Option<AnalyticsId>, new: &Option<Option<AnalyticsId>>| match new {
            None => old,
            Some(new) => new.clone().filter(|id| !id.as_str().is_empty()),
        };
        Self {
            web_analytics_id: changed(self.web_analytics_id, web_analytics_id),
            ad_pixel_id: changed(self.ad_pixel_id, ad_pixel_id),
            heatmap_id: changed(self.heatmap_id, heatmap_id),
        }
    }
}

/// What the audit log keeps of a page: its data would fill the log.
#[derive(Serialize)]
struct Published {
    revision: String,
}

impl Published {
    fn of(revision: &Revision) -> Self {
        Self { revision: revision.to_string() }
    }
}

fn note(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    key: &str,
    before: &impl Serialize,
    after: &impl Serialize,
) -> Result<()> {
    audit::record(tx, at, by, "settings.update", key, before, after)
}

fn page(tx: &mut dyn Tx, which: SitePage) -> Result<PublishedPage> {
    let found = tx.one(
        "SELECT value, updated_at, revision FROM site_setting WHERE key = $1",
        params![which.key()],
        |row| {
            let raw = RawValue::from_string(row.get(0)?).map_err(Error::from_source)?;
            let revision: String = row.get(2)?;
            Ok(PublishedPage {
                data: Some(PageData(raw)),
                updated_at: row.get(1)?,
                revision: revision.parse().map_err(Error::from_source)?,
            })
        },
    )?;
    match found {
        Some(page) => Ok(page),
        None => Ok(PublishedPage { data: None, updated_at: None, revision: Revision::of(&())? }),
    }
}

fn stored_revision(tx: &mut dyn Tx, key: &str) -> Result<Revision> {
    let found: Option<String> =
        tx.find("SELECT revision FROM site_setting WHERE key = $1", params![key])?;
    match found {
        Some(text) => text.parse().map_err(Error::from_source),
        None => Revision::of(&()),
    }
}

fn analytics(tx: &mut dyn Tx) -> Result<Analytics> {
    let found =
        tx.one("SELECT value FROM site_setting WHERE key = $1", params![ANALYTICS], |row| {
            serde_json::from_str(row.text(0)?.unwrap_or_default()).map_err(Error::from_source)
        })?;
    Ok(found.unwrap_or_default())
}

fn save(tx: &mut dyn Tx, at: &Work, key: &str, value: &str, revision: &Revision) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.run(
        "INSERT INTO site_setting (key, value, revision, updated_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision,
           updated_at = excluded.updated_at",
        params![key, value, &revision.to_string(), at.now()],
    )
}
