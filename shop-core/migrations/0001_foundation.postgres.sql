-- Full-text search over active products, kept by a trigger so that nobody can forget it. Words are
-- what lies between anything that is neither letter nor digit, without accents and in lower case,
-- as SQLite's own index cuts them; no stemming, no stop words.
CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE TABLE product_search (
  pk BIGINT PRIMARY KEY REFERENCES product (pk) ON DELETE CASCADE,
  name_words tsvector NOT NULL,
  words tsvector NOT NULL
);
CREATE INDEX product_search_words ON product_search USING gin (words);
CREATE INDEX product_search_name_words ON product_search USING gin (name_words);

CREATE FUNCTION shop_words(body text) RETURNS tsvector LANGUAGE sql STABLE AS $$
  SELECT array_to_tsvector(
    array_remove(regexp_split_to_array(lower(unaccent(body)), '[^[:alnum:]]+'), ''))
$$;

CREATE FUNCTION product_search_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.active = 1 THEN
    INSERT INTO product_search (pk, name_words, words)
    VALUES (new.pk, shop_words(new.name), shop_words(new.name || ' ' || new.description))
    ON CONFLICT (pk) DO UPDATE SET name_words = excluded.name_words, words = excluded.words;
  ELSE
    DELETE FROM product_search WHERE pk = new.pk;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER product_search_keep AFTER INSERT OR UPDATE OF name, description, active ON product
FOR EACH ROW EXECUTE FUNCTION product_search_keep();
