-- The shop's connection with Melhor Envio (OAuth2), which one row holds. The tokens are in clear,
-- because they go with every call; both are replaced at once whenever they are renewed.
CREATE TABLE melhor_envio_connection (
  id {int} PRIMARY KEY CHECK (id = 1),
  access_token TEXT NOT NULL,
  refresh_token TEXT NOT NULL,
  expires_at {int} NOT NULL,               -- of the access token
  connected_at {int} NOT NULL,
  renewed_at {int} NOT NULL,
  refused_at {int}                         -- since when Melhor Envio refuses to renew it
) {end};

-- Connections that staff began and Melhor Envio has not answered yet, each once.
CREATE TABLE melhor_envio_attempt (
  state_hash TEXT PRIMARY KEY,             -- SHA-256 of what the answer must repeat
  actor TEXT NOT NULL,                     -- who began it, as in the audit log
  actor_id TEXT,
  expires_at {int} NOT NULL
) {end};
