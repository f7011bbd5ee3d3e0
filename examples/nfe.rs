//! Writes and signs an electronic invoice without a shop: a sale of two candles, in the test
//! environment. What it prints is ready for an `NfeIssuer`, e.g. `shop_core::nfe::sefaz::Sefaz`.
//!
//! `NFE_PASSWORD=.. cargo run -p shop-examples --example nfe -- company.pfx > nfe.xml`

use std::error::Error;

use shop_core::clock::{Clock, SystemClock};
use shop_core::config::{IssuerKind, NfeConfig, Secret};
use shop_core::nfe::{
    Certificate, City, Fiscal, FiscalAddress, Invoice, Line, Origin, PaymentMeans, Recipient,
    RecipientId, TaxEnvironment,
};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: nfe PKCS12_FILE")?;
    let password = Secret::new(std::env::var("NFE_PASSWORD").unwrap_or_default());
    let certificate = Certificate::from_pkcs12(&std::fs::read(file)?, &password)?;

    // A company that does not exist; its number is the certificate's.
    let sample = NfeConfig { issuer: IssuerKind::Sandbox, ..NfeConfig::default() };
    let mut company = sample.company()?;
    if let Some(cnpj) = certificate.cnpj() {
        company.cnpj = cnpj.parse()?;
    }
    let city = City::of_address(&"RJ".parse()?, "Rio de Janeiro", &"20010-020".parse()?);
    let address = FiscalAddress {
        street: "Rua São José".to_owned(),
        number: "20".to_owned(),
        complement: None,
        district: "Centro".to_owned(),
        city: city.ok_or("no such city")?,
        state: "RJ".parse()?,
        zip_code: "20010-020".parse()?,
    };
    let cpf = "529.982.247-25".parse()?;
    let name = "Ana Conceição".to_owned();
    let candle = Line {
        code: "VELA-LAV-200".to_owned(),
        name: "Vela de lavanda 200 g".to_owned(),
        quantity: 2,
        price: "49.90".parse()?,
        cfop: "6107".parse()?,
        fiscal: Fiscal {
            ncm: "34060000".parse()?,
            cest: None,
            gtin: None,
            origin: Origin::NATIONAL,
            csosn: "102".parse()?,
            unit: "UN".parse()?,
        },
    };
    let invoice = Invoice {
        environment: TaxEnvironment::Homologation,
        series: 1,
        number: 1,
        code: 48_271_936,
        issued_at: SystemClock.now(),
        company,
        recipient: Recipient {
            id: RecipientId::Person(cpf),
            name,
            address,
            email: None,
            phone: None,
        },
        lines: vec![candle],
        freight: "18.50".parse()?,
        discount: "5.00".parse()?,
        parcels: 1,
        weight_grams: 500,
        means: PaymentMeans::Pix,
        order_number: "1".to_owned(),
        ibs_cbs: None,
        responsible: None,
        tax_share: None,
    };
    println!("{}", invoice.sign(&certificate)?.xml);
    Ok(())
}
