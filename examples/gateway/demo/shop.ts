// The demo's REST server in a container: json-server at port 3000, on a copy of `db.json`
// that ends with it.

import { copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PORT = '3000';

const folder = await mkdtemp(join(tmpdir(), 'shop-'));
await copyFile(new URL('./db.json', import.meta.url), join(folder, 'db.json'));
// In production it does not watch its file, which it would read again amid its own
// writes, but it wants `public`.
await mkdir(join(folder, 'public'));
process.chdir(folder);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
process.argv.splice(2, Number.POSITIVE_INFINITY, 'db.json', '--port', PORT);
await import(import.meta.resolve('json-server/lib/bin.js'));
