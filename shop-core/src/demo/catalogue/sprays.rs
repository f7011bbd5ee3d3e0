//! Room and linen sprays.

use super::product::{DemoProduct, Scent, Shape, variant};

/// The products of the `home-sprays` category.
pub(crate) const SPRAYS: &[DemoProduct] = &[
    DemoProduct {
        category: "home-sprays",
        slug: "home-spray-lavanda",
        name: "Home Spray Lavanda",
        description: "Lavanda, camomila e almíscar branco, para borrifar no quarto antes de \
                      arrumar a cama. Base de álcool de cereais que seca rápido e não mancha \
                      tecidos claros. O frasco de 250 ml rende mais de mil borrifadas. Agite antes \
                      de usar e aplique a 30 cm de distância.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 36,
        sku: "SP-LAV",
        weight_grams: 360,
        featured: false,
        scent: Scent::Lavanda,
        shape: Shape::Spray,
        variants: &[
            variant("volume", "250 ml", 4990, 24, "SP-LAV-250"),
            variant("volume", "500 ml", 7990, 12, "SP-LAV-500"),
        ],
    },
    DemoProduct {
        category: "home-sprays",
        slug: "home-spray-capim-santo",
        name: "Home Spray Capim-Santo",
        description: "Capim-santo, limão e folha de chá-verde, um frescor imediato para sala e \
                      cozinha. Álcool de cereais e essência, sem corante, em frasco de 250 ml ou \
                      500 ml. Borrife para o alto, no centro do cômodo, e deixe a névoa descer.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 42,
        sku: "SP-CAP",
        weight_grams: 360,
        featured: false,
        scent: Scent::CapimSanto,
        shape: Shape::Spray,
        variants: &[
            variant("volume", "250 ml", 4990, 28, "SP-CAP-250"),
            variant("volume", "500 ml", 7990, 14, "SP-CAP-500"),
        ],
    },
    DemoProduct {
        category: "home-sprays",
        slug: "agua-de-lencois-algodao",
        name: "Água de Lençóis Algodão",
        description: "Algodão, íris e almíscar, para deixar a roupa de cama com cheiro de \
                      recém-passada. São 250 ml de base aquosa com baixo teor de álcool, suave \
                      para tecidos. Borrife nos lençóis ou no ferro a vapor já desligado; teste \
                      antes em tecidos delicados.",
        price_cents: 4490,
        compare_price_cents: None,
        stock: 20,
        sku: "SP-LEN-250",
        weight_grams: 350,
        featured: true,
        scent: Scent::Algodao,
        shape: Shape::Spray,
        variants: &[],
    },
    DemoProduct {
        category: "home-sprays",
        slug: "home-spray-pitanga",
        name: "Home Spray Pitanga",
        description: "Pitanga madura, folha amassada e um fundo de musgo: o quintal da infância em \
                      250 ml. Base de álcool de cereais, com mais de mil borrifadas por frasco. \
                      Use a 30 cm de distância e evite móveis envernizados.",
        price_cents: 4490,
        compare_price_cents: Some(5490),
        stock: 18,
        sku: "SP-PIT-250",
        weight_grams: 350,
        featured: false,
        scent: Scent::Pitanga,
        shape: Shape::Spray,
        variants: &[],
    },
    DemoProduct {
        category: "home-sprays",
        slug: "home-spray-canela-e-laranja",
        name: "Home Spray Canela & Laranja",
        description: "Canela, casca de laranja e noz-moscada, para receber visitas sem ligar o \
                      forno. São 250 ml de álcool de cereais e essência, com mais de mil \
                      borrifadas. Mantenha longe do fogo: o produto é inflamável.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 15,
        sku: "SP-CAN-250",
        weight_grams: 350,
        featured: false,
        scent: Scent::Canela,
        shape: Shape::Spray,
        variants: &[],
    },
    DemoProduct {
        category: "home-sprays",
        slug: "bruma-de-travesseiro-jasmim",
        name: "Bruma de Travesseiro Jasmim",
        description: "Jasmim, camomila e um fundo leve de baunilha, em névoa bem fina. O frasco de \
                      100 ml cabe na mesa de cabeceira e rende cerca de 500 borrifadas. Aplique \
                      duas vezes sobre o travesseiro, dez minutos antes de deitar.",
        price_cents: 3290,
        compare_price_cents: None,
        stock: 21,
        sku: "SP-BRU-100",
        weight_grams: 170,
        featured: false,
        scent: Scent::Jasmim,
        shape: Shape::Spray,
        variants: &[],
    },
];
