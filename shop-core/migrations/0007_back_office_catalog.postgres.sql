-- The names of all products, on sale or not, for the back office.
CREATE TABLE product_any_name_search (
  pk BIGINT PRIMARY KEY REFERENCES product (pk) ON DELETE CASCADE,
  words tsvector NOT NULL
);
CREATE INDEX product_any_name_search_words ON product_any_name_search USING gin (words);
INSERT INTO product_any_name_search (pk, words) SELECT pk, shop_words(name) FROM product;

CREATE FUNCTION product_any_name_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO product_any_name_search (pk, words) VALUES (new.pk, shop_words(new.name))
  ON CONFLICT (pk) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END
$$;

CREATE TRIGGER product_any_name_keep AFTER INSERT OR UPDATE OF name ON product
FOR EACH ROW EXECUTE FUNCTION product_any_name_keep();
