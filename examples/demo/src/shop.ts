// The demo's REST server: json-server on a copy of `db.json`, at the port given, else 3000.

import { rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , port = '3000'] = process.argv;

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-shop-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// `disconnect`: the program that forked this one has ended.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => process.exit());

await copyFile(new URL('./db.json', import.meta.url), join(folder, 'db.json'));
// In production json-server does not watch its file, which it would read again amid its
// own writes; but it needs a folder `public`.
process.env.NODE_ENV = 'production';
await mkdir(join(folder, 'public'));
process.chdir(folder);
process.argv.splice(2, Number.POSITIVE_INFINITY, 'db.json', '--port', port);
await import(import.meta.resolve('json-server/lib/bin.js'));
