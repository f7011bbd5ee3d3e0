//! The kinds of variation ("Tamanho") and their options ("200 g").

mod store;

use serde::Serialize;

pub(super) use self::store::list_types;
pub(super) use self::store::option_named;
use self::store::{
    find_option, find_type, refuse_use, remove_option, remove_type, save_option, save_type,
};
pub(crate) use self::store::{insert_option, insert_type};
use crate::actor::Actor;
use crate::audit;
use crate::catalog::edit;
use crate::context::Context;
use crate::error::Result;
use crate::id::{VariantOptionId, VariantTypeId};
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::{Slug, Text};

/// A kind of variation with its options.
#[apply(answer!)]
pub struct VariantType {
    /// UUID version 7, set by the shop.
    pub id: VariantTypeId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses, unique.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
    /// Its place among the kinds.
    pub order: i64,
    /// What a variant can be, in order.
    pub options: Vec<VariantOption>,
}

/// An option of a kind of variation.
#[apply(answer!)]
pub struct VariantOption {
    /// UUID version 7, set by the shop.
    pub id: VariantOptionId,
    /// What shoppers choose, e.g. "200 g".
    pub value: String,
    /// Its place among the options.
    pub order: i64,
}

/// A kind of variation to be added.
#[apply(input!)]
#[derive(PartialEq, Eq)]
pub struct NewVariantType {
    /// What shoppers call it.
    pub name: Text<1, 60>,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its place among the kinds.
    #[serde(default)]
    pub order: u32,
}

/// An option to be added to a kind of variation.
#[apply(input!)]
#[derive(PartialEq, Eq)]
pub struct NewVariantOption {
    /// What shoppers choose.
    pub value: Text<1, 60>,
    /// Its place among the options.
    #[serde(default)]
    pub order: u32,
}

/// What staff change of a kind of variation; fields that are absent stay.
#[apply(patch!)]
#[cfg_attr(feature = "schema", schemars(rename = "PatchVariantType"))]
pub struct VariantTypePatch {
    /// What shoppers call it.
    pub name: Option<Text<1, 60>>,
    /// Its name in addresses.
    pub slug: Option<Slug>,
    /// Its place among the kinds.
    pub order: Option<u32>,
}

/// What staff change of an option; fields that are absent stay.
#[apply(patch!)]
#[cfg_attr(feature = "schema", schemars(rename = "PatchVariantOption"))]
pub struct VariantOptionPatch {
    /// What shoppers choose.
    pub value: Option<Text<1, 60>>,
    /// Its place among the options.
    pub order: Option<u32>,
}

/// What a revision of a kind covers, and the audit log compares.
#[derive(PartialEq, Serialize)]
struct VariantTypeState<'a> {
    name: &'a str,
    slug: &'a str,
    order: i64,
}

revised! {
    /// The state of it without its options, for a later [`VariantTypes::update`].
    VariantType |it| &it.state();
}

impl VariantType {
    fn state(&self) -> VariantTypeState<'_> {
        VariantTypeState { name: &self.name, slug: self.slug.as_str(), order: self.order }
    }
}

revised! {
    /// The state of it, for a later [`VariantTypes::update_option`].
    VariantOption |it| it;
}

/// The kinds of variation that the shop knows.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::catalog::{NewVariantOption, NewVariantType};
///
/// let new = NewVariantType { name: "Tamanho".parse()?, slug: "tamanho".parse()?, order: 1 };
/// let size = shop.variant_types().create(&Actor::System, new).await?;
/// let large = NewVariantOption { value: "300 g".parse()?, order: 1 };
/// shop.variant_types().create_option(&Actor::System, &size.id, large).await?;
/// assert_eq!(shop.variant_types().list().await?[0].options[0].value, "300 g");
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct VariantTypes<'a> {
    cx: &'a Context,
}

