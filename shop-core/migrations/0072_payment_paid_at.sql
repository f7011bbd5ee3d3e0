-- When a payment paid its order, also where its money went back since. Money that only ever was under
-- review paid none.
ALTER TABLE payment ADD COLUMN paid_at {int};
UPDATE payment SET paid_at = updated_at
WHERE status IN ('PAID', 'REFUNDED')
   OR (status = 'CHARGED_BACK' AND coalesce(status_before_chargeback, 'PAID') = 'PAID');
