//! Rows of a file as the database keeps them from the decision on an import until they are written:
//! their cells by the names of the columns, whatever program the file is from.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::column::Column;
use super::group::Group;
use super::pictures::PictureFiles;
use super::row::{Cells, Row};
use crate::error::{Error, Result};

#[derive(Serialize, Deserialize)]
struct KeptRow<'a> {
    line: u64,
    cells: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// The rows of some products, of which none is bad.
pub(super) fn write(groups: &[Group]) -> Result<String> {
    let rows = |group| -> Vec<KeptRow<'_>> { Group::cells(group).iter().map(kept).collect() };
    let products: Vec<_> = groups.iter().map(rows).collect();
    serde_json::to_string(&products).map_err(Error::from_source)
}

fn kept(row: &Row) -> KeptRow<'_> {
    let cells = Column::ALL.into_iter().filter_map(|column| {
        let cell = row.cells()[column as usize].as_deref()?;
        Some((column.as_str().into(), cell.into()))
    });
    KeptRow { line: row.line, cells: cells.collect() }
}

/// The products that were written so.
pub(super) fn read(kept: &str) -> Result<Vec<Group>> {
    let products: Vec<Vec<KeptRow<'_>>> = serde_json::from_str(kept).map_err(Error::from_source)?;
    products.into_iter().filter(|rows| !rows.is_empty()).map(product).collect()
}

fn product(rows: Vec<KeptRow<'_>>) -> Result<Group> {
    // The names of pictures were resolved when the rows were read first.
    let (no_files, mut rows) = (PictureFiles::new(), rows.into_iter().map(row));
    let first = rows.next().ok_or_else(|| Error::internal("a product without rows"))?;
    let mut group = Group::of(first, &no_files);
    let slug = group.product.slug();
    rows.for_each(|row| group.add(row, slug.as_ref()));
    Ok(group)
}

fn row(kept: KeptRow<'_>) -> Row {
    let mut said: HashMap<_, _> = kept.cells.into_iter().collect();
    let cells: Cells = Column::ALL.map(|column| said.remove(column.as_str()).map(Cow::into_owned));
    Row::mapped(kept.line, cells)
}
