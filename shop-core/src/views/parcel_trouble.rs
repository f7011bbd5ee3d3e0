//! Parcels that a person must look after.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::id::{OrderId, ShipmentId};
use crate::shipment::ShipmentProblemKind;
use crate::storage::read_columns;
use crate::value::wire_enum;

/// After which a label that was made and not used is one to look after.
const UNPOSTED_AFTER: Duration = Duration::from_secs(3 * 24 * 60 * 60);
/// How long after the beginning of the day on which it was expected a parcel is late.
const LATE_AFTER: Duration = Duration::from_secs(3 * 24 * 60 * 60);

wire_enum! {
    /// What is wrong with a parcel.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum ParcelTrouble {
        /// Its label cannot be bought or given back as things are, or its provider does not know it
        /// (`problem` says why).
        Label = "LABEL",
        /// It has no label: the provider refused, or the one that it had was not used in time.
        NoLabel = "NO_LABEL",
        /// It was not posted within three days after its label was made.
        NotPosted = "NOT_POSTED",
        /// Its order was closed before it was sent: its label costs money until it is given back.
        OrderClosed = "ORDER_CLOSED",
        /// It should have arrived more than two days ago.
        Late = "LATE",
        /// It comes back, or was given up by the carrier.
        Returning = "RETURNING",
    }
}

/// A parcel that a person must look after.
#[apply(answer!)]
pub struct ParcelInTrouble {
    /// Which shipment.
    pub id: ShipmentId,
    /// Of which order.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// Which parcel of the order, from 1.
    pub parcel: i64,
    /// What is wrong with it.
    pub trouble: ParcelTrouble,
    /// What keeps its label from being bought or given back.
    pub problem: Option<ShipmentProblemKind>,
    /// When its label was asked for.
    pub created_at: Timestamp,
}

read_columns!(
    ParcelInTrouble: id, order_id, order_number, parcel, trouble, problem, created_at
);

/// Before when a label that was not used yet was made, and a parcel expected that is late.
pub(super) fn before(now: Timestamp) -> [Timestamp; 2] {
    [UNPOSTED_AFTER, LATE_AFTER].map(|span| now.minus(span))
}

/// The parcels, by what [`before`] gives; `{moving}` are the statuses of labels that are being
/// bought or given back. Once staff close the order, or say that it arrived, none of its parcels is
/// listed, except labels that are paid and were not used.
pub(super) const ROWS: &str = "
    SELECT id, order_id, order_number, parcel, problem, created_at,
      CASE WHEN NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = s.order_id
                              AND o.status IN ('PENDING', 'PROCESSING', 'SHIPPED'))
             THEN 'ORDER_CLOSED'
           WHEN status IN ('FAILED', 'EXPIRED') THEN 'NO_LABEL'
           WHEN status = 'RETURNING' THEN 'RETURNING'
           WHEN problem IN ('GONE', 'OTHER_PROVIDER') THEN 'LABEL'
           WHEN status = 'GENERATED' THEN 'NOT_POSTED'
           WHEN status = 'POSTED' THEN 'LATE'
           ELSE 'LABEL' END AS trouble
    FROM shipment s
    WHERE ((status = 'RETURNING'
        OR status = 'GENERATED' AND generated_at < $1
        OR status = 'POSTED' AND expected_at < $2
        OR problem IN ('GONE', 'OTHER_PROVIDER') AND status IN ('GENERATED', 'POSTED')
        OR status IN ({moving}) AND problem IS NOT NULL
        OR status IN ('FAILED', 'EXPIRED') AND NOT EXISTS (
          SELECT 1 FROM shipment other
          WHERE other.order_id = s.order_id AND other.parcel = s.parcel AND other.id > s.id))
      AND EXISTS (SELECT 1 FROM orders o WHERE o.id = s.order_id
        AND o.status IN ('PENDING', 'PROCESSING', 'SHIPPED')))
      OR (status IN ('PAID', 'GENERATED') OR status = 'CANCELLING' AND problem IS NOT NULL)
        AND EXISTS (SELECT 1 FROM orders o WHERE o.id = s.order_id
          AND o.status IN ('CANCELLED', 'REFUNDED') AND NOT EXISTS (
            SELECT 1 FROM order_history h
            WHERE h.order_id = o.id AND h.status IN ('SHIPPED', 'DELIVERED')))";
