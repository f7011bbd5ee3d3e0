-- Full-text search over customers, kept by triggers so that nobody can forget it. It only holds
-- words, not texts. The state is among them, as no word begins, so that the suspended ones
-- are found without looking at all.
CREATE TABLE customer_search (
  pk BIGINT PRIMARY KEY REFERENCES customer_entry (pk) ON DELETE CASCADE,
  words tsvector NOT NULL
);
CREATE INDEX customer_search_words ON customer_search USING gin (words);

CREATE FUNCTION customer_words(name text, email text, active bigint) RETURNS tsvector
LANGUAGE sql IMMUTABLE AS $$
  SELECT shop_words(name || ' ' || email)
    || array_to_tsvector(ARRAY[CASE active WHEN 1 THEN ':active' ELSE ':suspended' END])
$$;

INSERT INTO customer_search (pk, words)
SELECT e.pk, customer_words(a.name, a.email, a.active)
FROM customer_entry e JOIN account a ON a.id = e.account_id;

CREATE FUNCTION customer_search_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH entry AS (INSERT INTO customer_entry (account_id) VALUES (new.id) RETURNING pk)
  INSERT INTO customer_search (pk, words)
  SELECT pk, customer_words(new.name, new.email, new.active) FROM entry;
  UPDATE customer_tally SET customers = customers + 1 WHERE customer_tally.active = new.active;
  RETURN NULL;
END
$$;

CREATE FUNCTION customer_search_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE customer_search SET words = customer_words(new.name, new.email, new.active)
  WHERE pk = (SELECT pk FROM customer_entry WHERE account_id = new.id);
  RETURN NULL;
END
$$;

CREATE FUNCTION customer_tally_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE customer_tally SET customers = customers + 1 WHERE customer_tally.active = new.active;
  UPDATE customer_tally SET customers = customers - 1 WHERE customer_tally.active = old.active;
  RETURN NULL;
END
$$;

CREATE TRIGGER customer_search_insert AFTER INSERT ON account
FOR EACH ROW WHEN (new.role = 'CUSTOMER') EXECUTE FUNCTION customer_search_insert();

CREATE TRIGGER customer_tally_update AFTER UPDATE OF active ON account
FOR EACH ROW WHEN (new.role = 'CUSTOMER' AND old.active <> new.active)
EXECUTE FUNCTION customer_tally_update();

CREATE TRIGGER customer_search_update AFTER UPDATE OF name, email, active ON account
FOR EACH ROW WHEN (new.role = 'CUSTOMER'
  AND (old.name <> new.name OR old.email <> new.email OR old.active <> new.active))
EXECUTE FUNCTION customer_search_update();
