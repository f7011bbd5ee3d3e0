//! One conversation.

use shop_core::account::{NewAddress, Register};
use shop_core::cart::{Cart, CartOwner, GuestToken, NewCartItem};
use shop_core::catalog::{ProductFilter, ProductSort, ProductSummary};
use shop_core::checkout::PlaceOrder;
use shop_core::error::{Conflict, Refusal};
use shop_core::id::{AccountId, AddressId};
use shop_core::order::Order;
use shop_core::value::{Email, Text};
use shop_core::{Error, Result, Shop};

const HELP: &str = "Sou a loja de velas. Escreva /produtos, /adicionar NÚMERO QUANTIDADE, /carrinho, \
                    /remover NÚMERO, /comprar, /pedidos ou /ajuda.";
const WHERE: &str = "Para onde enviamos? Escreva: rua, número, bairro, cidade, UF, CEP";

/// Somebody who writes to the bot.
pub(crate) struct Chat<'a> {
    shop: &'a Shop,
    /// The owner of the cart: a guest until the purchase.
    owner: CartOwner,
    customer: Option<Customer>,
    /// What the next line answers, if the bot asked something.
    asked: Asked,
    /// What `/produtos` showed last, so that people can name products by their place.
    shown: Vec<ProductSummary>,
}

struct Customer {
    account: AccountId,
    address: Option<AddressId>,
}

enum Asked {
    Nothing,
    Name,
    Email(Text<2, 120>),
    Address,
}

impl<'a> Chat<'a> {
    pub(crate) fn begin(shop: &'a Shop) -> Result<Self> {
        let owner = CartOwner::from(&GuestToken::generate()?);
        Ok(Self { shop, owner, customer: None, asked: Asked::Nothing, shown: Vec::new() })
    }

    /// What the bot says to a line.
    pub(crate) async fn hear(&mut self, line: &str) -> Vec<String> {
        if line.is_empty() {
            return Vec::new();
        }
        match self.answer(line).await {
            Ok(said) => said,
            Err(error) => vec![in_words(&error)],
        }
    }

    async fn answer(&mut self, line: &str) -> Result<Vec<String>> {
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default() {
            "/produtos" => self.products().await,
            "/adicionar" => self.add(words.next(), words.next()).await,
            "/remover" => self.remove(words.next()).await,
            "/carrinho" => Ok(cart_lines(&self.shop.carts().get(&self.owner).await?)),
            "/comprar" => self.buy().await,
            "/pedidos" => self.orders().await,
            "/pagar" => self.play_the_bank().await,
            word if word.starts_with('/') => Ok(vec![HELP.to_owned()]),
            _ => self.reply(line).await,
        }
    }

    async fn products(&mut self) -> Result<Vec<String>> {
        let filter =
            ProductFilter { sort: ProductSort::PriceAsc, in_stock: true, ..Default::default() };
        self.shown = self.shop.products().list(filter).await?.data;
        let line = |(i, it): (usize, &ProductSummary)| {
            format!("{}. {}, R$ {} ({} em estoque)", i + 1, it.name, it.price, it.stock)
        };
        Ok(self.shown.iter().enumerate().map(line).collect())
    }

    async fn add(&mut self, place: Option<&str>, units: Option<&str>) -> Result<Vec<String>> {
        let Some(product) = number(place).and_then(|n| self.shown.get(n.checked_sub(1)?)) else {
            return Ok(vec!["Qual? Veja /produtos e escreva /adicionar 1 2.".to_owned()]);
        };
        let units = i64::try_from(number(units).unwrap_or(1)).unwrap_or(i64::MAX);
        let quantity = units.try_into().map_err(|wrong| Error::field("quantity", wrong))?;
        let item = NewCartItem { product_id: product.id.clone(), variant_id: None, quantity };
        Ok(cart_lines(&self.shop.carts().add(&self.owner, item).await?))
    }

    async fn remove(&mut self, place: Option<&str>) -> Result<Vec<String>> {
        let cart = self.shop.carts().get(&self.owner).await?;
        let Some(item) = number(place).and_then(|n| cart.items.get(n.checked_sub(1)?)) else {
            return Ok(vec!["Qual? Veja /carrinho e escreva /remover 1.".to_owned()]);
        };
        Ok(cart_lines(&self.shop.carts().remove(&self.owner, &item.id).await?))
    }

    /// Asks for what an order still needs; then places it and shows its PIX code.
    async fn buy(&mut self) -> Result<Vec<String>> {
        if self.shop.carts().get(&self.owner).await?.items.is_empty() {
            return Ok(vec!["Seu carrinho está vazio.".to_owned()]);
        }
        let (asked, said) = match &self.customer {
            None => (Asked::Name, "Qual é o seu nome?"),
            Some(Customer { address: None, .. }) => (Asked::Address, WHERE),
            Some(Customer { account, address: Some(address) }) => {
                let order = PlaceOrder::to(address.clone());
                let order = self.shop.orders().place(account, order, None).await?.order;
                return self.show_pix(account, &order).await;
            }
        };
        self.asked = asked;
        Ok(vec![said.to_owned()])
    }

    async fn show_pix(&self, account: &AccountId, order: &Order) -> Result<Vec<String>> {
        let pix = self.shop.payments().create_pix(account, &order.id, None).await?;
        Ok(vec![
            format!(
                "Pedido {}: R$ {} + frete R$ {}",
                order.order_number, order.subtotal, order.shipping
            ),
            format!("Pague R$ {} com este código PIX:", pix.amount),
            pix.qr_code_text,
        ])
    }

