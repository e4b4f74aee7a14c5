import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { failure, type Result, success } from '@gatehouse/contracts';
import type { ClaimRefusal, Claims, EffectKey, KnownKey, Use } from '@gatehouse/http-executor';
import { type KeyRecord, knownKey } from './records.ts';

/** Call of one of the `TASKS`. All times are in milliseconds since 1970. */
export interface Call {
  readonly task: keyof typeof TASKS;
  readonly args: readonly unknown[];
}

/** Results of calls, in their order, or why their transaction failed. */
export type Answer = Result<readonly unknown[]>;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, action TEXT NOT NULL, caller TEXT,
    state TEXT NOT NULL, outcome BLOB, claimed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS uses (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS keys_expiry ON keys (expires_at);
  CREATE INDEX IF NOT EXISTS uses_expiry ON uses (expires_at);`;

const { path, ttlMs } = workerData as { path: string; ttlMs: number };
const db = new DatabaseSync(path);
// With an exclusive lock, no other process can open the file, and the system frees the lock when
// this process ends, however it ends.
db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
db.exec(`BEGIN IMMEDIATE; ${SCHEMA}`);
// The process that claimed these keys has ended, because this one holds the lock.
db.exec(`UPDATE keys SET state = 'unknown' WHERE state = 'sent'; COMMIT`);

const findKey = db.prepare(
  `SELECT action, state, outcome FROM keys WHERE id = ? AND (state = 'sent' OR expires_at > ?)`,
);
const addKey = db.prepare(`REPLACE INTO keys VALUES (?, ?, ?, 'sent', NULL, ?, ?)`);
const endKey = db.prepare('UPDATE keys SET state = ?, outcome = ? WHERE id = ?');
const freeKey = db.prepare('DELETE FROM keys WHERE id = ?');
const findUse = db.prepare('SELECT 1 FROM uses WHERE id = ? AND expires_at >= ?');
const addUse = db.prepare('REPLACE INTO uses VALUES (?, ?)');
const freeUse = db.prepare('DELETE FROM uses WHERE id = ?');
const pruneKeys = db.prepare(`DELETE FROM keys WHERE expires_at <= ? AND state <> 'sent'`);
const pruneUses = db.prepare('DELETE FROM uses WHERE expires_at < ?');

/**
 * Keys whose end could not be written, for example because the disk was full. In the file they stay
 * claimed, and become unknown when it is next opened.
 */
const unwritten = new Set<string>();

function find(key: EffectKey, now: number): KnownKey | undefined {
  const record = findKey.get(key.id, now) as KeyRecord | undefined;
  if (record !== undefined && unwritten.has(key.id)) record.state = 'unknown';
  return record && knownKey(record, key);
}

function claim({ key, token, approval }: Claims, now: number): ClaimRefusal | undefined {
  const known = key && find(key, now);
  if (known !== undefined) return known;

  const isUsed = (use?: Use) => use !== undefined && findUse.get(use.id, now) !== undefined;
  if (isUsed(token)) return { state: 'token_used' };

  if (isUsed(approval)) return { state: 'approval_used' };

  if (key !== undefined) addKey.run(key.id, key.action, key.caller ?? null, now, now + ttlMs);
  for (const use of [token, approval]) if (use !== undefined) addUse.run(use.id, use.until);
  return undefined;
}

function end(id: string, outcome: Uint8Array | undefined): void {
  endKey.run(outcome === undefined ? 'unknown' : 'done', outcome ?? null, id);
}

function release({ key, approval }: Claims): void {
  if (key !== undefined) freeKey.run(key.id);
  if (approval !== undefined) freeUse.run(approval.id);
}

/** Deletes what is over. Writes in any case, so that it fails while the disk is full. */
function prune(now: number): void {
  pruneKeys.run(now);
  pruneUses.run(now);
  db.exec('PRAGMA user_version = 0');
}

const TASKS = { find, claim, end, release, prune };

/** Performs calls in one transaction, so that they share one write to the disk. */
function perform(calls: readonly Call[]): Answer {
  try {
    db.exec('BEGIN');
    const results = calls.map(({ task, args }) =>
      (TASKS[task] as (...args: unknown[]) => unknown)(...args),
    );
    db.exec('COMMIT');
    return success(results);
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    for (const { task, args } of calls) if (task === 'end') unwritten.add(String(args[0]));
    return failure((error as Error).message);
  }
}

parentPort?.on('message', (calls: readonly Call[]) => parentPort?.postMessage(perform(calls)));
parentPort?.postMessage(success([]) satisfies Answer);
