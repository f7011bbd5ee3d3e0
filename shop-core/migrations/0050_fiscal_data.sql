-- The codes of operation of a product's sales, in the company's state and to others.
ALTER TABLE product_fiscal ADD COLUMN cfop_in_state TEXT;
ALTER TABLE product_fiscal ADD COLUMN cfop_out_of_state TEXT;

-- What the tax office wants to know of the products of a category that say nothing of their own.
CREATE TABLE category_fiscal (
  category_id TEXT PRIMARY KEY REFERENCES category (id),
  ncm TEXT,
  cest TEXT,
  cfop_in_state TEXT,
  cfop_out_of_state TEXT,
  origin {int},
  csosn TEXT,
  unit TEXT,
  production TEXT CHECK (production IN ('OWN', 'RESALE')),
  updated_at {int} NOT NULL
) {end};