    /// The answer to what the bot asked.
    async fn reply(&mut self, line: &str) -> Result<Vec<String>> {
        match std::mem::replace(&mut self.asked, Asked::Nothing) {
            Asked::Nothing => Ok(vec![HELP.to_owned()]),
            Asked::Name => {
                let name = line.parse().map_err(|wrong| Error::field("name", wrong))?;
                self.asked = Asked::Email(name);
                Ok(vec!["E o seu e-mail?".to_owned()])
            }
            Asked::Email(name) => {
                if let Ok(email) = line.parse::<Email>() {
                    return self.register(name, email).await;
                }
                self.asked = Asked::Email(name);
                Ok(vec!["Esse e-mail não parece certo. Qual é?".to_owned()])
            }
            Asked::Address => {
                if let Some(address) = address(line) {
                    return self.move_in(address).await;
                }
                self.asked = Asked::Address;
                Ok(vec![WHERE.to_owned()])
            }
        }
    }

    /// Who buys gets an account, and the guest's cart becomes its own. A messenger knows who
    /// writes, so the password is nobody's; the site can set another by e-mail.
    async fn register(&mut self, name: Text<2, 120>, email: Email) -> Result<Vec<String>> {
        let guest = GuestToken::generate()?.reveal();
        let password = guest.parse().map_err(|wrong| Error::field("password", wrong))?;
        let account =
            self.shop.accounts().register(Register { name, email, password }).await?.account;
        if let CartOwner::Guest(guest) = &self.owner {
            self.shop.carts().merge(guest, &account.id).await?;
        }
        self.owner = CartOwner::from(&account.id);
        self.customer = Some(Customer { account: account.id, address: None });
        self.asked = Asked::Address;
        Ok(vec![WHERE.to_owned()])
    }

    async fn move_in(&mut self, address: NewAddress) -> Result<Vec<String>> {
        if let Some(customer) = &mut self.customer {
            let address = self.shop.addresses().create(&customer.account, address).await?;
            customer.address = Some(address.id);
        }
        self.buy().await
    }

    async fn orders(&self) -> Result<Vec<String>> {
        let Some(customer) = &self.customer else {
            return Ok(vec!["Você ainda não comprou.".to_owned()]);
        };
        let line = |order: Order| {
            format!("{}: R$ {}, {}", order.order_number, order.total, in_portuguese(&order))
        };
        Ok(self
            .shop
            .orders()
            .list_for_customer(&customer.account)
            .await?
            .into_iter()
            .map(line)
            .collect())
    }

    /// Not for the real world: plays the customer's bank, and tells what the shop then tells.
    async fn play_the_bank(&self) -> Result<Vec<String>> {
        let Some(customer) = &self.customer else { return Ok(vec![HELP.to_owned()]) };
        let Some(order) =
            self.shop.orders().list_for_customer(&customer.account).await?.into_iter().next()
        else {
            return Ok(vec![HELP.to_owned()]);
        };
        self.shop.sandbox().pay(&order.order_number).await?;
        let told = self.shop.notifications().list(&customer.account).await?;
        Ok(told.into_iter().take(1).map(|told| told.body).collect())
    }
}

fn number(word: Option<&str>) -> Option<usize> {
    word?.parse().ok()
}

fn cart_lines(cart: &Cart) -> Vec<String> {
    if cart.items.is_empty() {
        return vec!["Seu carrinho está vazio.".to_owned()];
    }
    let items = cart.items.iter().enumerate();
    let line = |(i, it): (usize, &shop_core::cart::CartItem)| {
        format!("{}. {} x {}, R$ {}", i + 1, it.quantity, it.product.name, it.total)
    };
    items.map(line).chain([format!("Subtotal: R$ {}", cart.subtotal)]).collect()
}

/// `rua, número, bairro, cidade, UF, CEP`.
fn address(line: &str) -> Option<NewAddress> {
    let parts: Vec<&str> = line.split(',').map(str::trim).collect();
    let [street, number, district, city, state, cep] = parts[..] else { return None };
    Some(NewAddress {
        label: "Casa".parse().ok()?,
        street: street.parse().ok()?,
        number: number.parse().ok()?,
        complement: None,
        district: district.parse().ok()?,
        city: city.parse().ok()?,
        state: state.parse().ok()?,
        zip_code: cep.parse().ok()?,
        is_default: None,
    })
}

fn in_portuguese(order: &Order) -> &'static str {
    match order.status.as_str() {
        "PENDING" => "aguardando pagamento",
        "PROCESSING" => "em preparação",
        "SHIPPED" => "enviado",
        "DELIVERED" => "entregue",
        "CANCELLED" => "cancelado",
        _ => "reembolsado",
    }
}

/// What a customer may hear about an error.
fn in_words(error: &Error) -> String {
    let words = match error {
        Error::Refused(Refusal::InsufficientStock { .. }) => "Não temos tantas unidades.",
        Error::Refused(Refusal::AlreadyPaid) => "Esse pedido já foi pago.",
        Error::Conflict(Conflict::Email) => "Esse e-mail já tem conta na loja: entre pelo site.",
        Error::Invalid(_) => "Não entendi. /ajuda diz o que sei fazer.",
        Error::Busy { .. } | Error::TooManyAttempts { .. } => {
            "Um momento, por favor, e tente de novo."
        }
        _ => "Não deu certo. Tente de novo mais tarde.",
    };
    words.to_owned()
}
