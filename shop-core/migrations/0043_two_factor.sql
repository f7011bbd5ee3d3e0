-- The second factor of a log-in of staff.

-- The secret is derived from the session secret and the salt, so it stands neither here nor in a
-- backup.
CREATE TABLE staff_two_factor (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  salt TEXT NOT NULL,
  created_at {int} NOT NULL,
  enabled_at {int},                        -- NULL until the first code confirmed it
  last_step {int} NOT NULL DEFAULT 0       -- the time step of the last code, which counts once
) {end};

-- Codes that replace the authenticator, each once; of the unused ones the SHA-256.
CREATE TABLE staff_recovery_code (
  account_id TEXT NOT NULL REFERENCES account (id),
  code_hash TEXT NOT NULL,
  PRIMARY KEY (account_id, code_hash)
) {end};
