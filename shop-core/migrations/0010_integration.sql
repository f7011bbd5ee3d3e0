-- What other programs hang on: the keys that they call with.

-- Only the SHA-256 of a key is kept. Keys are never deleted, so that the audit log can name them.
CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  key_prefix TEXT NOT NULL,                -- the first characters, by which people tell keys apart
  scopes TEXT NOT NULL,                    -- with a space between them
  created_at {int} NOT NULL,
  expires_at {int},
  revoked_at {int},
  last_used_at {int}                       -- noted about once a minute
) {end};
