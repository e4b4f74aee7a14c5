import { createServer } from 'node:http';

const ITEM = { name: 'Crème brûlée "à la carte"\n', price: 8.75 };
const BYTES_OF_ITEM = Buffer.byteLength(JSON.stringify(ITEM)) + 1;

/** Returns a JSON document of exactly `bytes` bytes. */
export function bodyOf(bytes: number): string {
  const items = new Array(Math.floor(bytes / 2 / BYTES_OF_ITEM)).fill(ITEM);
  const missing = bytes - Buffer.byteLength(JSON.stringify({ items, rest: '' }));
  return JSON.stringify({ items, rest: 'x'.repeat(missing) });
}

// The container `bodies` runs this file. `GET /300000` returns 300,000 bytes.
if (import.meta.main) {
  createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(bodyOf(Number(url.slice(1))));
  }).listen(3000);
}
