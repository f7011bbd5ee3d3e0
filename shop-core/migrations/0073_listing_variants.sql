-- Units of its own do not put a product in stock that is sold in its variants only.
DROP INDEX product_listing;
CREATE INDEX product_listing ON product (category_id, active, price, featured, variant_required, pk);
