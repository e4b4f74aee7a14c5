import { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

// Inserts rows into an SQLite file that is as durable as the executor's store: one row in each
// transaction or, if `isGrouped`, all rows that are waiting.
export type Row = readonly (string | number | Uint8Array)[];

const { path, isGrouped } = workerData as { path: string; isGrouped: boolean };
const db = new DatabaseSync(path);
db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
db.exec(`CREATE TABLE plain (
    id TEXT PRIMARY KEY, action TEXT NOT NULL, caller TEXT,
    state TEXT NOT NULL, outcome BLOB, claimed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT; CREATE INDEX plain_expiry ON plain (expires_at);`);
const insert = db.prepare('INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?)');

parentPort?.on('message', (first: Row) => {
  const rows = [first];
  while (isGrouped) {
    const next = parentPort && receiveMessageOnPort(parentPort);
    if (!next) break;
    rows.push(next.message);
  }
  db.exec('BEGIN');
  for (const row of rows) insert.run(...row);
  db.exec('COMMIT');
  parentPort?.postMessage(rows.length);
});
