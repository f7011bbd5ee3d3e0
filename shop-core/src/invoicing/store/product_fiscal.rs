//! The SQL of `product_fiscal`.

use crate::clock::Timestamp;
use crate::config::Production;
use crate::error::{Error, Result};
use crate::id::ProductId;
use crate::invoicing::ProductFiscal;
use crate::nfe::{Csosn, Digits, Gtin, Origin, Unit};
use crate::storage::{Row, Tx, params};

/// The tax data of a product; empty where none was ever set.
pub(in crate::invoicing) fn product_fiscal(
    tx: &mut dyn Tx,
    product: &ProductId,
) -> Result<ProductFiscal> {
    let found = tx.one(
        "SELECT ncm, cest, gtin, origin, csosn, unit, production
         FROM product_fiscal WHERE product_id = $1",
        params![product],
        read,
    )?;
    Ok(found.unwrap_or_default())
}

fn read(row: &dyn Row) -> Result<ProductFiscal> {
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
    tx.run(
        "INSERT INTO product_fiscal (product_id, ncm, cest, gtin, origin, csosn, unit, production,
           updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (product_id) DO UPDATE SET ncm = excluded.ncm, cest = excluded.cest,
           gtin = excluded.gtin, origin = excluded.origin, csosn = excluded.csosn,
           unit = excluded.unit, production = excluded.production,
           updated_at = excluded.updated_at",
        params![
            product,
            fiscal.ncm.as_ref().map(Digits::as_str),
            fiscal.cest.as_ref().map(Digits::as_str),
            fiscal.gtin.as_ref().map(Gtin::as_str),
            fiscal.origin.map(|origin| i64::from(origin.get())),
            fiscal.csosn.map(Csosn::as_str),
            fiscal.unit.as_ref().map(Unit::as_str),
            production,
            now
        ],
    )
}
