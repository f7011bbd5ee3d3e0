//! Keeps the index of the lists as the database is: read once as a whole, then only the products
//! that commits announce ([`area::LISTING`]), at the first question after them.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use futures_util::future::try_join;
use tokio::sync::Mutex;

use super::filter::ProductSort;
use super::index::{Index, ListedProduct, Wanted};
use crate::area;
use crate::catalog::in_stock::{IN_STOCK, own_count};
use crate::error::{Error, Result};
use crate::id::CategoryId;
use crate::page::PageRequest;
use crate::storage::{Changed, Db, FEW, FEW_PLACES, Tx, few_placed, read_columns};

/// The index, and the state of the database that it has.
#[derive(Debug, Default)]
pub(in crate::catalog) struct IndexCache {
    kept: RwLock<Kept>,
    /// Whoever reads what changed; others wait for it without a thread.
    turn: Mutex<()>,
}

#[derive(Debug, Default)]
struct Kept {
    index: Index,
    /// The generation of the area that the index has; `None` before it was read.
    generation: Option<u64>,
}

impl IndexCache {
    /// Has the index know every commit that was answered before the call.
    pub(super) async fn refresh(&self, db: &Db) -> Result<()> {
        // Read before the data: what is committed in between is read again, never missed.
        if self.generation() == Some(db.generations().of(area::LISTING)) {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        let (changed, now) = match self.generation() {
            None => (Changed::Unknown, db.generations().of(area::LISTING)),
            Some(generation) => db.generations().changed_since(area::LISTING, generation),
        };
        match changed {
            Changed::Rows(pks) if pks.is_empty() => {}
            Changed::Rows(pks) => {
                // Those of one statement are read on the caller's thread.
                let (few, wanted) = (pks.len() <= FEW, pks.clone());
                let job = move |tx: &mut dyn Tx| read(tx, &wanted);
                let products = if few {
                    db.lookup_public("product.index_changes", job).await?
                } else {
                    db.read_public("product.index_changes", job).await?
                };
                if !self.take(&pks, products, now) {
                    self.replace(db, now).await?;
                }
            }
            Changed::Unknown => self.replace(db, now).await?,
        }
        Ok(())
    }

    /// How many products there are of what is wanted, and the `pk`s of a page of them.
    pub(super) fn page(
        &self,
        wanted: &Wanted,
        sort: ProductSort,
        request: PageRequest,
    ) -> (i64, Vec<i64>) {
        self.read().index.page(wanted, sort, request)
    }

    /// What something says of the index, which stands still meanwhile.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&Index) -> T) -> T {
        ask(&self.read().index)
    }

    /// How many products a question passes over.
    pub(super) fn len(&self) -> usize {
        self.read().index.len()
    }

    fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn generation(&self) -> Option<u64> {
        self.read().generation
    }

    /// Takes what products are now; false where the whole must be read.
    fn take(&self, pks: &[i64], products: Vec<ListedProduct>, generation: u64) -> bool {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut gone = pks.iter().copied().collect::<HashSet<_>>();
        for product in products {
            gone.remove(&product.pk);
            if !kept.index.put(product) {
                return false;
            }
        }
        for pk in gone {
            kept.index.remove(pk);
        }
        kept.generation = Some(generation);
        true
    }

    async fn replace(&self, db: &Db, generation: u64) -> Result<()> {
        // Side by side: what is committed in between has a later generation, and is read again.
        let products = db.read_public("product.index", read_products);
        let (products, stock) =
            try_join(products, db.read_public("product.index_stock", read_stock)).await?;
        let index = tokio::task::spawn_blocking(move || Index::new(listed(products, stock)));
        let index = index.await.map_err(Error::from_source)?;
        let kept = Kept { index, generation: Some(generation) };
        // The old one is dropped after the lock.
        let old = std::mem::replace(
            &mut *self.kept.write().unwrap_or_else(PoisonError::into_inner),
            kept,
        );
        drop(old);
        Ok(())
    }
}

read_columns!(
    ListedProduct: pk, active, featured, price, [category_id], sold, in_stock;
    category: shared(category_id)
);

fn shared(category: Option<CategoryId>) -> Option<Arc<CategoryId>> {
    category.map(Arc::new)
}

/// A product without its stock, and whether it is only sold as a variant.
type Unstocked = (ListedProduct, bool);

/// What is on the shelf of a product or of a variant of it.
struct Shelf {
    pk: i64,
    is_variant: bool,
    units: i64,
    sold: i64,
}

read_columns!(Shelf: pk, is_variant, units, sold);

/// All products, in the order of their `pk`s.
fn read_products(tx: &mut dyn Tx) -> Result<Vec<Unstocked>> {
    // An index has these columns (`product_listing`), in another order.
    let sql = "SELECT pk, active, featured, price, category_id, variant_required FROM product";
    // That index has them by category: those of one share its id.
    let mut latest: Option<Arc<CategoryId>> = None;
    let mut products = tx.all(sql, &[], |row| {
        let category: Option<CategoryId> = row.get(4)?;
        if latest.as_deref() != category.as_ref() {
            latest = shared(category);
        }
        let product = ListedProduct {
            pk: row.get(0)?,
            active: row.get(1)?,
            featured: row.get(2)?,
            price: row.get(3)?,
            category: latest.clone(),
            sold: 0,
            in_stock: false,
        };
        Ok((product, row.get::<bool>(5)?))
    })?;
    products.sort_by_cached_key(|(product, _)| product.pk);
    Ok(products)
}

fn read_stock(tx: &mut dyn Tx) -> Result<Vec<Shelf>> {
    tx.list("SELECT product_pk, is_variant, quantity, sold FROM stock", &[])
}

/// The products, in the order of their `pk`s, with their stock.
fn listed(mut products: Vec<Unstocked>, stock: Vec<Shelf>) -> Vec<ListedProduct> {
    let mut next = 0;
    for Shelf { pk, is_variant, units, sold } in stock {
        // Most rows come in the order of their products.
        let is_next = products.get(next).is_some_and(|(product, _)| product.pk == pk);
        let found = if is_next {
            Ok(next)
        } else {
            products.binary_search_by_key(&pk, |(product, _)| product.pk)
        };
        let Ok(place) = found else { continue };
        next = place + 1;
        let (product, variant_required) = &mut products[place];
        if is_variant {
            product.in_stock |= units > 0;
        } else {
            product.in_stock |= own_count(*variant_required, units);
            product.sold = sold;
        }
    }
    products.into_iter().map(|(product, _)| product).collect()
}

/// These products, as far as there are such.
fn read(tx: &mut dyn Tx, pks: &[i64]) -> Result<Vec<ListedProduct>> {
    // Units are asked for by item, as there is no index by product.
    let sql = format!(
        "SELECT p.pk, p.active, p.featured, p.price, p.category_id, s.sold, {IN_STOCK}
         FROM product p JOIN stock s ON s.item_id = p.id
         WHERE p.pk IN ({})",
        *FEW_PLACES
    );
    let mut products = Vec::with_capacity(pks.len());
    for batch in pks.chunks(FEW) {
        tx.query(&sql, &few_placed(batch), &mut |row| {
            products.push(row.get(0)?);
            Ok(())
        })?;
    }
    Ok(products)
}
