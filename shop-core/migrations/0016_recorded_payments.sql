-- Payments that staff record: cash, bank transfers, others. The methods are a CHECK of the column,
-- and SQLite changes one only with its column. Its indexes make way.
DROP INDEX payment_open_pix;
DROP INDEX payment_open_card;
DROP INDEX payment_open_intent;
ALTER TABLE payment ADD COLUMN any_method TEXT NOT NULL DEFAULT 'OTHER' CHECK (any_method IN
  ('PIX', 'CREDIT_CARD', 'PAYMENT_INTENT', 'CASH', 'TRANSFER', 'OTHER'));
UPDATE payment SET any_method = method;
ALTER TABLE payment DROP COLUMN method;
ALTER TABLE payment RENAME COLUMN any_method TO method;
CREATE UNIQUE INDEX payment_open_pix ON payment (order_id)
  WHERE method = 'PIX' AND status = 'PENDING';
CREATE UNIQUE INDEX payment_open_card ON payment (order_id)
  WHERE method = 'CREDIT_CARD' AND status = 'PENDING';
CREATE UNIQUE INDEX payment_open_intent ON payment (order_id)
  WHERE method = 'PAYMENT_INTENT' AND status = 'PENDING';
