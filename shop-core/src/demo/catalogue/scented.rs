//! Scented candles and wax melts.

use super::product::{DemoProduct, Scent, Shape, variant};

/// The products of the `velas-aromaticas` category.
pub(crate) const SCENTED: &[DemoProduct] = &[
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-lavanda-e-alecrim",
        name: "Vela Lavanda & Alecrim",
        description: "Lavanda francesa na abertura, alecrim fresco no coração e um fundo macio de \
                      musgo branco. Cera de coco e soja em copo de vidro, com pavio de algodão sem \
                      chumbo. Queima por cerca de 25 horas (120 g), 45 horas (200 g) ou 80 horas \
                      (400 g). Na primeira vez, deixe acesa até derreter toda a superfície.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 51,
        sku: "VA-LAV",
        weight_grams: 480,
        featured: true,
        scent: Scent::Lavanda,
        shape: Shape::JarCandle,
        variants: &[
            variant("tamanho", "120 g", 4990, 18, "VA-LAV-120"),
            variant("tamanho", "200 g", 6990, 24, "VA-LAV-200"),
            variant("tamanho", "400 g", 11990, 9, "VA-LAV-400"),
        ],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-baunilha-cremosa",
        name: "Vela Baunilha Cremosa",
        description: "Fava de baunilha, leite morno e um toque de açúcar mascavo: cheiro de bolo \
                      saindo do forno, sem enjoar. Cera de coco e soja em copo de vidro, com cerca \
                      de 25 horas de queima (120 g) ou 45 horas (200 g). Combina com a sala no fim \
                      da tarde.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 35,
        sku: "VA-BAU",
        weight_grams: 480,
        featured: false,
        scent: Scent::Baunilha,
        shape: Shape::JarCandle,
        variants: &[
            variant("tamanho", "120 g", 4990, 20, "VA-BAU-120"),
            variant("tamanho", "200 g", 6990, 15, "VA-BAU-200"),
        ],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-canela-e-cravo",
        name: "Vela Canela & Cravo",
        description: "Canela em casca, cravo-da-índia e um fio de mel, para a casa ficar com jeito \
                      de festa junina. Cera vegetal em copo de vidro com tampa de bambu. Queima \
                      por cerca de 25, 45 ou 80 horas, conforme o tamanho. Apare o pavio a 5 mm \
                      antes de cada uso.",
        price_cents: 5290,
        compare_price_cents: None,
        stock: 31,
        sku: "VA-CAN",
        weight_grams: 480,
        featured: false,
        scent: Scent::Canela,
        shape: Shape::JarCandle,
        variants: &[
            variant("tamanho", "120 g", 5290, 14, "VA-CAN-120"),
            variant("tamanho", "200 g", 7290, 11, "VA-CAN-200"),
            variant("tamanho", "400 g", 12490, 6, "VA-CAN-400"),
        ],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-jasmim-da-noite",
        name: "Vela Jasmim da Noite",
        description: "Jasmim-dos-poetas colhido ao anoitecer, folha verde e almíscar claro. Contém \
                      200 g de cera de coco e soja, com cerca de 45 horas de queima. Acenda meia \
                      hora antes de dormir e apague com o abafador para não fazer fumaça.",
        price_cents: 6490,
        compare_price_cents: Some(7990),
        stock: 16,
        sku: "VA-JAS-200",
        weight_grams: 470,
        featured: true,
        scent: Scent::Jasmim,
        shape: Shape::JarCandle,
        variants: &[],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-cedro-e-musgo",
        name: "Vela Cedro & Musgo",
        description: "Cedro seco, musgo de carvalho e um traço de couro, como uma biblioteca \
                      antiga em dia de chuva. Cera de coco e soja em copo de vidro, com cerca de \
                      45 horas de queima (200 g) ou 80 horas (400 g). Boa companhia para o \
                      escritório e para ambientes de até 20 m².",
        price_cents: 7290,
        compare_price_cents: None,
        stock: 20,
        sku: "VA-CED",
        weight_grams: 470,
        featured: false,
        scent: Scent::Cedro,
        shape: Shape::JarCandle,
        variants: &[
            variant("tamanho", "200 g", 7290, 13, "VA-CED-200"),
            variant("tamanho", "400 g", 12490, 7, "VA-CED-400"),
        ],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-bergamota-solar",
        name: "Vela Bergamota Solar",
        description: "Bergamota, casca de limão-siciliano e chá-preto numa lata de alumínio com \
                      tampa, boa de levar na mala. São 120 g de cera de soja e cerca de 25 horas \
                      de queima. Apoie a lata sobre uma superfície que resista ao calor.",
        price_cents: 4490,
        compare_price_cents: None,
        stock: 22,
        sku: "VA-BER-120",
        weight_grams: 210,
        featured: false,
        scent: Scent::Bergamota,
        shape: Shape::TinCandle,
        variants: &[],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-capim-santo",
        name: "Vela Capim-Santo",
        description: "Capim-santo recém-cortado, gengibre e hortelã: a nossa vela mais pedida para \
                      a cozinha, porque disfarça cheiro de fritura. Cera de coco e soja em copo de \
                      vidro, pavio de algodão. Queima por cerca de 25, 45 ou 80 horas, conforme o \
                      tamanho.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 52,
        sku: "VA-CAP",
        weight_grams: 480,
        featured: true,
        scent: Scent::CapimSanto,
        shape: Shape::JarCandle,
        variants: &[
            variant("tamanho", "120 g", 4990, 25, "VA-CAP-120"),
            variant("tamanho", "200 g", 6990, 19, "VA-CAP-200"),
            variant("tamanho", "400 g", 11990, 8, "VA-CAP-400"),
        ],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-flor-de-laranjeira",
        name: "Vela Flor de Laranjeira",
        description: "Flor de laranjeira, petitgrain e mel de laranjal, um floral claro que não \
                      pesa. Leva 200 g de cera de coco e soja e queima por cerca de 45 horas. \
                      Depois do último uso, lave o copo com água morna e reaproveite como vaso.",
        price_cents: 6990,
        compare_price_cents: None,
        stock: 12,
        sku: "VA-FLO-200",
        weight_grams: 470,
        featured: false,
        scent: Scent::FlorDeLaranjeira,
        shape: Shape::JarCandle,
        variants: &[],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-figo-maduro",
        name: "Vela Figo Maduro",
        description: "Figo maduro, folha de figueira e coco ralado, entre o doce e o verde. São \
                      200 g de cera de coco e soja em copo de vidro, com cerca de 45 horas de \
                      queima. Mantenha acesa por no máximo quatro horas seguidas.",
        price_cents: 6290,
        compare_price_cents: Some(7490),
        stock: 10,
        sku: "VA-FIG-200",
        weight_grams: 470,
        featured: false,
        scent: Scent::Figo,
        shape: Shape::JarCandle,
        variants: &[],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-cafe-da-manha",
        name: "Vela Café da Manhã",
        description: "Café coado na hora, casquinha de pão e uma pitada de cacau, em lata de \
                      alumínio com tampa. Contém 120 g de cera de soja e rende cerca de 25 horas. \
                      Os grãos da imagem são só enfeite: a vela não leva grãos na superfície, que \
                      poderiam pegar fogo.",
        price_cents: 4490,
        compare_price_cents: None,
        stock: 17,
        sku: "VA-CAF-120",
        weight_grams: 210,
        featured: false,
        scent: Scent::Cafe,
        shape: Shape::TinCandle,
        variants: &[],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "vela-algodao-limpo",
        name: "Vela Algodão Limpo",
        description: "Roupa secando ao sol: flor de algodão, notas aquosas e almíscar branco. Cera \
                      de coco e soja em copo de vidro, com cerca de 25 horas de queima (120 g) ou \
                      45 horas (200 g). Perfume discreto, bom para lavabo e quarto de hóspedes.",
        price_cents: 4990,
        compare_price_cents: None,
        stock: 28,
        sku: "VA-ALG",
        weight_grams: 480,
        featured: false,
        scent: Scent::Algodao,
        shape: Shape::JarCandle,
        variants: &[
            variant("tamanho", "120 g", 4990, 16, "VA-ALG-120"),
            variant("tamanho", "200 g", 6990, 12, "VA-ALG-200"),
        ],
    },
    DemoProduct {
        category: "velas-aromaticas",
        slug: "tabletes-de-cera-perfumada",
        name: "Tabletes de Cera Perfumada",
        description: "Pacote com seis tabletes de cera de soja, 80 g no total, para derreter em \
                      rechaud ou aquecedor elétrico. Cada tablete perfuma por cerca de oito horas. \
                      Para trocar de aroma, espere a cera endurecer e solte com uma espátula.",
        price_cents: 2990,
        compare_price_cents: None,
        stock: 52,
        sku: "VA-TAB",
        weight_grams: 110,
        featured: false,
        scent: Scent::Rosa,
        shape: Shape::Melts,
        variants: &[
            variant("aroma", "Rosa", 2990, 20, "VA-TAB-ROS"),
            variant("aroma", "Lavanda", 2990, 18, "VA-TAB-LAV"),
            variant("aroma", "Baunilha", 2990, 14, "VA-TAB-BAU"),
        ],
    },
];
