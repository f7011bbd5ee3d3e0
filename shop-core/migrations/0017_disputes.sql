-- Chargebacks, each with its amount: they may be of a part, several of one payment, and be won.
CREATE TABLE dispute (
  provider TEXT NOT NULL,
  id TEXT NOT NULL,                        -- the provider's; the payment's where it has none
  payment_id TEXT NOT NULL REFERENCES payment (id),
  amount {int} NOT NULL CHECK (amount >= 0),
  status TEXT NOT NULL CHECK (status IN ('OPEN', 'WON', 'LOST')),
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  PRIMARY KEY (provider, id)
) {end};
CREATE INDEX dispute_payment ON dispute (payment_id);

-- What disputes take of a payment as long as they are not won.
ALTER TABLE payment ADD COLUMN charged_back {int} NOT NULL DEFAULT 0 CHECK (charged_back >= 0);
-- The status that a payment gets back when a dispute is won.
ALTER TABLE payment ADD COLUMN status_before_chargeback TEXT;

-- Until now a chargeback was of all that was left.
INSERT INTO dispute (provider, id, payment_id, amount, status, created_at, updated_at)
SELECT provider, coalesce(provider_payment_id, id), id, captured - refunded, 'OPEN', updated_at,
  updated_at
FROM payment WHERE status = 'CHARGED_BACK';
UPDATE payment SET charged_back = captured - refunded WHERE status = 'CHARGED_BACK';
