-- Full-text search over active products, kept by a trigger so that nobody can forget it. Words are
-- what lies between anything that is neither letter nor number; no stemming, no stop words. As in
-- SQLite's own index, Latin letters lose their accents, other scripts only their case. ICU says what
-- a letter is, so that the database's own locale does not matter. A lexeme has at most 2046 bytes.
CREATE TABLE product_search (
  pk BIGINT PRIMARY KEY REFERENCES product (pk) ON DELETE CASCADE,
  name_words tsvector NOT NULL,
  words tsvector NOT NULL
);
CREATE INDEX product_search_words ON product_search USING gin (words);
CREATE INDEX product_search_name_words ON product_search USING gin (name_words);

CREATE FUNCTION shop_fold(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT translate(
    lower(normalize(
      regexp_replace(normalize(body, NFD), '([A-Za-z])[\u0300-\u036f]+', '\1', 'g'), NFC
    ) COLLATE "und-x-icu"),
    U&'\03C2', U&'\03C3')
$$;

CREATE FUNCTION shop_words(body text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_to_tsvector(array_agg(DISTINCT left(word, 500))), '')
  FROM regexp_split_to_table(shop_fold(body) COLLATE "und-x-icu",
    '[^[:alnum:]\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089\u2150-\u218b\u2460-\u249b]+'
  ) word
  WHERE word <> ''
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

-- Locked by whoever writes, one for each lane of writes: empty, and never anything else.
CREATE TABLE shop_lane_0 ();
CREATE TABLE shop_lane_1 ();
CREATE TABLE shop_lane_2 ();
CREATE TABLE shop_lane_3 ();
