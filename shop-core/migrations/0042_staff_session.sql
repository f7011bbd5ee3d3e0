-- A session of an account that runs the shop. Only the SHA-256 of its token is kept. A row that was
-- ended stays until the token expires, so that the same token is never issued again.
CREATE TABLE staff_session (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  token_hash TEXT NOT NULL UNIQUE,
  created_at {int} NOT NULL,
  last_used_at {int} NOT NULL,             -- noted about once a minute
  expires_at {int} NOT NULL,
  ended_at {int},
  user_agent TEXT,
  address TEXT
) {end};
CREATE INDEX staff_session_account ON staff_session (account_id, ended_at, last_used_at);
CREATE INDEX staff_session_age ON staff_session (expires_at);
