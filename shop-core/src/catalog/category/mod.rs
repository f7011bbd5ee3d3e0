//! Categories: groups of products, by which shoppers browse.

mod store;

use serde::{Deserialize, Serialize};

pub(crate) use self::store::insert;
pub(super) use self::store::{check, id_of, id_on_sale, refs_on_sale};
use crate::actor::Actor;
use crate::audit;
use crate::catalog::edit;
use crate::context::Context;
use crate::error::Result;
use crate::id::CategoryId;
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::words::fold;
use crate::value::{OptionalText, PictureUrl, Slug, Text};

/// A category.
#[apply(answer!)]
pub struct Category {
    /// UUID version 7, set by the shop.
    pub id: CategoryId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses, unique.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
    /// Plain text.
    pub description: Option<String>,
    /// Address of a picture.
    pub image: Option<String>,
    /// Whether shoppers see it.
    pub active: bool,
    /// How many products stand in it: for shoppers those on sale, for staff all.
    pub product_count: i64,
}

/// A category as its products name it.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct CategoryRef {
    /// UUID version 7, set by the shop.
    pub id: CategoryId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
}

/// A category to be added.
#[apply(input!)]
#[derive(PartialEq, Eq)]
pub struct NewCategory {
    /// What shoppers call it.
    pub name: Text<2, 120>,
    /// Its name in addresses; made from the name where it is not given.
    #[serde(default)]
    pub slug: Option<Slug>,
    /// Plain text.
    #[serde(default)]
    pub description: Option<OptionalText<2000>>,
    /// Address of a picture.
    #[serde(default)]
    pub image: Option<PictureUrl>,
    /// Whether shoppers see it at once.
    #[serde(default = "visible")]
    pub active: bool,
}

fn visible() -> bool {
    true
}

/// What staff change of a category; fields that are absent stay.
#[apply(patch!)]
#[cfg_attr(feature = "schema", schemars(rename = "PatchCategory"))]
pub struct CategoryPatch {
    /// What shoppers call it.
    pub name: Option<Text<2, 120>>,
    /// Its name in addresses.
    pub slug: Option<Slug>,
    /// Plain text; null clears it.
    pub description: Option<Option<OptionalText<2000>>>,
    /// Address of a picture; null clears it.
    pub image: Option<Option<PictureUrl>>,
    /// Whether shoppers see it.
    pub active: Option<bool>,
}

/// What a revision of a category covers, and the audit log compares.
#[derive(PartialEq, Serialize)]
struct CategoryState<'a> {
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    image: Option<&'a str>,
    active: bool,
}

revised! {
    /// The state of what staff say about it, for a later [`Categories::update`].
    Category |it| &it.state();
}

impl Category {
    fn state(&self) -> CategoryState<'_> {
        CategoryState {
            name: &self.name,
            slug: self.slug.as_str(),
            description: self.description.as_deref(),
            image: self.image.as_deref(),
            active: self.active,
        }
    }

    fn patched(&self, patch: &CategoryPatch) -> Self {
        Self {
            name: patch.name.as_ref().map_or(self.name.clone(), ToString::to_string),
            slug: patch.slug.clone().unwrap_or_else(|| self.slug.clone()),
            description: match &patch.description {
                Some(text) => text.as_ref().map(ToString::to_string),
                None => self.description.clone(),
            },
            image: match &patch.image {
                Some(url) => url.as_ref().map(ToString::to_string),
                None => self.image.clone(),
            },
            active: patch.active.unwrap_or(self.active),
            ..self.clone()
        }
    }
}

/// The shop's categories.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::catalog::NewCategory;
///
/// let new: NewCategory = serde_json::from_str(r#"{ "name": "Velas Aromáticas" }"#)?;
/// shop.categories().create(&Actor::System, new).await?;
/// assert_eq!(shop.categories().list().await?[0].slug, "velas-aromaticas");
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Categories<'a> {
    cx: &'a Context,
}

impl Categories<'_> {
    /// The categories that shoppers see, by name.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self) -> Result<Vec<Category>> {
        let job = |tx: &mut dyn Tx| store::list_shown(tx);
        self.cx.db().read_public("category.list", job).await.map(by_name)
    }

    /// All categories with the number of all their products, by name.
    ///
    /// Cancel safe: reads only.
    pub async fn list_for_admin(&self) -> Result<Vec<Category>> {
        let job = |tx: &mut dyn Tx| store::list(tx);
        self.cx.db().read("category.list_for_admin", job).await.map(by_name)
    }

    /// Adds a category.
    ///
    /// # Errors
    /// [`Conflict::Slug`](crate::error::Conflict::Slug) when another has its slug,
    /// [`Error::Invalid`](crate::Error::Invalid) when its name gives none.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(&self, by: &Actor, new: NewCategory) -> Result<Category> {
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let made = store::insert(tx, &at, &new)?;
            let id = made.id.as_str();
            audit::record(tx, &at, &by, "category.create", id, &(), &made.state())?;
            Ok(made)
        };
        edit(self.cx, "category.create", job).await
    }

    /// Changes what the patch names of a category, in the state that the caller saw, where one is
    /// given.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound); [`Conflict`](crate::error::Conflict) when
    /// another has the slug, and when the category changed meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        by: &Actor,
        id: &CategoryId,
        patch: CategoryPatch,
        expected: Option<Revision>,
    ) -> Result<Category> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let before = store::find(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            let after = before.patched(&patch);
            if after != before {
                store::update(tx, &after)?;
                let (old, new) = (&before.state(), &after.state());
                audit::record(tx, &at, &by, "category.update", id.as_str(), old, new)?;
            }
            Ok(after)
        };
        edit(self.cx, "category.update", job).await
    }

    /// Deletes a category, in the state that the caller saw, where one is given.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound); [`Conflict`](crate::error::Conflict) when
    /// products, on sale or not, stand in it, and when it changed meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete(
        &self,
        by: &Actor,
        id: &CategoryId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let found = store::find(tx, &id)?;
            found.revision()?.check(expected.as_ref())?;
            store::delete(tx, &id)?;
            audit::record(tx, &at, &by, "category.delete", id.as_str(), &found.state(), &())
        };
        edit(self.cx, "category.delete", job).await
    }
}

fn by_name(mut categories: Vec<Category>) -> Vec<Category> {
    categories.sort_by_cached_key(|category| (fold(&category.name), category.id.clone()));
    categories
}
