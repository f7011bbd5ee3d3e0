//! The SQL of kinds of variation and their options: the only writes of `variant_type` and
//! `variant_option`.

use super::{NewVariantOption, NewVariantType, VariantOption, VariantType};
use crate::area;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{VariantOptionId, VariantTypeId};
use crate::storage::{Param, Tx, params, read_columns};
use crate::value::{Slug, Text};

/// How many of those that stand in the way of a deletion are named.
const NAMED: usize = 10;

/// Refuses to delete what variants have, and names the first of them.
pub(super) fn refuse_use(tx: &mut dyn Tx, column: &str, id: &str) -> Result<()> {
    let sql = format!(
        "SELECT p.name, o.value FROM variant_option o
         JOIN variant_value vv ON vv.variant_option_id = o.id
         JOIN variant v ON v.id = vv.variant_id JOIN product p ON p.id = v.product_id
         WHERE {column} = $1 LIMIT {NAMED}"
    );
    let names = tx.all(&sql, params![id], |row| {
        Ok(format!("{} ({})", row.get::<String>(0)?, row.get::<String>(1)?))
    })?;
    if names.is_empty() { Ok(()) } else { Err(Error::Conflict(Conflict::InUse { names })) }
}

pub(in crate::catalog) fn list_types(tx: &mut dyn Tx) -> Result<Vec<VariantType>> {
    let sql = "SELECT id, name, slug, position FROM variant_type ORDER BY position, name";
    let mut types: Vec<VariantType> = tx.list(sql, &[])?;
    tx.query(
        "SELECT id, value, position, variant_type_id FROM variant_option ORDER BY position, value",
        &[],
        &mut |row| {
            let kind = row.text(3)?.unwrap_or_default();
            if let Some(found) = types.iter_mut().find(|t| t.id.as_str() == kind) {
                found.options.push(row.get(0)?);
            }
            Ok(())
        },
    )?;
    Ok(types)
}

read_columns!(VariantType: id, name, slug, order; options: Vec::new());

read_columns!(VariantOption: id, value, order);

pub(super) fn find_type(tx: &mut dyn Tx, id: &VariantTypeId) -> Result<VariantType> {
    let sql = "SELECT id, name, slug, position FROM variant_type WHERE id = $1";
    let found = tx.find(sql, params![id])?;
    let found = found.ok_or(Error::NotFound(Entity::VariantType))?;
    let options = tx.list(
        "SELECT id, value, position FROM variant_option WHERE variant_type_id = $1
         ORDER BY position, value",
        params![id],
    )?;
    Ok(VariantType { options, ..found })
}

pub(super) fn find_option(
    tx: &mut dyn Tx,
    kind: &VariantTypeId,
    id: &VariantOptionId,
) -> Result<VariantOption> {
    let options = find_type(tx, kind)?.options;
    let found = options.into_iter().find(|option| option.id == *id);
    found.ok_or(Error::NotFound(Entity::VariantOption))
}

pub(super) fn remove_type(tx: &mut dyn Tx, id: &VariantTypeId) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.execute("DELETE FROM variant_option WHERE variant_type_id = $1", params![id])?;
    tx.run("DELETE FROM variant_type WHERE id = $1", params![id])
}

pub(super) fn remove_option(tx: &mut dyn Tx, id: &VariantOptionId) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.run("DELETE FROM variant_option WHERE id = $1", params![id])
}

pub(super) fn save_type(tx: &mut dyn Tx, kind: &VariantType) -> Result<()> {
    let taken = tx.exists(
        "SELECT 1 FROM variant_type WHERE slug = $1 AND id <> $2",
        params![&kind.slug, &kind.id],
    )?;
    Conflict::Slug.unless(!taken)?;
    tx.touch(area::CATALOG);
    tx.run(
        "UPDATE variant_type SET name = $1, slug = $2, position = $3 WHERE id = $4",
        params![&kind.name, &kind.slug, kind.order, &kind.id],
    )
}

pub(super) fn save_option(
    tx: &mut dyn Tx,
    kind: &VariantTypeId,
    option: &VariantOption,
) -> Result<()> {
    let taken = tx.exists(
        "SELECT 1 FROM variant_option WHERE variant_type_id = $1 AND value = $2 AND id <> $3",
        params![kind, &option.value, &option.id],
    )?;
    Conflict::VariantOption.unless(!taken)?;
    tx.touch(area::CATALOG);
    tx.run(
        "UPDATE variant_option SET value = $1, position = $2 WHERE id = $3",
        params![&option.value, option.order, &option.id],
    )
}

pub(crate) fn insert_type(tx: &mut dyn Tx, at: &Work, new: &NewVariantType) -> Result<VariantType> {
    let id: VariantTypeId = at.id();
    tx.touch(area::CATALOG);
    let inserted = tx.exists(
        "INSERT INTO variant_type (id, name, slug, position) VALUES ($1, $2, $3, $4)
         ON CONFLICT (slug) DO NOTHING RETURNING id",
        params![&id, &new.name, &new.slug, new.order],
    )?;
    Conflict::Slug.unless(inserted)?;
    Ok(VariantType {
        id,
        name: new.name.to_string(),
        slug: new.slug.clone(),
        order: new.order.into(),
        options: Vec::new(),
    })
}

pub(crate) fn insert_option(
    tx: &mut dyn Tx,
    at: &Work,
    kind: &VariantTypeId,
    new: &NewVariantOption,
) -> Result<VariantOption> {
    find_type(tx, kind)?;
    let id: VariantOptionId = at.id();
    tx.touch(area::CATALOG);
    let inserted = tx.exists(
        "INSERT INTO variant_option (id, variant_type_id, value, position)
         VALUES ($1, $2, $3, $4) ON CONFLICT (variant_type_id, value) DO NOTHING RETURNING id",
        params![&id, kind, &new.value, new.order],
    )?;
    Conflict::VariantOption.unless(inserted)?;
    Ok(VariantOption { id, value: new.value.to_string(), order: new.order.into() })
}

/// The option of this value of the kind with this name; either is made where there is none.
pub(in crate::catalog) fn option_named(
    tx: &mut dyn Tx,
    at: &Work,
    kind: &Text<1, 60>,
    value: &Text<1, 60>,
) -> Result<VariantOptionId> {
    let slug =
        Slug::from_name(kind.as_str()).map_err(|wrong| Error::field("variantType", wrong))?;
    let by_slug = "SELECT id FROM variant_type WHERE slug = $1";
    let kind = if let Some(known) = tx.find(by_slug, params![&slug])? {
        known
    } else {
        let order = next_place(tx, "SELECT count(*) FROM variant_type", &[])?;
        insert_type(tx, at, &NewVariantType { name: kind.clone(), slug, order })?.id
    };
    let by_value = "SELECT id FROM variant_option WHERE variant_type_id = $1 AND value = $2";
    if let Some(known) = tx.find(by_value, params![&kind, value])? {
        return Ok(known);
    }
    let of_kind = "SELECT count(*) FROM variant_option WHERE variant_type_id = $1";
    let order = next_place(tx, of_kind, params![&kind])?;
    let new = NewVariantOption { value: value.clone(), order };
    insert_option(tx, at, &kind, &new).map(|option| option.id)
}

/// The place behind those that a statement counts.
fn next_place(tx: &mut dyn Tx, count: &str, params: &[Param<'_>]) -> Result<u32> {
    Ok(u32::try_from(tx.value::<i64>(count, params)?).unwrap_or(u32::MAX))
}
