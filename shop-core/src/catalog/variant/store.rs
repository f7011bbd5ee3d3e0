//! The SQL of variants: the only writes of `variant` and `variant_value`.

use std::collections::{HashMap, HashSet};

use super::state::{VariantState, sorted};
use super::{
    AdminVariant, AdminVariantValue, ChosenOption, ChosenType, NewVariant, NewVariantValue,
    Variant, VariantValue, check_count,
};
use crate::area;
use crate::catalog::sku;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, FieldErrors, Result};
use crate::id::{ProductId, VariantId, VariantOptionId};
use crate::stock;
use crate::storage::{PLACES, Row, Tx, params, placed};
use crate::value::{InvalidValue, Text};

/// A product's variants as shoppers see them, in their order.
pub(in crate::catalog) fn of_product(tx: &mut dyn Tx, product: &ProductId) -> Result<Vec<Variant>> {
    Ok(of_admin(tx, product)?.into_iter().map(Variant::from).collect())
}

/// The variants of the products of a page as shoppers see them, in their order: one query, however
/// many there are.
pub(in crate::catalog) fn of_products<'a>(
    tx: &mut dyn Tx,
    products: impl IntoIterator<Item = &'a ProductId>,
) -> Result<HashMap<ProductId, Vec<Variant>>> {
    let sql = format!(
        "SELECT v.product_id, v.id, v.price, v.compare_price, s.quantity, v.sku, t.name, o.value,
                v.weight_grams, v.length_mm, v.width_mm, v.height_mm
         FROM variant v JOIN stock s ON s.item_id = v.id
         LEFT JOIN variant_value vv ON vv.variant_id = v.id
         LEFT JOIN variant_option o ON o.id = vv.variant_option_id
         LEFT JOIN variant_type t ON t.id = o.variant_type_id
         WHERE v.product_id IN ({})
         ORDER BY v.product_id, v.position, v.id, t.position, t.name",
        *PLACES
    );
    let mut variants: HashMap<ProductId, Vec<Variant>> = HashMap::new();
    tx.query(&sql, &placed(products), &mut |row| {
        let of_product = variants.entry(row.get(0)?).or_default();
        let id: VariantId = row.get(1)?;
        if of_product.last().is_none_or(|last| last.id != id) {
            of_product.push(Variant {
                id,
                price: row.get(2)?,
                compare_price: row.get(3)?,
                stock: row.get(4)?,
                sku: row.get(5)?,
                weight: row.get(8)?,
                length: row.get(9)?,
                width: row.get(10)?,
                height: row.get(11)?,
                values: Vec::new(),
            });
        }
        if let (Some(last), false) = (of_product.last_mut(), row.is_null(6)?) {
            last.values.push(VariantValue { variant_type: row.get(6)?, value: row.get(7)? });
        }
        Ok(())
    })?;
    Ok(variants)
}

/// A product's variants as staff see them, in their order.
pub(in crate::catalog) fn of_admin(
    tx: &mut dyn Tx,
    product: &ProductId,
) -> Result<Vec<AdminVariant>> {
    let mut variants: Vec<AdminVariant> = Vec::new();
    tx.query(
        "SELECT v.id, v.price, v.compare_price, s.quantity, v.sku, o.id, t.name, o.value,
                v.weight_grams, v.length_mm, v.width_mm, v.height_mm
         FROM variant v JOIN stock s ON s.item_id = v.id
         LEFT JOIN variant_value vv ON vv.variant_id = v.id
         LEFT JOIN variant_option o ON o.id = vv.variant_option_id
         LEFT JOIN variant_type t ON t.id = o.variant_type_id
         WHERE v.product_id = $1 ORDER BY v.position, v.id, t.position, t.name",
        params![product],
        &mut |row| {
            let id = row.text(0)?.unwrap_or_default();
            if variants.last().is_none_or(|last| last.id.as_str() != id) {
                variants.push(AdminVariant {
                    id: id.into(),
                    price: row.get(1)?,
                    compare_price: row.get(2)?,
                    stock: row.get(3)?,
                    sku: row.get(4)?,
                    weight: row.get(8)?,
                    length: row.get(9)?,
                    width: row.get(10)?,
                    height: row.get(11)?,
                    values: Vec::new(),
                });
            }
            if let (Some(last), false) = (variants.last_mut(), row.is_null(5)?) {
                let value = read_value(row, &last.id)?;
                last.values.push(value);
            }
            Ok(())
        },
    )?;
    Ok(variants)
}

fn read_value(row: &dyn Row, variant: &VariantId) -> Result<AdminVariantValue> {
    let option: VariantOptionId = row.get(5)?;
    Ok(AdminVariantValue {
        id: format!("{variant}:{option}"),
        variant_option_id: option,
        variant_option: ChosenOption {
            value: row.get(7)?,
            variant_type: ChosenType { name: row.get(6)? },
        },
    })
}

/// A variant of this product.
///
/// # Errors
/// [`Error::NotFound`].
pub(super) fn find(tx: &mut dyn Tx, product: &ProductId, id: &VariantId) -> Result<AdminVariant> {
    let found = of_admin(tx, product)?.into_iter().find(|variant| variant.id == *id);
    found.ok_or(Error::NotFound(Entity::Variant))
}

