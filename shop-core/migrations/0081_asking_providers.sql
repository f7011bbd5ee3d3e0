-- Whether the provider is working on an attempt that the payer has completed, as on an intent by a
-- method that takes days: nobody can call it off.
ALTER TABLE payment ADD COLUMN in_process {int} NOT NULL DEFAULT 0;

-- When the sweeper tries again to cancel an unpaid order, where it could not; not when it tried.
ALTER TABLE orders RENAME COLUMN sweep_tried_at TO sweep_at;
