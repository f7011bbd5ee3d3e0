//! Categories: the shelves that products stand on.

use serde::{Deserialize, Serialize};

use super::words::fold;
use crate::error::{Conflict, Error, Result};
use crate::id::{CategoryId, Moment};
use crate::shop::Shop;
use crate::storage::{Row, Tx};
use crate::value::{OptionalText, PictureUrl, Slug, Text};

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
    /// How many products on sale stand in it.
    pub product_count: i64,
}

/// A category as its products name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// The shop's categories.
#[derive(Debug, Clone, Copy)]
pub struct Categories<'a> {
    shop: &'a Shop,
}

impl<'a> Categories<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop }
    }

    /// The categories that shoppers see, by name.
    pub async fn list(&self) -> Result<Vec<Category>> {
        let mut categories = self.shop.db().read("category.list", list_active).await?;
        categories.sort_by_cached_key(|category| (fold(&category.name), category.id.clone()));
        Ok(categories)
    }

    /// Adds a category.
    ///
    /// # Errors
    /// [`Conflict::Slug`] when another has its slug, [`Error::Invalid`] when its name gives none.
    pub async fn create(&self, new: NewCategory) -> Result<Category> {
        let at = self.shop.moment();
        let job = move |tx: &mut dyn Tx| insert(tx, &at, &new);
        self.shop.db().write("category.create", job).await
    }
}

pub(crate) fn insert(tx: &mut dyn Tx, at: &Moment, new: &NewCategory) -> Result<Category> {
    let slug = match &new.slug {
        Some(slug) => slug.clone(),
        None => Slug::from_name(new.name.as_str()).map_err(|bad| Error::field("slug", bad.0))?,
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

fn list_active(tx: &mut dyn Tx) -> Result<Vec<Category>> {
    tx.all(
        "SELECT c.id, c.name, c.slug, c.description, c.image, c.active, coalesce(n.products, 0)
         FROM category c LEFT JOIN (
           SELECT category_id, count(*) AS products FROM product WHERE active = 1
           GROUP BY category_id) n ON n.category_id = c.id
         WHERE c.active = 1",
        &[],
        |row| {
            Ok(Category {
                id: row.get(0)?,
                name: row.get(1)?,
                slug: row.get(2)?,
                description: row.get(3)?,
                image: row.get(4)?,
                active: row.get(5)?,
                product_count: row.get(6)?,
            })
        },
    )
}
