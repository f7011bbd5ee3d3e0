-- Full-text search over customers, kept by a trigger so that nobody can forget it. It only holds
-- words, not texts. The state is among them, as no word can be written, so that the suspended ones
-- are found without looking at all.
CREATE TABLE customer_search (
  pk BIGINT PRIMARY KEY REFERENCES customer_entry (pk) ON DELETE CASCADE,
  words tsvector NOT NULL
);
CREATE INDEX customer_search_words ON customer_search USING gin (words);

CREATE FUNCTION customer_words(name text, email text, active bigint) RETURNS tsvector
LANGUAGE sql STABLE AS $$
  SELECT shop_words(name || ' ' || email)
    || array_to_tsvector(ARRAY[CASE active WHEN 1 THEN 'state:active' ELSE 'state:suspended' END])
$$;

INSERT INTO customer_search (pk, words)
SELECT e.pk, customer_words(a.name, a.email, a.active)
FROM customer_entry e JOIN account a ON a.id = e.account_id;

CREATE FUNCTION customer_search_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO customer_entry (account_id) VALUES (new.id);
  END IF;
  INSERT INTO customer_search (pk, words)
  SELECT pk, customer_words(new.name, new.email, new.active)
  FROM customer_entry WHERE account_id = new.id
  ON CONFLICT (pk) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END
$$;

CREATE TRIGGER customer_search_insert AFTER INSERT ON account
FOR EACH ROW WHEN (new.role = 'CUSTOMER') EXECUTE FUNCTION customer_search_keep();
CREATE TRIGGER customer_search_update AFTER UPDATE OF name, email, active ON account
FOR EACH ROW WHEN (new.role = 'CUSTOMER') EXECUTE FUNCTION customer_search_keep();
