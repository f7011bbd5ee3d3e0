-- Whether the customer was told that the money went back. Of refunds of before, nobody is told now.
ALTER TABLE refund ADD COLUMN customer_told {int} NOT NULL DEFAULT 0;
UPDATE refund SET customer_told = 1 WHERE status = 'DONE';
