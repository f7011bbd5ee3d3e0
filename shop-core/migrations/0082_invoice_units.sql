-- Which units of its order's lines a sale's document has (JSON, by the lines' ids): what was withdrawn
-- before sending is on none. NULL for returns, and for sales of before, which have all.
ALTER TABLE nfe_document ADD COLUMN units TEXT;
