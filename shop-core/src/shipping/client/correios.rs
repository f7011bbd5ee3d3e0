//! Correios, by its contract API (CWS).

use std::collections::HashSet;
use std::time::Duration;

use base64::Engine as _;
use chrono::{NaiveDateTime, TimeZone as _};
use chrono_tz::America::Sao_Paulo;
use futures_util::future::{self, BoxFuture};
use hyper::header::AUTHORIZATION;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::answer::{amount, days, is_no_offer, refused, text};
use super::correios_extras::Extras;
use crate::clock::Timestamp;
use crate::config::{CorreiosConfig, Secret};
use crate::http_client::{Call, Http};
use crate::money::Money;
use crate::shipping::carrier::{CarrierError, CarrierOption, CarrierQuotes, Parcel, Volume};
use crate::value::Cep;

/// A token is renewed so long before it ends.
const EARLY: Duration = Duration::from_secs(10 * 60);
/// A token that does not say when it ends is used for so long.
const SHORT: Duration = Duration::from_secs(60 * 60);
/// `tpObjeto` of a box.
const BOX_TYPE: &str = "2";

pub(super) struct Correios {
    url: String,
    contract: Option<String>,
    access: Access,
    services: Vec<String>,
    extras: Extras,
    origin: Cep,
    http: Http,
    token: Mutex<Option<Token>>,
}

/// How the shop gets its token.
enum Access {
    Ready(Secret),
    Card { user: String, access_code: Secret, card: String },
}

/// A token, with what it says about the contract it is for.
#[derive(Clone)]
struct Token {
    secret: Secret,
    contract: Option<String>,
    region: Option<i64>,
    until: Option<Timestamp>,
}

impl Correios {
    pub(super) fn new(config: &CorreiosConfig, origin: &Cep, http: &Http) -> Option<Self> {
        let access = match (&config.token, &config.user, &config.access_code, &config.card) {
            (Some(token), ..) => Access::Ready(token.clone()),
            (None, Some(user), Some(access_code), Some(card)) => Access::Card {
                user: user.clone(),
                access_code: access_code.clone(),
                card: card.clone(),
            },
            _ => return None,
        };
        // One that is named twice would have two prices for each volume.
        let mut services = config.services.clone();
        let mut named = HashSet::new();
        services.retain(|service| named.insert(service.clone()));
        Some(Self {
            url: config.url.clone(),
            contract: config.contract.clone(),
            access,
            services,
            extras: Extras::of(config),
            origin: origin.clone(),
            http: http.clone(),
            token: Mutex::default(),
        })
    }

    fn price_request(&self, parcel: &Parcel, token: &Token) -> Value {
        let contract = self.contract.as_ref().or(token.contract.as_ref());
        let of_volume = |(n, (service, volume)): (usize, (&String, &Volume))| {
            let mut request = json!({
                "coProduto": service,
                "nuRequisicao": (n + 1).to_string(),
                "cepOrigem": self.origin,
                "cepDestino": parcel.to,
                "psObjeto": volume.weight.grams().to_string(),
                "tpObjeto": BOX_TYPE,
                "comprimento": volume.size.length.to_string(),
                "largura": volume.size.width.to_string(),
                "altura": volume.size.height.to_string(),
            });
            self.extras.add_to(&mut request, service, volume.value);
            if let Some(contract) = contract {
                request["nuContrato"] = contract.as_str().into();
            }
            if let Some(region) = token.region {
                request["nuDR"] = region.into();
            }
            request
        };
        let volumes = self
            .services
            .iter()
            .flat_map(|service| parcel.volumes.iter().map(move |volume| (service, volume)));
        let requests: Vec<Value> = volumes.enumerate().map(of_volume).collect();
        json!({ "idLote": "1", "parametrosProduto": requests })
    }

    fn term_request(&self, parcel: &Parcel, now: Timestamp) -> Value {
        let day = now.local_day().format("%d-%m-%Y").to_string();
        let of_service = |(n, service): (usize, &String)| {
            json!({
                "coProduto": service,
                "nuRequisicao": (n + 1).to_string(),
                "cepOrigem": self.origin,
                "cepDestino": parcel.to,
                "dtEvento": day,
            })
        };
        let requests: Vec<Value> = self.services.iter().enumerate().map(of_service).collect();
        json!({ "idLote": "1", "parametrosPrazo": requests })
    }

