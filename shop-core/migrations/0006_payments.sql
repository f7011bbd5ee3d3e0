-- Cards, payment intents and refunds.

-- What arrived, and what of it went back or is on its way back; never more than arrived.
ALTER TABLE payment ADD COLUMN captured {int} NOT NULL DEFAULT 0;
ALTER TABLE payment ADD COLUMN refund_reserved {int} NOT NULL DEFAULT 0
  CHECK (refund_reserved >= 0 AND refund_reserved <= captured);
ALTER TABLE payment ADD COLUMN refunded {int} NOT NULL DEFAULT 0;  -- what the provider says went back
ALTER TABLE payment ADD COLUMN installments {int};
ALTER TABLE payment ADD COLUMN last_four TEXT;
ALTER TABLE payment ADD COLUMN failure_code TEXT;
ALTER TABLE payment ADD COLUMN request_mac TEXT;  -- knows a card request again, tells nothing of it
ALTER TABLE payment ADD COLUMN pix_picture TEXT;  -- the provider's own, kept for a day
ALTER TABLE payment ADD COLUMN check_at {int};    -- when to ask the provider, while it is PENDING
UPDATE payment SET captured = amount WHERE status IN ('PAID', 'REVIEW', 'REFUNDED', 'CHARGED_BACK');
UPDATE payment SET refunded = amount, refund_reserved = amount WHERE status = 'REFUNDED';
UPDATE payment SET check_at = created_at + 180000 WHERE status = 'PENDING';
CREATE INDEX payment_check ON payment (check_at) WHERE status = 'PENDING';
CREATE INDEX payment_picture ON payment (created_at) WHERE pix_picture IS NOT NULL;
-- At most one card attempt and one payment intent of an order wait, however many ask at once.
CREATE UNIQUE INDEX payment_open_card ON payment (order_id)
  WHERE method = 'CREDIT_CARD' AND status = 'PENDING';
CREATE UNIQUE INDEX payment_open_intent ON payment (order_id)
  WHERE method = 'PAYMENT_INTENT' AND status = 'PENDING';

-- Money that goes back. Written before the provider is called; the id is the idempotency key.
CREATE TABLE refund (
  id TEXT PRIMARY KEY,
  payment_id TEXT NOT NULL REFERENCES payment (id),
  order_id TEXT NOT NULL REFERENCES orders (id),
  amount {int} NOT NULL CHECK (amount > 0),
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'DONE', 'FAILED')),
  origin TEXT NOT NULL CHECK (origin IN ('SHOP', 'PROVIDER')),
  reason TEXT,
  provider_refund_id TEXT,
  failure_code TEXT,
  check_at {int} NOT NULL,                 -- when to ask the provider, while it is PENDING
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  UNIQUE (payment_id, provider_refund_id)
) {end};
CREATE INDEX refund_order ON refund (order_id, created_at);
CREATE INDEX refund_check ON refund (check_at) WHERE status = 'PENDING';

-- Notices that were applied, so that a repeat is known.
CREATE TABLE payment_event (
  provider TEXT NOT NULL,
  event_id TEXT NOT NULL,
  received_at {int} NOT NULL,
  PRIMARY KEY (provider, event_id)
) {end};
CREATE INDEX payment_event_age ON payment_event (received_at);

-- The sandbox plays both providers; a payment that is no PIX code has '' for its code.
ALTER TABLE sandbox_payment ADD COLUMN method TEXT NOT NULL DEFAULT 'PIX';
ALTER TABLE sandbox_payment ADD COLUMN detail TEXT;
ALTER TABLE sandbox_payment ADD COLUMN refunded {int} NOT NULL DEFAULT 0;
ALTER TABLE sandbox_payment ADD COLUMN installments {int};
ALTER TABLE sandbox_payment ADD COLUMN last_four TEXT;
CREATE INDEX sandbox_payment_reference ON sandbox_payment (reference);
CREATE TABLE sandbox_refund (
  id {serial},
  idempotency_key TEXT NOT NULL UNIQUE,
  payment_id {int} NOT NULL,
  amount {int} NOT NULL
) {end};
