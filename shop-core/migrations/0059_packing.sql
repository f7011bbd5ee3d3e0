-- What the shop packs orders in. Sides are in millimetres, weights in grams; max_grams is what the
-- closed parcel may weigh, with the box.
CREATE TABLE shipping_box (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  inner_length_mm {int} NOT NULL,
  inner_width_mm {int} NOT NULL,
  inner_height_mm {int} NOT NULL,
  outer_length_mm {int} NOT NULL,
  outer_width_mm {int} NOT NULL,
  outer_height_mm {int} NOT NULL,
  tare_grams {int} NOT NULL,
  max_grams {int} NOT NULL,
  created_at {int} NOT NULL
) {end};

-- The parcels of an order as it was placed, as JSON.
CREATE TABLE order_packing (
  order_id TEXT PRIMARY KEY REFERENCES orders (id),
  parcels TEXT NOT NULL
) {end};
