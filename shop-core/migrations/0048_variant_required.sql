-- Whether a product is sold in its variants only, never by itself.
ALTER TABLE product ADD COLUMN variant_required {int} NOT NULL DEFAULT 0;
