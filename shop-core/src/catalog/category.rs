//! Categories: the shelves that products stand on.

use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::area;
use crate::audit;
use crate::context::{Context, Work};
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::CategoryId;
use crate::lane;
use crate::revision::Revision;
use crate::storage::{Param, Row, Tx};
use crate::value::words::fold;
use crate::value::{OptionalText, PictureUrl, Slug, Text, not_null, nullable};

/// How many of the products that keep a category from being deleted are named.
const NAMED: usize = 10;

/// A category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Category {
    /// Its own id.
    pub id: CategoryId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses, unique.
    pub slug: String,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryRef {
    /// Its own id.
    pub id: CategoryId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses.
    pub slug: String,
}

impl CategoryRef {
    /// Reads three columns that are all `NULL` where there is no category.
    pub(super) fn read(row: &dyn Row, first: usize) -> Result<Option<Self>> {
        let Some(id) = row.get(first)? else { return Ok(None) };
        Ok(Some(Self { id, name: row.get(first + 1)?, slug: row.get(first + 2)? }))
    }
}

/// A category to be added.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
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
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PatchCategory {
    /// What shoppers call it.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Text<2, 120>"))]
    pub name: Option<Text<2, 120>>,
    /// Its name in addresses.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Slug"))]
    pub slug: Option<Slug>,
    /// Plain text; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub description: Option<Option<OptionalText<2000>>>,
    /// Address of a picture; null clears it.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub image: Option<Option<PictureUrl>>,
    /// Whether shoppers see it.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "bool"))]
    pub active: Option<bool>,
}

/// What a revision of a category covers, and the audit log compares.
#[derive(PartialEq, Serialize)]
struct Sheet<'a> {
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    image: Option<&'a str>,
    active: bool,
}

impl Category {
    /// The state of what staff say about it, for a later [`Categories::update`].
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written as JSON.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(&self.sheet())
    }

    fn sheet(&self) -> Sheet<'_> {
        Sheet {
            name: &self.name,
            slug: &self.slug,
            description: self.description.as_deref(),
            image: self.image.as_deref(),
            active: self.active,
        }
    }

    fn patched(&self, patch: &PatchCategory) -> Self {
        Self {
            name: patch.name.as_ref().map_or(self.name.clone(), ToString::to_string),
            slug: patch.slug.as_ref().map_or(self.slug.clone(), ToString::to_string),
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
#[derive(Debug, Clone, Copy)]
pub struct Categories<'a> {
    cx: &'a Context,
}

impl<'a> Categories<'a> {
    pub(crate) fn new(cx: &'a Context) -> Self {
        Self { cx }
    }

    /// The categories that shoppers see, by name.
    pub async fn list(&self) -> Result<Vec<Category>> {
        let job = |tx: &mut dyn Tx| select(tx, ON_SALE, "WHERE c.active = 1", &[]);
        self.cx.db().read_public("category.list", job).await.map(by_name)
    }

    /// All categories with the number of all their products, by name.
    pub async fn list_for_admin(&self) -> Result<Vec<Category>> {
        let job = |tx: &mut dyn Tx| select(tx, "", "", &[]);
        self.cx.db().read("category.list_for_admin", job).await.map(by_name)
    }

    /// Adds a category.
    ///
    /// # Errors
    /// [`Conflict::Slug`] when another has its slug, [`Error::Invalid`] when its name gives none.
    pub async fn create(&self, by: &Actor, new: NewCategory) -> Result<Category> {
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let made = insert(tx, &at, &new)?;
            let id = made.id.as_str();
            audit::record(tx, &at, &by, "category.create", id, &(), &made.sheet())?;
            Ok(made)
        };
        self.cx.db().write(lane::CATALOG, "category.create", job).await
    }

    /// Changes what the patch names of a category, in the state that the caller saw, where he says
    /// which.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict`] when another has the slug or somebody else changed it.
    pub async fn update(
        &self,
        by: &Actor,
        id: &CategoryId,
        patch: PatchCategory,
        expected: Option<Revision>,
    ) -> Result<Category> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let before = find(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            let after = before.patched(&patch);
            if after != before {
                save(tx, &after)?;
                let (old, new) = (&before.sheet(), &after.sheet());
                audit::record(tx, &at, &by, "category.update", id.as_str(), old, new)?;
            }
            Ok(after)
        };
        self.cx.db().write(lane::CATALOG, "category.update", job).await
    }

    /// Deletes a category.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::InUse`] when products, on sale or not, stand in it.
    pub async fn delete(&self, by: &Actor, id: &CategoryId) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let found = find(tx, &id)?;
            refuse_use(tx, &id)?;
            tx.touch(area::CATALOG);
            tx.execute("DELETE FROM category WHERE id = $1", &[(&id).into()])?;
            audit::record(tx, &at, &by, "category.delete", id.as_str(), &found.sheet(), &())
        };
        self.cx.db().write(lane::CATALOG, "category.delete", job).await
    }
}

