-- What waits for staff is found without looking at what does not.
CREATE INDEX payment_review ON payment (created_at, id) WHERE status = 'REVIEW';
CREATE INDEX mail_failing ON mail (created_at, id)
  WHERE sent_at IS NULL AND last_error IS NOT NULL;

-- The order that a mail tells about, for mails that were written from now on.
ALTER TABLE mail ADD COLUMN order_id TEXT;
CREATE INDEX mail_order ON mail (order_id, id) WHERE order_id IS NOT NULL;