    /// Asks about all services at once. The list of answers comes with 200 or, when entries of it
    /// failed, with 400.
    async fn batch(
        &self,
        path: &str,
        request: Value,
        token: &Token,
        now: Timestamp,
    ) -> Result<Vec<Value>, CarrierError> {
        let call = Call::post(&self.url, path, &request)?.bearer(&token.secret)?;
        let answer = self.http.send(call).await?;
        match (answer.status, super::answer::json(&answer.body)) {
            (200 | 400, Ok(Value::Array(entries))) => Ok(entries),
            (200, Ok(_)) => Err(CarrierError::Garbage("no list of services")),
            (200, Err(error)) => Err(error),
            (status, _) if is_no_offer(status) => Ok(Vec::new()),
            _ => Err(refused(&answer, now)),
        }
    }

    /// The token of the day; a caller that comes while it is being fetched waits for it.
    async fn token(&self, now: Timestamp) -> Result<Token, CarrierError> {
        let (user, access_code, card) = match &self.access {
            Access::Card { user, access_code, card } => (user, access_code, card),
            Access::Ready(token) => {
                let secret = token.clone();
                return Ok(Token { secret, contract: None, region: None, until: None });
            }
        };
        let mut kept = self.token.lock().await;
        if let Some(token) = &*kept
            && token.until.is_some_and(|until| now < until)
        {
            return Ok(token.clone());
        }
        let basic = format!("{user}:{}", access_code.reveal());
        let basic = base64::engine::general_purpose::STANDARD.encode(basic);
        let body = json!({ "numero": card });
        let call = Call::post(&self.url, "/token/v1/autentica/cartaopostagem", &body)?
            .secret(AUTHORIZATION, &format!("Basic {basic}"))?;
        let answer = self.http.send(call).await?;
        if !matches!(answer.status, 200 | 201) {
            return Err(refused(&answer, now));
        }
        let token = read_token(&super::answer::json(&answer.body)?, now)?;
        *kept = Some(token.clone());
        Ok(token)
    }
}

impl CarrierQuotes for Correios {
    fn name(&self) -> &'static str {
        "Correios"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        Box::pin(async move {
            let token = self.token(now).await?;
            let (prices, terms) =
                (self.price_request(parcel, &token), self.term_request(parcel, now));
            let prices = self.batch("/preco/v1/nacional", prices, &token, now);
            let terms = self.batch("/prazo/v1/nacional", terms, &token, now);
            let answers = future::try_join(prices, terms).await;
            if matches!(answers, Err(CarrierError::Status(401 | 403))) {
                // The next question fetches a new one.
                *self.token.lock().await = None;
            }
            let (prices, terms) = answers?;
            let volumes = parcel.volumes.len();
            let options = self
                .services
                .iter()
                .filter_map(|service| option(service, volumes, &prices, &terms));
            Ok(options.collect())
        })
    }
}

/// `expiraEm` is the local time of Brasília, without its offset.
fn read_token(answer: &Value, now: Timestamp) -> Result<Token, CarrierError> {
    let secret = text(answer, "token").ok_or(CarrierError::Garbage("no token"))?;
    let ends = text(answer, "expiraEm")
        .and_then(|text| text.parse::<NaiveDateTime>().ok())
        .and_then(|local| Sao_Paulo.from_local_datetime(&local).earliest())
        .map(|ends| Timestamp::from_millis(ends.timestamp_millis()).minus(EARLY));
    let card = &answer["cartaoPostagem"];
    Ok(Token {
        secret: Secret::new(secret),
        contract: text(card, "contrato").map(str::to_owned),
        region: card["dr"].as_i64(),
        until: Some(ends.unwrap_or(now.plus(SHORT))),
    })
}

/// A service that has a price for each volume, and a term. The price is their sum, since each
/// volume is an object of its own to Correios.
fn option(
    service: &str,
    volumes: usize,
    prices: &[Value],
    terms: &[Value],
) -> Option<CarrierOption> {
    let good = |entry: &&Value| entry["coProduto"] == service && text(entry, "txErro").is_none();
    let prices = prices.iter().filter(good).map(|entry| amount(&entry["pcFinal"]));
    let prices: Vec<Money> = prices.collect::<Option<_>>()?;
    let term = terms.iter().find(good)?;
    if prices.len() != volumes {
        return None;
    }
    Some(CarrierOption {
        id: format!("correios-{service}"),
        name: format!("Correios {}", name(service)),
        price: prices.into_iter().sum(),
        estimated_days: days(&term["prazoEntrega"])?,
    })
}

/// What shoppers call a service.
fn name(service: &str) -> &str {
    match service {
        "03298" => "PAC",
        "03220" => "SEDEX",
        "03140" => "SEDEX 12",
        "03158" => "SEDEX 10",
        "03204" => "SEDEX Hoje",
        "04227" => "Mini Envios",
        other => other,
    }
}