fn by_name(mut categories: Vec<Category>) -> Vec<Category> {
    categories.sort_by_cached_key(|category| (fold(&category.name), category.id.clone()));
    categories
}

pub(crate) fn insert(tx: &mut dyn Tx, at: &Work, new: &NewCategory) -> Result<Category> {
    let slug = match &new.slug {
        Some(slug) => slug.clone(),
        None => Slug::from_name(new.name.as_str()).map_err(|bad| Error::field("slug", bad))?,
    };
    let category = Category {
        id: at.id(),
        name: new.name.to_string(),
        slug: slug.to_string(),
        description: new.description.as_ref().map(ToString::to_string),
        image: new.image.as_ref().map(ToString::to_string),
        active: new.active,
        product_count: 0,
    };
    tx.touch(area::CATALOG);
    tx.one(
        "INSERT INTO category (id, name, slug, description, image, active, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (slug) DO NOTHING RETURNING id",
        &[
            (&category.id).into(),
            (&category.name).into(),
            (&category.slug).into(),
            category.description.as_ref().into(),
            category.image.as_ref().into(),
            category.active.into(),
            at.now().into(),
        ],
        |_| Ok(()),
    )?
    .ok_or(Error::Conflict(Conflict::Slug))?;
    Ok(category)
}

/// The category with this slug, if there is one.
pub(super) fn id_of(tx: &mut dyn Tx, slug: &str) -> Result<Option<CategoryId>> {
    tx.one("SELECT id FROM category WHERE slug = $1", &[slug.into()], |row| row.get(0))
}

fn find(tx: &mut dyn Tx, id: &CategoryId) -> Result<Category> {
    let found = select(tx, "AND category_id = $1", "WHERE c.id = $1", &[id.into()])?;
    found.into_iter().next().ok_or(Error::NotFound(Entity::Category))
}

fn refuse_use(tx: &mut dyn Tx, id: &CategoryId) -> Result<()> {
    let sql = format!("SELECT name FROM product WHERE category_id = $1 LIMIT {NAMED}");
    let names: Vec<String> = tx.all(&sql, &[id.into()], |row| row.get(0))?;
    if names.is_empty() { Ok(()) } else { Err(Error::Conflict(Conflict::InUse { names })) }
}

fn save(tx: &mut dyn Tx, category: &Category) -> Result<()> {
    let taken = tx.one(
        "SELECT 1 FROM category WHERE slug = $1 AND id <> $2",
        &[(&category.slug).into(), (&category.id).into()],
        |_| Ok(()),
    )?;
    if taken.is_some() {
        return Err(Error::Conflict(Conflict::Slug));
    }
    tx.touch(area::CATALOG);
    tx.execute(
        "UPDATE category SET name = $1, slug = $2, description = $3, image = $4, active = $5
         WHERE id = $6",
        &[
            (&category.name).into(),
            (&category.slug).into(),
            category.description.as_ref().into(),
            category.image.as_ref().into(),
            category.active.into(),
            (&category.id).into(),
        ],
    )?;
    Ok(())
}

/// Which products count for shoppers.
const ON_SALE: &str = "AND active = 1";

fn select(
    tx: &mut dyn Tx,
    counted: &str,
    wanted: &str,
    params: &[Param<'_>],
) -> Result<Vec<Category>> {
    let sql = format!(
        "SELECT c.id, c.name, c.slug, c.description, c.image, c.active, coalesce(n.products, 0)
         FROM category c LEFT JOIN (
           SELECT category_id, count(*) AS products FROM product
           WHERE category_id IS NOT NULL {counted} GROUP BY category_id) n ON n.category_id = c.id
         {wanted}"
    );
    tx.all(&sql, params, |row| {
        Ok(Category {
            id: row.get(0)?,
            name: row.get(1)?,
            slug: row.get(2)?,
            description: row.get(3)?,
            image: row.get(4)?,
            active: row.get(5)?,
            product_count: row.get(6)?,
        })
    })
}
