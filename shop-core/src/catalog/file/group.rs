//! A product of a file: its own row and those of its variants.

use super::bad_row::BadRow;
use super::column::Column;
use super::pictures::PictureFiles;
use super::row::Row;
use super::values::Choice;
use crate::catalog::fiscal::ProductFiscal;
use crate::catalog::product::{NewProduct, ProductPatch};
use crate::catalog::variant::{MAX_VARIANTS, VariantPatch};
use crate::value::{InvalidValue, Slug, Text};

/// A product of a file with what is wrong with its rows.
#[derive(Debug)]
pub(super) struct Group {
    /// Where it begins.
    pub(super) line: u64,
    /// How many rows it has.
    pub(super) rows: u64,
    pub(super) bad: Vec<BadRow>,
    /// Without the cells that are wrong.
    pub(super) product: FileProduct,
    /// How many rows of variants came, right or wrong.
    variants: usize,
    /// Its rows as they were read; none where one is bad.
    cells: Vec<Row>,
}

impl Group {
    /// A product by its own row.
    pub(super) fn of(mut first: Row, files: &PictureFiles) -> Self {
        let product = first.product(files);
        let bad = std::mem::take(&mut first.bad);
        let (line, cells) = (first.line, Vec::new());
        let mut group = Self { line, rows: 1, bad, product, variants: 0, cells };
        group.keep(first);
        group
    }

    /// Adds the row of a variant to a product that is called so. Of those that are too many, the
    /// first is told and none is looked at.
    pub(super) fn add(&mut self, mut row: Row, slug: Option<&Slug>) {
        // Other programs' first variant stands in the line of its product.
        self.rows += u64::from(row.line != self.line);
        self.variants += 1;
        if self.variants <= MAX_VARIANTS {
            let variant = row.variant(slug, &self.product.variants);
            self.product.variants.extend(variant);
        } else if self.variants == MAX_VARIANTS + 1 {
            let most = MAX_VARIANTS as u64;
            row.refuse(Column::Variant, InvalidValue::TooManyVariants { most });
        } else {
            return;
        }
        self.bad.append(&mut row.bad);
        self.keep(row);
    }

    fn keep(&mut self, row: Row) {
        if self.bad.is_empty() {
            self.cells.push(row);
        } else {
            self.cells = Vec::new();
        }
    }

    /// Its rows, of which none was bad when it was read.
    pub(super) fn cells(&self) -> &[Row] {
        &self.cells
    }
}

/// Slug and name of a category.
pub(super) type FileCategory = (Slug, Option<Text<2, 120>>);

/// What a file says of a product. A column that is not there says nothing.
#[derive(Debug)]
pub(super) struct FileProduct {
    /// Without a category.
    pub(super) patch: ProductPatch,
    /// None says nothing of a category, `Some(None)` takes the product out of its own.
    #[expect(clippy::option_option, reason = "not said and taken out of its own are two things")]
    pub(super) category: Option<Option<FileCategory>>,
    /// What the tax office wants to know of it.
    pub(super) fiscal: ProductFiscal,
    /// Which columns say something, by their place in [`Column::ALL`].
    pub(super) said: [bool; Column::ALL.len()],
    pub(super) variants: Vec<FileVariant>,
}

#[derive(Debug)]
pub(super) struct FileVariant {
    pub(super) line: u64,
    pub(super) choices: Vec<Choice>,
    /// Without its options.
    pub(super) patch: VariantPatch,
}

impl FileProduct {
    /// What it is called in addresses: what the file says, else what its name suggests.
    pub(super) fn slug(&self) -> Option<Slug> {
        let named = || Slug::from_name(self.patch.name.as_ref()?.as_str()).ok();
        self.patch.slug.clone().or_else(named)
    }

    pub(super) fn sku(&self) -> Option<&str> {
        self.patch.sku.as_ref()?.as_ref().map(Text::as_str)
    }

    /// What it says to the tax office after the import.
    pub(super) fn fiscal_of(&self, before: &ProductFiscal) -> ProductFiscal {
        let of = |column: Column| {
            let holds = if self.said[column as usize] { &self.fiscal } else { before };
            holds.clone()
        };
        ProductFiscal {
            ncm: of(Column::Ncm).ncm,
            cest: of(Column::Cest).cest,
            cfop_in_state: of(Column::CfopInState).cfop_in_state,
            cfop_out_of_state: of(Column::CfopOutOfState).cfop_out_of_state,
            gtin: of(Column::Gtin).gtin,
            origin: of(Column::Origin).origin,
            csosn: of(Column::Csosn).csosn,
            unit: of(Column::Unit).unit,
            production: of(Column::Production).production,
        }
    }

    /// The product that the shop does not have yet; none where the file does not say enough.
    pub(super) fn to_new(&self) -> Option<NewProduct> {
        let said = self.patch.clone();
        let slug = self.slug()?;
        let stock = said.stock.or_else(|| 0.try_into().ok())?;
        Some(NewProduct {
            name: said.name?,
            slug,
            description: said.description.flatten(),
            price: said.price?,
            compare_price: said.compare_price.flatten(),
            stock,
            sku: said.sku.flatten(),
            weight: said.weight.flatten(),
            length: said.length.flatten(),
            width: said.width.flatten(),
            height: said.height.flatten(),
            category_id: None,
            featured: said.featured.unwrap_or(false),
            active: said.active.unwrap_or(true),
            images: said.images.unwrap_or_default(),
            variant_required: said.variant_required.unwrap_or(false),
            variants: Vec::new(),
        })
    }

    /// The same product for one that the shop has, whose units stay as they are.
    pub(super) fn forget_stock(&mut self, known: impl Fn(&FileVariant) -> bool) {
        self.patch.stock = None;
        for variant in &mut self.variants {
            if known(variant) {
                variant.patch.stock = None;
            }
        }
    }
}

impl FileVariant {
    pub(super) fn sku(&self) -> Option<&str> {
        self.patch.sku.as_ref()?.as_ref().map(Text::as_str)
    }
}
