//! One search, whichever engine: SQLite's index and PostgreSQL's find the same for the same words.

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::catalog::NewProduct;
use shop_core::demo::{self, DemoSize};
use shop_core::{Config, Shop};

use super::fixture::input;
use crate::database::Database;

/// What somebody may type: beginnings, accents, several words, misspelt ones, signs, nothing alike.
const TYPED: [&str; 24] = [
    "lavanda",
    "LAVANDA",
    "lav",
    "lavnda",
    "vela lavanda",
    "maçã canela",
    "maca canela",
    "maçã & canela",
    "sache",
    "sachê",
    "ß",
    "ss",
    "ø",
    "o",
    "d'água",
    "vela-de",
    "100%",
    "\"vela\"",
    "vela*",
    "vela OR sachê",
    "não há",
    "xyzxyz",
    "kit presente mãe",
    "cera de coco e algodão, queima por horas",
];

async fn demo_on(database: &Database, folder: &std::path::Path) -> Shop {
    let config = Config {
        database: database.name().to_owned(),
        uploads_dir: Some(folder.join("uploads")),
        ..Config::default()
    };
    let shop = Shop::open(config).await.expect("a shop");
    demo::seed(&shop, DemoSize::Shop).await.expect("seeded");
    for name in ["Straße im Winter", "Smørrebrød de cera", "Gota d'água"] {
        let name = name.parse().expect("a name");
        let stock = 1.try_into().expect("a level");
        let product = NewProduct::new(name, "9.90".parse().expect("a price"), stock);
        let product = product.expect("a product");
        shop.products().create(&Actor::System, product, None).await.expect("created");
    }
    shop
}

async fn found(shop: &Shop, typed: &str) -> Vec<String> {
    let query = input(json!({ "q": typed, "limit": 50 }));
    let page = shop.products().search(query).await.expect("a search");
    page.data.into_iter().map(|hit| format!("{} {}", hit.slug, hit.name)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_engines_find_the_same_for_the_same_words() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let (file, other) = (Database::file(folders[0].path()), Database::new(folders[1].path()));
    if other.is_a_file() {
        eprintln!("left out: SHOP_TEST_POSTGRES names no server to compare with");
        return;
    }
    let (one, two) =
        (demo_on(&file, folders[0].path()).await, demo_on(&other, folders[1].path()).await);
    let mut hits = 0;
    for typed in TYPED {
        let (here, there) = (found(&one, typed).await, found(&two, typed).await);
        assert_eq!(here, there, "{typed:?}");
        hits += here.len();
    }
    assert!(hits > 40, "{hits} hits say little");
}
