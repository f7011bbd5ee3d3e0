//! Pillars, tapers, sculpted candles and tealights.

use super::product::{DemoProduct, Scent, Shape, variant};

/// The products of the `velas-decorativas` category.
pub(crate) const DECORATIVE: &[DemoProduct] = &[
    DemoProduct {
        category: "velas-decorativas",
        slug: "vela-pilar-sandalo",
        name: "Vela Pilar Sândalo",
        description: "Pilar rústico de 7 por 15 cm, com sândalo cremoso e um fundo de âmbar. São \
                      520 g de cera de palma certificada e cerca de 70 horas de queima. Use sempre \
                      sobre um prato, longe de correntes de ar.",
        price_cents: 5990,
        compare_price_cents: None,
        stock: 26,
        sku: "VD-PIS",
        weight_grams: 640,
        featured: false,
        scent: Scent::Sandalo,
        shape: Shape::PillarCandle,
        variants: &[
            variant("cor", "Branco", 5990, 9, "VD-PIS-BRA"),
            variant("cor", "Terracota", 5990, 11, "VD-PIS-TER"),
            variant("cor", "Verde-sálvia", 5990, 6, "VD-PIS-SAL"),
        ],
    },
    DemoProduct {
        category: "velas-decorativas",
        slug: "vela-pilar-floco-de-algodao",
        name: "Vela Pilar Floco de Algodão",
        description: "Pilar liso de 7 por 10 cm, com perfume leve de algodão e almíscar branco. \
                      São 350 g de cera de palma e cerca de 45 horas de queima. A superfície \
                      esbranquiçada é a textura natural da cera vegetal.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 13,
        sku: "VD-PIA",
        weight_grams: 450,
        featured: false,
        scent: Scent::Algodao,
        shape: Shape::PillarCandle,
        variants: &[],
    },
    DemoProduct {
        category: "velas-decorativas",
        slug: "vela-bubble-baunilha",
        name: "Vela Bubble Baunilha",
        description: "O cubo de bolinhas que virou queridinho das estantes, com baunilha suave. \
                      Moldado à mão em 180 g de cera de soja e coco, queima por cerca de 15 horas. \
                      Apoie num pratinho, pois a cera escorre, ou deixe só de enfeite.",
        price_cents: 3490,
        compare_price_cents: None,
        stock: 66,
        sku: "VD-BUB",
        weight_grams: 260,
        featured: true,
        scent: Scent::Baunilha,
        shape: Shape::BubbleCandle,
        variants: &[
            variant("cor", "Branco", 3490, 22, "VD-BUB-BRA"),
            variant("cor", "Terracota", 3490, 12, "VD-BUB-TER"),
            variant("cor", "Verde-sálvia", 3490, 15, "VD-BUB-SAL"),
            variant("cor", "Rosa-chá", 3490, 17, "VD-BUB-ROS"),
        ],
    },
    DemoProduct {
        category: "velas-decorativas",
        slug: "vela-bubble-rosa-do-campo",
        name: "Vela Bubble Rosa do Campo",
        description: "A bubble em tom de rosa-chá, com perfume de rosa fresca e peônia. São 180 g \
                      de cera de soja e coco moldados um a um, com cerca de 15 horas de queima. \
                      Sai em lotes pequenos: se esgotou, a próxima fornada não demora.",
        price_cents: 3490,
        compare_price_cents: None,
        stock: 0,
        sku: "VD-BUR",
        weight_grams: 260,
        featured: false,
        scent: Scent::Rosa,
        shape: Shape::BubbleCandle,
        variants: &[],
    },
    DemoProduct {
        category: "velas-decorativas",
        slug: "par-de-velas-castical",
        name: "Par de Velas Castiçal",
        description: "Duas velas altas de 25 cm, com base de 2,2 cm que serve na maioria dos \
                      castiçais. Cera de palma tingida na massa, com um sopro de jasmim que não \
                      briga com a comida. Cada uma pesa 75 g e queima por cerca de oito horas. Os \
                      castiçais da imagem não acompanham.",
        price_cents: 2990,
        compare_price_cents: None,
        stock: 69,
        sku: "VD-CAS",
        weight_grams: 190,
        featured: false,
        scent: Scent::Jasmim,
        shape: Shape::TaperPair,
        variants: &[
            variant("cor", "Branco", 2990, 30, "VD-CAS-BRA"),
            variant("cor", "Terracota", 2990, 18, "VD-CAS-TER"),
            variant("cor", "Verde-sálvia", 2990, 21, "VD-CAS-SAL"),
        ],
    },
    DemoProduct {
        category: "velas-decorativas",
        slug: "par-de-velas-torcidas",
        name: "Par de Velas Torcidas",
        description: "Duas velas de 25 cm torcidas à mão ainda mornas, em tom de terracota e com \
                      canela bem de leve. São 75 g de cera de palma cada uma e cerca de sete horas \
                      de queima. Apare o pavio antes de acender para que não pinguem.",
        price_cents: 3690,
        compare_price_cents: Some(4590),
        stock: 14,
        sku: "VD-TOR",
        weight_grams: 190,
        featured: false,
        scent: Scent::Canela,
        shape: Shape::TaperPair,
        variants: &[],
    },
    DemoProduct {
        category: "velas-decorativas",
        slug: "velas-rechaud-bergamota",
        name: "Velas Rechaud Bergamota",
        description: "Seis velinhas de 15 g com bergamota e flor de chá, em copinho de alumínio \
                      reciclável. Cada uma queima por cerca de quatro horas, o tempo de um jantar. \
                      Servem em qualquer rechaud e em lanternas pequenas.",
        price_cents: 1990,
        compare_price_cents: None,
        stock: 40,
        sku: "VD-REB",
        weight_grams: 130,
        featured: false,
        scent: Scent::Bergamota,
        shape: Shape::TealightSet,
        variants: &[],
    },
    DemoProduct {
        category: "velas-decorativas",
        slug: "velas-rechaud-alecrim",
        name: "Velas Rechaud Alecrim",
        description: "Doze velinhas de 15 g com alecrim e sálvia, frescas como horta molhada. Cera \
                      de soja em copinho de alumínio reciclável, com cerca de quatro horas de \
                      queima por unidade. Deixe ao menos 10 cm entre uma chama e outra.",
        price_cents: 3490,
        compare_price_cents: Some(3990),
        stock: 26,
        sku: "VD-REA",
        weight_grams: 250,
        featured: false,
        scent: Scent::Alecrim,
        shape: Shape::TealightSet,
        variants: &[],
    },
];
