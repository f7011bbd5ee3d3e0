-- Who of several servers does the work that one alone does, and for how long it is known to be alive.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until {int} NOT NULL                     -- from then on, whoever comes takes it over
) {end};