/// The `pk` of a product.
///
/// # Errors
/// [`Error::NotFound`].
pub(super) fn product_pk(tx: &mut dyn Tx, product: &ProductId) -> Result<i64> {
    let found = "SELECT pk FROM product WHERE id = $1";
    let pk = tx.find(found, params![product])?;
    pk.ok_or(Error::NotFound(Entity::Product))
}

pub(crate) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    product: &ProductId,
    new: &NewVariant,
) -> Result<AdminVariant> {
    let pk = product_pk(tx, product)?;
    let others = of_admin(tx, product)?;
    check_count(others.len() + 1)?;
    check_options(tx, &new.values)?;
    let id: VariantId = at.id();
    let sku = new.sku.as_ref();
    sku::claim(tx, sku.map(Text::as_str), id.as_str())?;
    let options = sorted(new.values.iter().map(|value| &value.variant_option_id));
    check_combination(&others, &options)?;
    tx.touch(area::CATALOG);
    tx.execute(
        "INSERT INTO variant (id, product_id, price, compare_price, sku, weight_grams, length_mm,
                              width_mm, height_mm, position, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,
                 (SELECT coalesce(max(position), -1) + 1 FROM variant WHERE product_id = $2), $10)",
        params![
            &id, product, new.price, new.compare_price, sku;
            new: weight, length, width, height; at.now()
        ],
    )?;
    insert_values(tx, &id, &options)?;
    stock::create(tx, at, id.as_str(), pk, true, new.stock.get())?;
    find(tx, product, &id)
}

fn insert_values(tx: &mut dyn Tx, id: &VariantId, options: &[VariantOptionId]) -> Result<()> {
    tx.touch(area::CATALOG);
    for option in options {
        tx.execute(
            "INSERT INTO variant_value (variant_id, variant_option_id) VALUES ($1, $2)",
            params![id, option],
        )?;
    }
    Ok(())
}

/// Refuses options that do not exist, and two of the same kind.
pub(super) fn check_options(tx: &mut dyn Tx, values: &[NewVariantValue]) -> Result<()> {
    let mut wrong = FieldErrors::default();
    let mut kinds = HashSet::new();
    if values.is_empty() {
        wrong.add("values", InvalidValue::NoOption);
    }
    for (index, value) in values.iter().enumerate() {
        let kind: Option<String> = tx.find(
            "SELECT variant_type_id FROM variant_option WHERE id = $1",
            params![&value.variant_option_id],
        )?;
        let message = match kind {
            None => InvalidValue::UnknownOption,
            Some(kind) => {
                if kinds.insert(kind) {
                    continue;
                }
                InvalidValue::RepeatedType
            }
        };
        wrong.add(format!("values[{index}].variantOptionId"), message);
    }
    wrong.into_result()
}

/// Refuses what another variant of the product is.
pub(super) fn check_combination<'v>(
    others: impl IntoIterator<Item = &'v AdminVariant>,
    options: &[VariantOptionId],
) -> Result<()> {
    let taken = others.into_iter().any(|variant| variant.option_ids() == options);
    Conflict::VariantOptions.unless(!taken)
}

pub(super) fn update(
    tx: &mut dyn Tx,
    id: &VariantId,
    before: &VariantState,
    after: &VariantState,
) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.execute(
        "UPDATE variant SET price = $1, compare_price = $2, sku = $3, weight_grams = $4,
                length_mm = $5, width_mm = $6, height_mm = $7
         WHERE id = $8",
        params![after: price, compare_price, sku, weight, length, width, height; id],
    )?;
    if after.sku != before.sku {
        sku::release(tx, id.as_str())?;
        sku::claim(tx, after.sku.as_deref(), id.as_str())?;
    }
    if after.options != before.options {
        tx.execute("DELETE FROM variant_value WHERE variant_id = $1", params![id])?;
        insert_values(tx, id, &after.options)?;
    }
    Ok(())
}

/// Makes a variant of another product after this one, without units and without an SKU.
pub(in crate::catalog) fn copy(
    tx: &mut dyn Tx,
    at: &Work,
    original: &VariantId,
    product: &ProductId,
    product_pk: i64,
) -> Result<()> {
    let id: VariantId = at.id();
    tx.touch(area::CATALOG);
    tx.execute(
        "INSERT INTO variant (id, product_id, price, compare_price, sku, weight_grams, length_mm,
                              width_mm, height_mm, position, created_at)
         SELECT $1, $2, price, compare_price, NULL, weight_grams, length_mm, width_mm, height_mm,
                position, $3
         FROM variant WHERE id = $4",
        params![&id, product, at.now(), original],
    )?;
    tx.execute(
        "INSERT INTO variant_value (variant_id, variant_option_id)
         SELECT $1, variant_option_id FROM variant_value WHERE variant_id = $2",
        params![&id, original],
    )?;
    stock::create(tx, at, id.as_str(), product_pk, true, 0)
}

/// Takes a variant out of the catalogue; its movements stay in the ledger.
pub(in crate::catalog) fn erase(tx: &mut dyn Tx, at: &Work, id: &VariantId) -> Result<()> {
    sku::release(tx, id.as_str())?;
    stock::remove(tx, at, id.as_str())?;
    tx.touch(area::CATALOG);
    tx.execute("DELETE FROM variant_value WHERE variant_id = $1", params![id])?;
    tx.run("DELETE FROM variant WHERE id = $1", params![id])
}
