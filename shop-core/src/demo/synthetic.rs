//! Made-up products in any number, for measurements: the same number always gives the same shop.

use std::ops::Range;
use std::sync::Arc;

use super::people::{Reviewer, Reviews, review, summarise};
use super::shelves::{self, Shelves};
use super::{DemoProgress, DemoStep, fixed};
use crate::catalog::{
    LearnedWords, NewImage, NewProduct, NewVariant, NewVariantValue, add, add_variant,
};
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::ProductId;
use crate::lane;
use crate::shop::Shop;
use crate::storage::Tx;
use crate::value::{Slug, Weight};

/// Products of one transaction: in larger ones SQLite spends its time on the savepoints of single
/// statements.
const BATCH: u32 = 100;
/// So many products have their reviews written out; the others only carry count and sum.
const REVIEWED: u32 = 2000;
/// Words of a description.
const DESCRIPTION_WORDS: usize = 60;

const KINDS: &[&str] = &["Vela", "Difusor", "Sabonete", "Home Spray", "Escalda-pés", "Sachê"];
const SCENTS: &[&str] = &[
    "Lavanda",
    "Baunilha",
    "Canela",
    "Jasmim",
    "Cedro",
    "Bergamota",
    "Alecrim",
    "Capim-santo",
    "Maçã",
    "Sândalo",
    "Figo",
    "Algodão",
    "Rosa",
    "Eucalipto",
    "Café",
    "Pitanga",
];
const MOODS: &[&str] = &[
    "Aconchego",
    "Manhã",
    "Serena",
    "Noturna",
    "Clássica",
    "Tropical",
    "Essencial",
    "da Serra",
    "Verão",
    "Orvalho",
    "Quintal",
    "Imensidão",
];

/// Few words for many products, so that each is in about half of them: the worst that a search can
/// meet.
const WORDS: &[&str] = &[
    "vela",
    "perfumada",
    "artesanal",
    "cera",
    "vegetal",
    "soja",
    "pavio",
    "algodão",
    "aroma",
    "notas",
    "lavanda",
    "baunilha",
    "canela",
    "madeira",
    "cítrica",
    "floral",
    "fresca",
    "suave",
    "intensa",
    "casa",
    "sala",
    "quarto",
    "banho",
    "mesa",
    "noite",
    "manhã",
    "inverno",
    "verão",
    "presente",
    "caixa",
    "vidro",
    "âmbar",
    "lata",
    "tampa",
    "rótulo",
    "papel",
    "reciclado",
    "feita",
    "mão",
    "pequenos",
    "lotes",
    "queima",
    "horas",
    "limpa",
    "fumaça",
    "chama",
    "calor",
    "luz",
    "pausa",
    "descanso",
    "leitura",
    "chá",
    "café",
    "família",
    "amigos",
    "jantar",
    "óleo",
    "essencial",
    "natural",
    "vegano",
    "maçã",
    "coração",
    "tradição",
    "brasileira",
];

/// Fills the shop with `count` products, a batch a transaction.
pub(super) async fn fill(
    shop: &Shop,
    count: u32,
    pictures: Vec<[NewImage; 2]>,
    reviewers: Vec<Reviewer>,
    progress: DemoProgress<'_>,
) -> Result<()> {
    let at = shop.context().work();
    let build = move |tx: &mut dyn Tx| shelves::build(tx, &at);
    let shelves = shop.context().db().write(lane::CATALOG, "demo.shelves", build).await?;
    let stage = Arc::new(Stage { shelves, pictures, reviewers });
    for start in (0..count).step_by(BATCH as usize) {
        let (stage, at) = (Arc::clone(&stage), shop.context().work());
        let batch = start..count.min(start + BATCH);
        let done = batch.end;
        let job = move |tx: &mut dyn Tx| stage.add_batch(tx, &at, batch.clone());
        shop.context().db().write(lane::CATALOG, "demo.products", job).await?;
        progress(DemoStep::Products, done, count);
    }
    Ok(())
}

