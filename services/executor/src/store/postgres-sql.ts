/** A claim that was not renewed for this long is lost: its outcome is unknown. */
export const LOST_AFTER_S = 30;

// The clock of the database decides, because all replicas share it.
const NOW = 'clock_timestamp()';
const LOST = `known.renewed_at <= ${NOW} - interval '${LOST_AFTER_S} seconds'`;
const HELD = `(known.state = 'sent' AND NOT ${LOST})`;
const OVER = `(known.expires_at <= ${NOW} AND NOT ${HELD})`;

/** Rows that one statement removes at most, so that it ends in time. */
const PRUNED_AT_ONCE = 10_000;

export const TABLES_EXIST = `SELECT to_regclass('gatehouse_uses') IS NOT NULL AS exist`;

/** Creates the tables. Two replicas must not do so at the same time, hence the lock. */
export const CREATE_TABLES = `
  SELECT pg_advisory_xact_lock(7110342617);
  CREATE TABLE IF NOT EXISTS gatehouse_keys (
    id text PRIMARY KEY, action text NOT NULL, caller text, claim uuid NOT NULL,
    state text NOT NULL, outcome bytea, claimed_at timestamptz NOT NULL,
    renewed_at timestamptz NOT NULL, expires_at timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS gatehouse_keys_expiry ON gatehouse_keys (expires_at);
  CREATE TABLE IF NOT EXISTS gatehouse_uses (
    id text PRIMARY KEY, claim uuid NOT NULL, expires_at timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS gatehouse_uses_expiry ON gatehouse_uses (expires_at);`;

/** Reads a key. A claim that is lost appears as `unknown`. */
export const FIND_KEY = `
  SELECT action, outcome,
    CASE WHEN state = 'sent' AND ${LOST} THEN 'unknown' ELSE state END AS state
  FROM gatehouse_keys AS known WHERE id = $1 AND NOT ${OVER}`;

/** Inserts a key, or replaces one whose time is over. Returns no row if the key exists. */
export const CLAIM_KEY = `
  INSERT INTO gatehouse_keys AS known
    (id, action, caller, claim, state, claimed_at, renewed_at, expires_at)
  VALUES ($1, $2, $3, $4, 'sent', ${NOW}, ${NOW}, ${NOW} + $5 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE SET
    (action, caller, claim, state, outcome, claimed_at, renewed_at, expires_at) =
    (EXCLUDED.action, EXCLUDED.caller, EXCLUDED.claim, EXCLUDED.state, EXCLUDED.outcome,
     EXCLUDED.claimed_at, EXCLUDED.renewed_at, EXCLUDED.expires_at)
  WHERE ${OVER} RETURNING 1`;

/** Inserts a use, or replaces one whose time is over. Returns no row if there was a use. */
export const CLAIM_USE = `
  INSERT INTO gatehouse_uses AS known (id, claim, expires_at)
  VALUES ($1, $2, to_timestamp($3::float8 / 1000))
  ON CONFLICT (id) DO UPDATE SET (claim, expires_at) = (EXCLUDED.claim, EXCLUDED.expires_at)
  WHERE known.expires_at < ${NOW} RETURNING 1`;

/** Stores the outcome of a claim, or that it has none. Returns no row if the claim is lost. */
export const END_KEY = `
  UPDATE gatehouse_keys AS known SET outcome = $3,
    state = CASE WHEN $3::bytea IS NULL THEN 'unknown' ELSE 'done' END
  WHERE id = $1 AND claim = $2 AND ${HELD} RETURNING 1`;

/** Frees the keys and approvals of claims. A claim that is lost stays lost. */
export const FREE = `
  WITH approvals AS (DELETE FROM gatehouse_uses WHERE id = ANY($2) AND claim = ANY($3))
  DELETE FROM gatehouse_keys AS known WHERE id = ANY($1) AND claim = ANY($3) AND ${HELD}`;

/** Renews claims, except those that are lost. Fails if the database accepts no writes. */
export const RENEW = `
  UPDATE gatehouse_keys AS known SET renewed_at = ${NOW}
  WHERE id = ANY($1) AND claim = ANY($2) AND ${HELD} RETURNING claim`;

export const PRUNE = `
  WITH uses AS (DELETE FROM gatehouse_uses WHERE id IN
    (SELECT id FROM gatehouse_uses WHERE expires_at < ${NOW} LIMIT ${PRUNED_AT_ONCE}))
  DELETE FROM gatehouse_keys AS known WHERE ${OVER} AND id IN
    (SELECT id FROM gatehouse_keys AS known WHERE ${OVER} LIMIT ${PRUNED_AT_ONCE})`;
