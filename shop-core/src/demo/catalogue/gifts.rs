//! Boxed sets and gifts.

use super::product::{DemoProduct, Scent, Shape, variant};

/// The products of the `kits-e-presentes` category.
pub(crate) const GIFTS: &[DemoProduct] = &[
    DemoProduct {
        category: "kits-e-presentes",
        slug: "kit-boas-vindas",
        name: "Kit Boas-Vindas",
        description: "Para casa nova: vela Capim-Santo de 120 g (cerca de 25 horas), home spray \
                      Capim-Santo de 250 ml e um sabonete vegetal de 100 g. Vai em caixa rígida \
                      com laço de algodão e cartão escrito à mão. Diga no pedido o que quer que a \
                      gente escreva.",
        price_cents: 12990,
        compare_price_cents: Some(14990),
        stock: 14,
        sku: "KT-BOA",
        weight_grams: 900,
        featured: true,
        scent: Scent::CapimSanto,
        shape: Shape::GiftBox,
        variants: &[],
    },
    DemoProduct {
        category: "kits-e-presentes",
        slug: "kit-spa-em-casa",
        name: "Kit Spa em Casa",
        description: "Sais de banho de eucalipto de 400 g, sabonete Alecrim & Hortelã de 100 g e \
                      uma vela de 120 g para apagar a luz do banheiro. Inclui toalhinha de mão em \
                      algodão cru. A vela queima por cerca de 25 horas; mantenha-a longe da água e \
                      da cortina do box.",
        price_cents: 15990,
        compare_price_cents: None,
        stock: 10,
        sku: "KT-SPA",
        weight_grams: 1250,
        featured: true,
        scent: Scent::Eucalipto,
        shape: Shape::GiftBox,
        variants: &[],
    },
    DemoProduct {
        category: "kits-e-presentes",
        slug: "kit-descoberta",
        name: "Kit Descoberta Quatro Aromas",
        description: "Quatro latinhas de 50 g para achar o seu perfume: bergamota, lavanda, canela \
                      e algodão. Cada uma queima por cerca de dez horas, em cera de soja com pavio \
                      de algodão. Acompanha um vale de R$ 10,00 para a próxima vela de 200 g.",
        price_cents: 7990,
        compare_price_cents: None,
        stock: 24,
        sku: "KT-DES",
        weight_grams: 420,
        featured: false,
        scent: Scent::Bergamota,
        shape: Shape::GiftBox,
        variants: &[],
    },
    DemoProduct {
        category: "kits-e-presentes",
        slug: "kit-jantar-a-dois",
        name: "Kit Jantar a Dois",
        description: "Par de velas castiçal de 25 cm na cor que você escolher, seis rechauds de 15 \
                      g e uma caixa de fósforos longos. O perfume de figo é discreto e não \
                      atrapalha a comida. As velas altas queimam por cerca de oito horas; os \
                      rechauds, por quatro.",
        price_cents: 9990,
        compare_price_cents: None,
        stock: 15,
        sku: "KT-JAN",
        weight_grams: 620,
        featured: false,
        scent: Scent::Figo,
        shape: Shape::GiftBox,
        variants: &[
            variant("cor", "Branco", 9990, 8, "KT-JAN-BRA"),
            variant("cor", "Terracota", 9990, 7, "KT-JAN-TER"),
        ],
    },
    DemoProduct {
        category: "kits-e-presentes",
        slug: "caixa-casa-perfumada",
        name: "Caixa Casa Perfumada",
        description: "A caixa completa em flor de laranjeira: vela de 400 g (cerca de 80 horas), \
                      difusor de 250 ml (cerca de 90 dias) e home spray de 500 ml. Tudo em vidro, \
                      protegido por palha de madeira, em caixa rígida forrada de tecido. Comece \
                      pelo difusor na entrada e deixe a vela para a sala.",
        price_cents: 28990,
        compare_price_cents: Some(32990),
        stock: 6,
        sku: "KT-CAS",
        weight_grams: 2400,
        featured: false,
        scent: Scent::FlorDeLaranjeira,
        shape: Shape::GiftBox,
        variants: &[],
    },
    DemoProduct {
        category: "kits-e-presentes",
        slug: "kit-obrigada-professora",
        name: "Kit Obrigada, Professora",
        description: "Um agradecimento pequeno e bem embrulhado: vela de pitanga em lata de 120 g \
                      e sabonete vegetal de 100 g. A vela é de cera de soja e queima por cerca de \
                      25 horas. Caixa de papel kraft com laço e etiqueta para assinar.",
        price_cents: 5990,
        compare_price_cents: None,
        stock: 19,
        sku: "KT-OBR",
        weight_grams: 360,
        featured: false,
        scent: Scent::Pitanga,
        shape: Shape::GiftBox,
        variants: &[],
    },
];