/// What all made-up products are put together from.
struct Stage {
    shelves: Shelves,
    pictures: Vec<[NewImage; 2]>,
    reviewers: Vec<Reviewer>,
}

impl Stage {
    fn add_batch(&self, tx: &mut dyn Tx, at: &Work, batch: Range<u32>) -> Result<()> {
        let mut known = LearnedWords::new();
        for number in batch {
            let mut dice = Dice::new(number);
            let new = self.product(number, &mut dice)?;
            let (id, _) = add(tx, at, &new, &mut known)?;
            if number % 4 == 0 {
                self.add_variants(tx, at, &id, &new, &mut dice)?;
            }
            let reviews = Reviews::new(dice.below(10), 3 + dice.below(10));
            summarise(tx, &id, reviews)?;
            if number < REVIEWED {
                review(tx, at, &id, reviews, &self.reviewers)?;
            }
        }
        Ok(())
    }

    fn product(&self, number: u32, dice: &mut Dice) -> Result<NewProduct> {
        let name = [KINDS, SCENTS, MOODS].map(|words| *dice.pick(words)).join(" ");
        let slug = Slug::from_name(&format!("{name} {number}")).map_err(Error::from_source)?;
        let cents = 990 + 100 * dice.below_i64(290);
        let on_offer = dice.below(5) == 0;
        let stock = if dice.below(20) == 0 { 0 } else { 1 + dice.below_i64(200) };
        Ok(NewProduct {
            name: fixed(&name)?,
            slug,
            description: Some(fixed(&description(dice))?),
            price: shelves::price(cents)?,
            compare_price: on_offer.then(|| shelves::price(cents + 1000)).transpose()?,
            stock: stock.try_into().map_err(Error::from_source)?,
            sku: Some(fixed(&format!("DEMO-{number:06}"))?),
            weight: Some(Weight::from_grams(100 + dice.below_i64(1400))),
            length: None,
            width: None,
            height: None,
            category_id: Some(dice.pick(&self.shelves.categories).1.clone()),
            featured: dice.below(20) == 0,
            active: true,
            images: self.images(dice),
            variant_required: false,
            variants: Vec::new(),
        })
    }

    fn images(&self, dice: &mut Dice) -> Vec<NewImage> {
        let first = dice.below(self.pictures.len());
        let second = (first + 1) % self.pictures.len();
        let other = NewImage { is_primary: false, ..self.pictures[second][0].clone() };
        self.pictures[first].iter().cloned().chain([other]).collect()
    }

    /// Two sizes of two scents.
    fn add_variants(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        product: &ProductId,
        new: &NewProduct,
        dice: &mut Dice,
    ) -> Result<()> {
        let cents = new.price.get().cents();
        for (step, size) in ["120 g", "200 g"].into_iter().enumerate() {
            for scent in ["Lavanda", "Baunilha"] {
                let values = [("tamanho", size), ("aroma", scent)]
                    .iter()
                    .filter_map(|key| self.shelves.options.get(key))
                    .map(|id| NewVariantValue { variant_option_id: id.clone() })
                    .collect();
                let variant = NewVariant {
                    price: shelves::price(cents + 1000 * i64::from(step == 1))?,
                    compare_price: None,
                    stock: dice.below_i64(50).try_into().map_err(Error::from_source)?,
                    sku: None,
                    weight: None,
                    length: None,
                    width: None,
                    height: None,
                    values,
                };
                add_variant(tx, at, product, &variant)?;
            }
        }
        Ok(())
    }
}

fn description(dice: &mut Dice) -> String {
    let words: Vec<&str> = (0..DESCRIPTION_WORDS).map(|_| *dice.pick(WORDS)).collect();
    words.join(" ")
}

/// Xorshift: fast, and the same on every machine.
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u32) -> Self {
        // Neighbouring seeds must not give neighbouring throws.
        Self((u64::from(seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from((self.next() >> 16) % end).unwrap_or_default()
    }

    pub(super) fn below_i64(&mut self, end: u16) -> i64 {
        i64::try_from(self.below(end.into())).unwrap_or_default()
    }

    pub(super) fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }
}
