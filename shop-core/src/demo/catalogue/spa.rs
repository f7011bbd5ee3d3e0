//! Soaps, bath salts and massage candles.

use super::product::{DemoProduct, Scent, Shape, variant};

/// The products of the `sabonetes-e-spa` category.
pub(crate) const SPA: &[DemoProduct] = &[
    DemoProduct {
        category: "sabonetes-e-spa",
        slug: "sabonete-alecrim-e-hortela",
        name: "Sabonete Alecrim & Hortelã",
        description: "Barra de 100 g feita a frio e curada por 40 dias, com azeite, óleo de coco e \
                      manteiga de karité. Alecrim e hortelã dão o frescor; a argila verde dá a \
                      cor. Deixe secar numa saboneteira com furos para durar mais.",
        price_cents: 1990,
        compare_price_cents: None,
        stock: 35,
        sku: "SB-ALE",
        weight_grams: 120,
        featured: false,
        scent: Scent::Alecrim,
        shape: Shape::Soap,
        variants: &[],
    },
    DemoProduct {
        category: "sabonetes-e-spa",
        slug: "sabonete-vegetal",
        name: "Sabonete Vegetal da Casa",
        description: "A nossa barra de todo dia, de 100 g, com azeite, óleo de coco e espuma \
                      cremosa. Feita a frio, sem corante artificial e sem ingredientes de origem \
                      animal. Escolha o aroma e guarde em lugar seco; uso externo.",
        price_cents: 2190,
        compare_price_cents: None,
        stock: 70,
        sku: "SB-VEG",
        weight_grams: 120,
        featured: false,
        scent: Scent::Lavanda,
        shape: Shape::Soap,
        variants: &[
            variant("aroma", "Lavanda", 2190, 22, "SB-VEG-LAV"),
            variant("aroma", "Rosa", 2190, 19, "SB-VEG-ROS"),
            variant("aroma", "Capim-santo", 2190, 16, "SB-VEG-CAP"),
            variant("aroma", "Algodão", 2190, 13, "SB-VEG-ALG"),
        ],
    },
    DemoProduct {
        category: "sabonetes-e-spa",
        slug: "sabonete-esfoliante-de-cafe",
        name: "Sabonete Esfoliante de Café",
        description: "Barra de 100 g com borra de café moída fina, manteiga de cacau e óleo de \
                      coco. Esfolia joelhos, cotovelos e mãos de quem cozinha, e leva embora o \
                      cheiro de alho. Use até três vezes por semana e evite o rosto.",
        price_cents: 2390,
        compare_price_cents: None,
        stock: 18,
        sku: "SB-CAF",
        weight_grams: 120,
        featured: false,
        scent: Scent::Cafe,
        shape: Shape::Soap,
        variants: &[],
    },
    DemoProduct {
        category: "sabonetes-e-spa",
        slug: "sais-de-banho-eucalipto",
        name: "Sais de Banho Eucalipto",
        description: "Sal grosso marinho, sal de Epsom e eucalipto, em pote de vidro com rolha. \
                      Dissolva duas colheres de sopa na banheira ou no escalda-pés e aproveite por \
                      15 minutos. O pote de 200 g rende cerca de seis banhos; o de 400 g, doze.",
        price_cents: 3490,
        compare_price_cents: None,
        stock: 25,
        sku: "SB-SEU",
        weight_grams: 450,
        featured: false,
        scent: Scent::Eucalipto,
        shape: Shape::BathSalts,
        variants: &[
            variant("tamanho", "200 g", 3490, 16, "SB-SEU-200"),
            variant("tamanho", "400 g", 5490, 9, "SB-SEU-400"),
        ],
    },
    DemoProduct {
        category: "sabonetes-e-spa",
        slug: "sais-de-banho-rosa-e-hibisco",
        name: "Sais de Banho Rosa & Hibisco",
        description: "Sal rosa, pétalas secas de rosa e hibisco, com perfume de jardim depois da \
                      chuva. São 400 g em pote de vidro com rolha, para cerca de doze banhos. Na \
                      banheira, use o saquinho de algodão que acompanha para recolher as pétalas.",
        price_cents: 5990,
        compare_price_cents: Some(6990),
        stock: 11,
        sku: "SB-SRO-400",
        weight_grams: 620,
        featured: false,
        scent: Scent::Rosa,
        shape: Shape::BathSalts,
        variants: &[],
    },
    DemoProduct {
        category: "sabonetes-e-spa",
        slug: "vela-de-massagem-baunilha",
        name: "Vela de Massagem Baunilha",
        description: "Manteiga de karité, óleo de amêndoas e baunilha numa vela que vira óleo \
                      morno. São 120 g em lata de alumínio. Acenda por 15 minutos, apague, espere \
                      amornar, teste no pulso e só então espalhe na pele.",
        price_cents: 5490,
        compare_price_cents: None,
        stock: 8,
        sku: "SB-MAS",
        weight_grams: 210,
        featured: false,
        scent: Scent::Baunilha,
        shape: Shape::TinCandle,
        variants: &[],
    },
];