impl VariantTypes<'_> {
    /// All kinds with their options, in the shop's order.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self) -> Result<Vec<VariantType>> {
        self.cx.db().read("variant_type.list", list_types).await
    }

    /// Adds a kind, without options.
    ///
    /// # Errors
    /// [`crate::error::Conflict::Slug`] when another has its slug.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(&self, by: &Actor, new: NewVariantType) -> Result<VariantType> {
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let made = insert_type(tx, &at, &new)?;
            let id = made.id.as_str();
            audit::record(tx, &at, &by, "variant_type.create", id, &(), &made.state())?;
            Ok(made)
        };
        edit(self.cx, "variant_type.create", job).await
    }

    /// Changes what the patch names of a kind, in the state that the caller saw, where one is
    /// given.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`]; [`crate::error::Conflict`] when another has the slug, and when
    /// the kind changed meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        by: &Actor,
        id: &VariantTypeId,
        patch: VariantTypePatch,
        expected: Option<Revision>,
    ) -> Result<VariantType> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let before = find_type(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            let after = before.patched(&patch);
            if after != before {
                save_type(tx, &after)?;
                let (old, new) = (&before.state(), &after.state());
                audit::record(tx, &at, &by, "variant_type.update", id.as_str(), old, new)?;
            }
            Ok(after)
        };
        edit(self.cx, "variant_type.update", job).await
    }

    /// Deletes a kind with its options, in the state that the caller saw, where one is given.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`]; [`crate::error::Conflict`] when variants have an option of it,
    /// and when it changed meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete(
        &self,
        by: &Actor,
        id: &VariantTypeId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let found = find_type(tx, &id)?;
            found.revision()?.check(expected.as_ref())?;
            refuse_use(tx, "o.variant_type_id", id.as_str())?;
            remove_type(tx, &id)?;
            audit::record(tx, &at, &by, "variant_type.delete", id.as_str(), &found, &())
        };
        edit(self.cx, "variant_type.delete", job).await
    }

    /// The options of a kind, in order.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] when there is no such kind.
    ///
    /// Cancel safe: reads only.
    pub async fn list_options(&self, kind: &VariantTypeId) -> Result<Vec<VariantOption>> {
        let kind = kind.clone();
        let job = move |tx: &mut dyn Tx| find_type(tx, &kind).map(|found| found.options);
        self.cx.db().read("variant_option.list", job).await
    }

    /// Adds an option to a kind.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] when there is no such kind,
    /// [`crate::error::Conflict::VariantOption`] when it has this option.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create_option(
        &self,
        by: &Actor,
        kind: &VariantTypeId,
        new: NewVariantOption,
    ) -> Result<VariantOption> {
        let (by, at, kind) = (by.clone(), self.cx.work(), kind.clone());
        let job = move |tx: &mut dyn Tx| {
            let made = insert_option(tx, &at, &kind, &new)?;
            let id = made.id.as_str();
            audit::record(tx, &at, &by, "variant_option.create", id, &(), &made)?;
            Ok(made)
        };
        edit(self.cx, "variant_option.create", job).await
    }

    /// Changes what the patch names of an option, in the state that the caller saw, where one is
    /// given.
    ///
    /// # Errors
    /// As [`VariantTypes::create_option`], and when the option changed meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_option(
        &self,
        by: &Actor,
        kind: &VariantTypeId,
        id: &VariantOptionId,
        patch: VariantOptionPatch,
        expected: Option<Revision>,
    ) -> Result<VariantOption> {
        let (by, at) = (by.clone(), self.cx.work());
        let (kind, id) = (kind.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let before = find_option(tx, &kind, &id)?;
            before.revision()?.check(expected.as_ref())?;
            let after = before.patched(&patch);
            if after != before {
                save_option(tx, &kind, &after)?;
                let name = "variant_option.update";
                audit::record(tx, &at, &by, name, id.as_str(), &before, &after)?;
            }
            Ok(after)
        };
        edit(self.cx, "variant_option.update", job).await
    }

    /// Deletes an option, in the state that the caller saw, where one is given.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`]; [`crate::error::Conflict`] when variants have it, and when it
    /// changed meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete_option(
        &self,
        by: &Actor,
        kind: &VariantTypeId,
        id: &VariantOptionId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, at) = (by.clone(), self.cx.work());
        let (kind, id) = (kind.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let found = find_option(tx, &kind, &id)?;
            found.revision()?.check(expected.as_ref())?;
            refuse_use(tx, "o.id", id.as_str())?;
            remove_option(tx, &id)?;
            audit::record(tx, &at, &by, "variant_option.delete", id.as_str(), &found, &())
        };
        edit(self.cx, "variant_option.delete", job).await
    }
}

impl VariantType {
    fn patched(&self, patch: &VariantTypePatch) -> Self {
        Self {
            name: patch.name.as_ref().map_or(self.name.clone(), ToString::to_string),
            slug: patch.slug.clone().unwrap_or_else(|| self.slug.clone()),
            order: patch.order.map_or(self.order, i64::from),
            ..self.clone()
        }
    }
}

impl VariantOption {
    fn patched(&self, patch: &VariantOptionPatch) -> Self {
        Self {
            id: self.id.clone(),
            value: patch.value.as_ref().map_or(self.value.clone(), ToString::to_string),
            order: patch.order.map_or(self.order, i64::from),
        }
    }
}
