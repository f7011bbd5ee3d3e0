//! What was sold and to whom, as far as invoices say it.

use crate::account::{self, Account};
use crate::clock::Timestamp;
use crate::config::Production;
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, OrderId, ProductId};
use crate::invoicing::ProductFiscal;
use crate::money::Money;
use crate::nfe::{Csosn, Digits, Gtin, Origin, Unit};
use crate::storage::{Row, Tx};
use crate::value::Cpf;

/// Whom an order belongs to, as far as an invoice says it.
pub(in crate::invoicing) struct Buyer {
    pub(in crate::invoicing) name: String,
    pub(in crate::invoicing) email: Option<String>,
    pub(in crate::invoicing) phone: Option<String>,
    pub(in crate::invoicing) cpf: Option<Cpf>,
}

pub(in crate::invoicing) fn buyer(tx: &mut dyn Tx, account: &AccountId) -> Result<Buyer> {
    let account = account::get(tx, account)?.ok_or(Error::NotFound(Entity::Account))?;
    let Account { name, email, phone, cpf, .. } = account;
    Ok(Buyer { name, email: Some(email.to_string()), phone, cpf })
}

/// A line item of an order, with what an invoice says of its product.
pub(in crate::invoicing) struct SoldItem {
    pub(in crate::invoicing) code: String,
    pub(in crate::invoicing) name: String,
    pub(in crate::invoicing) variant: Option<String>,
    pub(in crate::invoicing) is_variant: bool,
    pub(in crate::invoicing) quantity: i64,
    pub(in crate::invoicing) price: Money,
    pub(in crate::invoicing) weight_grams: i64,
    pub(in crate::invoicing) fiscal: ProductFiscal,
}

pub(in crate::invoicing) fn sold_items(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<SoldItem>> {
    tx.all(
        "SELECT f.ncm, f.cest, f.gtin, f.origin, f.csosn, f.unit, f.production,
                coalesce(v.sku, p.sku, i.product_id), i.name, i.variant,
                i.variant_id IS NOT NULL, i.quantity, i.price, i.weight_grams
         FROM order_item i
         LEFT JOIN product p ON p.id = i.product_id
         LEFT JOIN variant v ON v.id = i.variant_id
         LEFT JOIN product_fiscal f ON f.product_id = i.product_id
         WHERE i.order_id = $1 ORDER BY i.position",
        &[order.into()],
        |row| {
            Ok(SoldItem {
                fiscal: read_fiscal(row)?,
                code: row.get(7)?,
                name: row.get(8)?,
                variant: row.get(9)?,
                is_variant: row.get(10)?,
                quantity: row.get(11)?,
                price: row.get(12)?,
                weight_grams: row.get(13)?,
            })
        },
    )
}

/// What is kept of a product that exists.
pub(in crate::invoicing) fn product_fiscal(
    tx: &mut dyn Tx,
    product: &ProductId,
) -> Result<Option<ProductFiscal>> {
    tx.one(
        "SELECT f.ncm, f.cest, f.gtin, f.origin, f.csosn, f.unit, f.production
         FROM product p LEFT JOIN product_fiscal f ON f.product_id = p.id WHERE p.id = $1",
        &[product.into()],
        read_fiscal,
    )
}

fn read_fiscal(row: &dyn Row) -> Result<ProductFiscal> {
    let origin: Option<i64> = row.get(3)?;
    let production = match row.text(6)? {
        Some("OWN") => Some(Production::Own),
        Some("RESALE") => Some(Production::Resale),
        _ => None,
    };
    Ok(ProductFiscal {
        ncm: row.get::<Option<Digits<8>>>(0)?,
        cest: row.get::<Option<Digits<7>>>(1)?,
        gtin: row.get::<Option<Gtin>>(2)?,
        origin: origin.map(Origin::try_from).transpose().map_err(Error::from_source)?,
        csosn: row.get::<Option<Csosn>>(4)?,
        unit: row.get::<Option<Unit>>(5)?,
        production,
    })
}

pub(in crate::invoicing) fn set_product_fiscal(
    tx: &mut dyn Tx,
    product: &ProductId,
    fiscal: &ProductFiscal,
    now: Timestamp,
) -> Result<()> {
    let production = fiscal.production.map(|production| match production {
        Production::Own => "OWN",
        Production::Resale => "RESALE",
    });
    tx.execute(
        "INSERT INTO product_fiscal (product_id, ncm, cest, gtin, origin, csosn, unit, production,
           updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (product_id) DO UPDATE SET ncm = excluded.ncm, cest = excluded.cest,
           gtin = excluded.gtin, origin = excluded.origin, csosn = excluded.csosn,
           unit = excluded.unit, production = excluded.production,
           updated_at = excluded.updated_at",
        &[
            product.into(),
            fiscal.ncm.as_ref().map(Digits::as_str).into(),
            fiscal.cest.as_ref().map(Digits::as_str).into(),
            fiscal.gtin.as_ref().map(Gtin::as_str).into(),
            fiscal.origin.map(|origin| i64::from(origin.get())).into(),
            fiscal.csosn.as_ref().map(Csosn::as_str).into(),
            fiscal.unit.as_ref().map(Unit::as_str).into(),
            production.into(),
            now.into(),
        ],
    )?;
    Ok(())
}
