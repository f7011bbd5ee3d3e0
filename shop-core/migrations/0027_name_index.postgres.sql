-- The index of names under a name of its own, as in SQLite: so a search names its index alike on both.
CREATE VIEW product_name_search AS SELECT pk, name_words AS words FROM product_search;
