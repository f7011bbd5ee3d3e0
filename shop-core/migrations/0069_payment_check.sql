-- An intent whose card was declined can still be completed: it is asked about, and called off, like one
-- that waits.
DROP INDEX payment_check;
CREATE INDEX payment_check ON payment (check_at)
  WHERE status = 'PENDING'
     OR (status = 'FAILED' AND method = 'PAYMENT_INTENT' AND provider_payment_id IS NOT NULL);
