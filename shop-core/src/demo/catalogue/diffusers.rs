//! Reed diffusers.

use super::product::{DemoProduct, Scent, Shape, variant};

/// The products of the `difusores` category.
pub(crate) const DIFFUSERS: &[DemoProduct] = &[
    DemoProduct {
        category: "difusores",
        slug: "difusor-folha-de-figo",
        name: "Difusor Folha de Figo",
        description: "Folha de figueira, leite de coco e cedro claro, num frasco de vidro com seis \
                      varetas de fibra. Dura cerca de 45 dias (100 ml) ou 90 dias (250 ml), \
                      conforme a ventilação. Vire as varetas uma vez por semana para reavivar o \
                      perfume.",
        price_cents: 6990,
        compare_price_cents: None,
        stock: 22,
        sku: "DF-FIG",
        weight_grams: 620,
        featured: true,
        scent: Scent::Figo,
        shape: Shape::Diffuser,
        variants: &[
            variant("volume", "100 ml", 6990, 12, "DF-FIG-100"),
            variant("volume", "250 ml", 11990, 10, "DF-FIG-250"),
        ],
    },
    DemoProduct {
        category: "difusores",
        slug: "difusor-alecrim-do-campo",
        name: "Difusor Alecrim do Campo",
        description: "Alecrim, sálvia e limão-taiti, um cheiro de janela aberta. Frasco de vidro \
                      com varetas de fibra e duração de cerca de 45 dias (100 ml), 90 dias (250 \
                      ml) ou seis meses (500 ml). Mantenha longe do sol direto e de superfícies \
                      envernizadas.",
        price_cents: 6990,
        compare_price_cents: None,
        stock: 26,
        sku: "DF-ALE",
        weight_grams: 620,
        featured: false,
        scent: Scent::Alecrim,
        shape: Shape::Diffuser,
        variants: &[
            variant("volume", "100 ml", 6990, 14, "DF-ALE-100"),
            variant("volume", "250 ml", 11990, 8, "DF-ALE-250"),
            variant("volume", "500 ml", 18990, 4, "DF-ALE-500"),
        ],
    },
    DemoProduct {
        category: "difusores",
        slug: "difusor-flor-de-laranjeira",
        name: "Difusor Flor de Laranjeira",
        description: "Flor de laranjeira, neroli e um fundo morno de âmbar, elegante na entrada de \
                      casa. São 250 ml em frasco de vidro, com oito varetas e cerca de 90 dias de \
                      perfume. Comece com quatro varetas e acrescente as outras se quiser mais \
                      intensidade.",
        price_cents: 11990,
        compare_price_cents: Some(13990),
        stock: 9,
        sku: "DF-FLO-250",
        weight_grams: 620,
        featured: false,
        scent: Scent::FlorDeLaranjeira,
        shape: Shape::Diffuser,
        variants: &[],
    },
    DemoProduct {
        category: "difusores",
        slug: "difusor-sandalo-e-cedro",
        name: "Difusor Sândalo & Cedro",
        description: "Sândalo cremoso, cedro e pimenta-rosa, para salas amplas e escritórios. Traz \
                      250 ml em frasco de vidro, oito varetas de fibra e cerca de 90 dias de \
                      duração. Não contém parafina nem corante.",
        price_cents: 12990,
        compare_price_cents: None,
        stock: 11,
        sku: "DF-SAN-250",
        weight_grams: 620,
        featured: false,
        scent: Scent::Sandalo,
        shape: Shape::Diffuser,
        variants: &[],
    },
    DemoProduct {
        category: "difusores",
        slug: "difusor-algodao-e-linho",
        name: "Difusor Algodão & Linho",
        description: "Flor de algodão, linho lavado e almíscar, limpo sem cheirar a produto de \
                      limpeza. Frasco de vidro com seis varetas, para cerca de 45 dias (100 ml) ou \
                      90 dias (250 ml). Ideal para lavabos, closets e quartos.",
        price_cents: 6990,
        compare_price_cents: None,
        stock: 24,
        sku: "DF-ALG",
        weight_grams: 620,
        featured: false,
        scent: Scent::Algodao,
        shape: Shape::Diffuser,
        variants: &[
            variant("volume", "100 ml", 6990, 15, "DF-ALG-100"),
            variant("volume", "250 ml", 11990, 9, "DF-ALG-250"),
        ],
    },
    DemoProduct {
        category: "difusores",
        slug: "difusor-eucalipto-spa",
        name: "Difusor Eucalipto Spa",
        description: "Eucalipto, hortelã-pimenta e um toque de cânfora, para o banheiro ficar com \
                      ar de sauna. São 250 ml em frasco de vidro com oito varetas, que duram cerca \
                      de 90 dias. Mantenha fora do alcance de crianças e animais.",
        price_cents: 11990,
        compare_price_cents: None,
        stock: 0,
        sku: "DF-EUC-250",
        weight_grams: 620,
        featured: false,
        scent: Scent::Eucalipto,
        shape: Shape::Diffuser,
        variants: &[],
    },
];
