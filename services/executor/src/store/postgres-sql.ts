/** SQL that each connection prepares once, because planning takes as long as running it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A claim that was not renewed for this long is lost: its outcome is unknown. */
export const LOST_AFTER_S = 30;

// The clock of the database decides, because all replicas share it.
const NOW = 'clock_timestamp()';
const LOST = `known.renewed_at <= ${NOW} - interval '${LOST_AFTER_S} seconds'`;
const HELD = `(known.state = 'sent' AND NOT ${LOST})`;
const OVER = `(known.expires_at <= ${NOW} AND NOT ${HELD})`;

/** Rows that one statement removes at most, so that it ends in time. */
const PRUNED_AT_ONCE = 2_000;

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

/** Reads keys. A claim that is lost appears as `unknown`. */
export const FIND_KEYS: Statement = {
  name: 'find_keys',
  text: `
  SELECT id, action, outcome,
    CASE WHEN state = 'sent' AND ${LOST} THEN 'unknown' ELSE state END AS state
  FROM gatehouse_keys AS known WHERE id = ANY($1) AND NOT ${OVER}`,
};

// Every statement that locks several rows locks them in the order of their ids. Otherwise, two
// statements could wait for each other.

/**
 * Inserts keys, or replaces those whose time is over. Returns the claims whose keys did not exist.
 * If several claims have the same key, one of them gets it.
 */
export const CLAIM_KEYS: Statement = {
  name: 'claim_keys',
  text: `
  INSERT INTO gatehouse_keys AS known
    (id, action, caller, claim, state, claimed_at, renewed_at, expires_at)
  SELECT DISTINCT ON (id)
    id, action, caller, claim, 'sent', ${NOW}, ${NOW}, ${NOW} + $5 * interval '1 millisecond'
  FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) AS new (id, action, caller, claim)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE SET
    (action, caller, claim, state, outcome, claimed_at, renewed_at, expires_at) =
    (EXCLUDED.action, EXCLUDED.caller, EXCLUDED.claim, EXCLUDED.state, EXCLUDED.outcome,
     EXCLUDED.claimed_at, EXCLUDED.renewed_at, EXCLUDED.expires_at)
  WHERE ${OVER} RETURNING claim`,
};

/** Inserts uses, or replaces those whose time is over. Returns the claims whose uses are new. */
export const CLAIM_USES: Statement = {
  name: 'claim_uses',
  text: `
  INSERT INTO gatehouse_uses AS known (id, claim, expires_at)
  SELECT DISTINCT ON (id) id, claim, to_timestamp(until / 1000)
  FROM unnest($1::text[], $2::uuid[], $3::float8[]) AS new (id, claim, until)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE SET (claim, expires_at) = (EXCLUDED.claim, EXCLUDED.expires_at)
  WHERE known.expires_at < ${NOW} RETURNING claim`,
};

/** Locks the keys ($1) of claims ($2) that are not lost. */
const MINE = `
  mine AS (SELECT id FROM gatehouse_keys AS known
    WHERE id = ANY($1::text[]) AND claim = ANY($2::uuid[]) AND ${HELD} ORDER BY id FOR UPDATE)`;

/**
 * Stores the outcomes of claims, or that they have none. Returns the claims that are not lost.
 */
export const END_KEYS: Statement = {
  name: 'end_keys',
  text: `
  WITH ${MINE}
  UPDATE gatehouse_keys AS known SET outcome = ended.outcome,
    state = CASE WHEN ended.outcome IS NULL THEN 'unknown' ELSE 'done' END
  FROM mine, unnest($2::uuid[], $3::bytea[]) AS ended (claim, outcome)
  WHERE known.id = mine.id AND known.claim = ended.claim RETURNING known.claim`,
};

/** Renews claims, except those that are lost. Fails if the database accepts no writes. */
export const RENEW: Statement = {
  name: 'renew',
  text: `
  WITH ${MINE}
  UPDATE gatehouse_keys AS known SET renewed_at = ${NOW}
  FROM mine WHERE known.id = mine.id RETURNING claim`,
};

/** Frees the keys and some uses ($3) of claims. A claim that is lost stays lost. */
export const FREE: Statement = {
  name: 'free',
  text: `
  WITH ${MINE}, used AS (SELECT id FROM gatehouse_uses
    WHERE id = ANY($3::text[]) AND claim = ANY($2::uuid[]) ORDER BY id FOR UPDATE),
  uses AS (DELETE FROM gatehouse_uses WHERE id IN (SELECT id FROM used))
  DELETE FROM gatehouse_keys WHERE id IN (SELECT id FROM mine)`,
};

/** Deletes rows whose time is over, except those that another statement uses. */
export const PRUNE: Statement = {
  name: 'prune',
  text: `
  WITH uses AS (DELETE FROM gatehouse_uses WHERE id IN
    (SELECT id FROM gatehouse_uses WHERE expires_at < ${NOW}
     LIMIT ${PRUNED_AT_ONCE} FOR UPDATE SKIP LOCKED))
  DELETE FROM gatehouse_keys AS known WHERE ${OVER} AND id IN
    (SELECT id FROM gatehouse_keys AS known WHERE ${OVER}
     LIMIT ${PRUNED_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
};
