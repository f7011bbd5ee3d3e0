//! Parts behind pointers are parts too: a program that chooses one while it runs hands its
//! `Box<dyn ..>` or `Arc<dyn ..>` to the builder as it would the part itself.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::clock::{Clock, Timestamp};
use crate::error::Result;
use crate::mail::{Mailer, NotSent, OutgoingMail};
use crate::media::{Media, MediaName, MediaStore, OpenMedia};
#[cfg(feature = "nfe")]
use crate::nfe::{AccessKey, IssuerError, KnownCorrection, NfeIssuer, Outcome, Registered};
use crate::payment::{
    Answer, CardRequest, IntentRequest, Intents, PaymentProvider, PixAndCards, PixRequest,
    ProviderPayment, ProviderRefund, RefundRequest,
};
use crate::shipping::{CarrierError, CarrierOption, CarrierQuotes, Parcel, Place, PostalCodes};
use crate::storage::{ConcurrentJob, Generations, Job, Lane, ReadCost, Storage, StorageFigures};
use crate::value::Cep;

/// Implements a trait for both pointers, each method by that of what it points to.
macro_rules! behind_pointers {
    ($port:ident {
        $(fn $name:ident$(<$life:lifetime>)?(&$($own:lifetime)? self $(, $arg:ident: $type:ty)*) -> $answer:ty;)+
    }) => {
        behind_pointers! { @ Arc $port { $(fn $name$(<$life>)?(&$($own)? self $(, $arg: $type)*) -> $answer;)+ } }
        behind_pointers! { @ Box $port { $(fn $name$(<$life>)?(&$($own)? self $(, $arg: $type)*) -> $answer;)+ } }
    };
    (@ $pointer:ident $port:ident {
        $(fn $name:ident$(<$life:lifetime>)?(&$($own:lifetime)? self $(, $arg:ident: $type:ty)*) -> $answer:ty;)+
    }) => {
        impl<T: $port + ?Sized> $port for $pointer<T> {
            $(fn $name$(<$life>)?(&$($own)? self $(, $arg: $type)*) -> $answer {
                (**self).$name($($arg),*)
            })+
        }
    };
}

behind_pointers! { Clock {
    fn now(&self) -> Timestamp;
} }

behind_pointers! { Mailer {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>>;
} }

behind_pointers! { MediaStore {
    fn put(&self, name: MediaName, bytes: Vec<u8>) -> BoxFuture<'_, Result<()>>;
    fn get(&self, name: MediaName) -> BoxFuture<'_, Result<Option<Media>>>;
    fn open(&self, name: MediaName) -> BoxFuture<'_, Result<Option<OpenMedia>>>;
} }

behind_pointers! { CarrierQuotes {
    fn name(&self) -> &'static str;
    fn quote<'a>(
        &'a self, parcel: &'a Parcel, now: Timestamp
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>>;
    fn probe(&self, now: Timestamp) -> BoxFuture<'_, Result<(), CarrierError>>;
} }

behind_pointers! { PostalCodes {
    fn find<'a>(&'a self, cep: &'a Cep) -> BoxFuture<'a, Result<Option<Place>, CarrierError>>;
} }

behind_pointers! { PaymentProvider {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>>;
    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>>;
    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>>;
    fn fetch_refund<'a>(
        &'a self, payment: &'a str, refund: &'a str
    ) -> BoxFuture<'a, Answer<Option<ProviderRefund>>>;
} }

behind_pointers! { PixAndCards {
    fn create_pix<'a>(&'a self, request: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>>;
    fn charge_card<'a>(&'a self, request: &'a CardRequest) -> BoxFuture<'a, Answer<ProviderPayment>>;
    fn find<'a>(&'a self, number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>>;
} }

behind_pointers! { Intents {
    fn create_intent<'a>(
        &'a self, request: &'a IntentRequest
    ) -> BoxFuture<'a, Answer<ProviderPayment>>;
} }

#[cfg(feature = "nfe")]
behind_pointers! { NfeIssuer {
    fn name(&self) -> &'static str;
    fn authorize<'a>(
        &'a self, nfe: &'a str, key: &'a AccessKey
    ) -> BoxFuture<'a, Result<Outcome, IssuerError>>;
    fn status_of<'a>(&'a self, key: &'a AccessKey) -> BoxFuture<'a, Result<Outcome, IssuerError>>;
    fn cancel<'a>(
        &'a self, event: &'a str, key: &'a AccessKey
    ) -> BoxFuture<'a, Result<Registered, IssuerError>>;
    fn correct<'a>(
        &'a self, event: &'a str, key: &'a AccessKey
    ) -> BoxFuture<'a, Result<Registered, IssuerError>>;
    fn correction_of<'a>(
        &'a self, key: &'a AccessKey, sequence: u8
    ) -> BoxFuture<'a, Result<Option<KnownCorrection>, IssuerError>>;
    fn disable_numbers<'a>(
        &'a self, request: &'a str
    ) -> BoxFuture<'a, Result<Registered, IssuerError>>;
} }

behind_pointers! { Storage {
    fn read(&self, name: &'static str, cost: ReadCost, job: Job) -> BoxFuture<'_, Result<()>>;
    fn read_public(&self, name: &'static str, cost: ReadCost, job: Job) -> BoxFuture<'_, Result<()>>;
    fn write(&self, lane: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>>;
    fn write_concurrent(
        &self, lane: Lane, name: &'static str, job: ConcurrentJob
    ) -> BoxFuture<'_, Result<()>>;
    fn generations(&self) -> &Generations;
    fn figures(&self) -> StorageFigures;
} }
