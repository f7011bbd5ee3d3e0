use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::error::{Entity, Error};
use shop_core::labels::LabelKind;
use shop_core::shipping::{NewShippingBox, ShippingBox, ShippingBoxPatch};
use shop_core::value::{Length, Text, Weight};

use crate::destination::write_file;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::Table;

/// What orders are sent in.
#[derive(Debug, Subcommand)]
pub(crate) enum ShippingCommand {
    /// The boxes that orders are packed in
    #[command(subcommand)]
    Boxes(Boxes),
    /// Writes labels, declarations of content or packing slips of orders as a PDF
    Label(Label),
}

#[derive(Debug, Args)]
pub(crate) struct Label {
    /// An order's number, as people write it; several for several orders
    #[arg(long = "order", value_name = "NUMBER", required = true)]
    orders: Vec<String>,
    /// What is printed
    #[arg(long, value_enum)]
    kind: Kind,
    /// Where to; `-` is stdout
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// A label with the address for each parcel
    Address,
    /// The declaration of content in the form of Correios
    Content,
    /// What goes into which parcel
    Slip,
}

impl From<Kind> for LabelKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Address => Self::Address,
            Kind::Content => Self::Content,
            Kind::Slip => Self::Slip,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Boxes {
    /// Lists the boxes, oldest first
    List,
    /// Adds a box
    Create(Create),
    /// Changes a box; what is not said stays
    Update(Update),
    /// Deletes a box; orders keep the parcels that they were placed with
    Delete {
        /// Its name or its id
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// What staff call it
    name: Text<1, 80>,
    /// The inner sides in centimetres, e.g. 20x15x10.5
    #[arg(long, value_name = "LxWxH", value_parser = parse_sides)]
    inner: Sides,
    /// The outer sides in centimetres
    #[arg(long, value_name = "LxWxH", value_parser = parse_sides)]
    outer: Sides,
    /// What the empty box weighs with its padding, in kilograms
    #[arg(long, value_name = "KG")]
    tare: Weight,
    /// What the closed parcel may weigh, in kilograms
    #[arg(long, value_name = "KG")]
    max_weight: Weight,
}

#[derive(Debug, Args)]
#[group(multiple = true)]
pub(crate) struct Update {
    /// Its name or its id
    name: String,
    /// What staff call it from now on
    #[arg(long, value_name = "NAME")]
    rename: Option<Text<1, 80>>,
    /// The inner sides in centimetres, e.g. 20x15x10.5
    #[arg(long, value_name = "LxWxH", value_parser = parse_sides)]
    inner: Option<Sides>,
    /// The outer sides in centimetres
    #[arg(long, value_name = "LxWxH", value_parser = parse_sides)]
    outer: Option<Sides>,
    /// What the empty box weighs with its padding, in kilograms
    #[arg(long, value_name = "KG")]
    tare: Option<Weight>,
    /// What the closed parcel may weigh, in kilograms
    #[arg(long, value_name = "KG")]
    max_weight: Option<Weight>,
}

/// Length, width and height. A named type, for clap takes an array of values for something else.
#[derive(Debug, Clone, Copy)]
struct Sides([Length; 3]);

impl ShippingCommand {
    pub(crate) async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        match self {
            Self::Boxes(boxes) => boxes.run(shop, invocation).await,
            Self::Label(label) => label.run(shop).await,
        }
    }
}

impl Label {
    async fn run(self, shop: &Shop) -> Result<(), Failure> {
        let mut ids = Vec::with_capacity(self.orders.len());
        for number in &self.orders {
            ids.push(shop.orders().get_by_number(number).await?.id);
        }
        let pdf = shop.orders().print_labels(self.kind.into(), &ids).await?;
        write_file(shop, &self.output, &pdf)
    }
}

impl Boxes {
    async fn run(self, shop: &Shop, invocation: &Invocation) -> Result<(), Failure> {
        let (shipping, by) = (shop.shipping(), Actor::System);
        let shown = match self {
            Self::List => {
                let found = shipping.list_boxes().await?;
                return invocation.format.write(&found, || table(&found));
            }
            Self::Create(create) => shipping.create_box(&by, create.into()).await?,
            Self::Update(update) => {
                let found = find(shop, &update.name).await?;
                shipping.update_box(&by, &found.id, update.patch(), None).await?
            }
            Self::Delete { name } => {
                let found = find(shop, &name).await?;
                invocation.confirm(&format!("the box {} is deleted for good", found.name))?;
                shipping.delete_box(&by, &found.id, None).await?;
                found
            }
        };
        invocation.format.write(&shown, || table(std::slice::from_ref(&shown)))
    }
}

async fn find(shop: &Shop, name: &str) -> Result<ShippingBox, Failure> {
    let mut boxes = shop.shipping().list_boxes().await?;
    boxes.retain(|each| each.id.as_str() == name || each.name == name);
    if boxes.len() > 1 {
        let ids: Vec<&str> = boxes.iter().map(|each| each.id.as_str()).collect();
        return Err(Failure::new(format!("several boxes are called {name}: {}", ids.join(", "))));
    }
    Ok(boxes.pop().ok_or(Error::NotFound(Entity::Box))?)
}

impl From<Create> for NewShippingBox {
    fn from(create: Create) -> Self {
        let Create { name, inner: Sides(inner), outer: Sides(outer), tare, max_weight } = create;
        let [inner_length, inner_width, inner_height] = inner;
        let [outer_length, outer_width, outer_height] = outer;
        Self {
            name,
            inner_length,
            inner_width,
            inner_height,
            outer_length,
            outer_width,
            outer_height,
            tare_weight: tare,
            max_weight,
        }
    }
}

impl Update {
    fn patch(self) -> ShippingBoxPatch {
        let split = |sides: Option<Sides>| match sides {
            Some(Sides([length, width, height])) => [Some(length), Some(width), Some(height)],
            None => [None; 3],
        };
        let [inner_length, inner_width, inner_height] = split(self.inner);
        let [outer_length, outer_width, outer_height] = split(self.outer);
        ShippingBoxPatch {
            name: self.rename,
            inner_length,
            inner_width,
            inner_height,
            outer_length,
            outer_width,
            outer_height,
            tare_weight: self.tare,
            max_weight: self.max_weight,
        }
    }
}

fn table(boxes: &[ShippingBox]) -> Table<6> {
    let sides = |[length, width, height]: [Length; 3]| format!("{length}x{width}x{height}");
    let kilograms = |weight: Weight| {
        let grams = weight.grams();
        format!("{}.{:03}", grams / 1000, grams % 1000)
    };
    let row = |each: &ShippingBox| {
        [
            each.id.to_string(),
            each.name.clone(),
            sides([each.inner_length, each.inner_width, each.inner_height]),
            sides([each.outer_length, each.outer_width, each.outer_height]),
            kilograms(each.tare_weight),
            kilograms(each.max_weight),
        ]
    };
    Table {
        head: ["ID", "NAME", "INNER CM", "OUTER CM", "TARE KG", "MAX KG"],
        rows: boxes.iter().map(row).collect(),
    }
}

fn parse_sides(text: &str) -> Result<Sides, &'static str> {
    const WRONG: &str = "it must be three sides in centimetres as 20x15x10.5";
    let sides: Result<Vec<Length>, _> = text.split('x').map(str::parse).collect();
    sides.ok().and_then(|sides| sides.try_into().ok()).map(Sides).ok_or(WRONG)
}
