import { randomUUID } from 'node:crypto';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';

// Opens the store at a path, and claims keys until the store is full. Then prints what the store
// reports of its regular work, which it does every 10 ms.
const { setInterval } = globalThis;
globalThis.setInterval = ((work: () => void) => setInterval(work, 10)) as typeof setInterval;

let isFull = false;
const store = await openSqliteStore(process.argv[2] ?? '', 86_400_000, (reason) => {
  if (isFull) console.log(reason ?? 'available');
});
const others = { token: undefined, approval: undefined };
while (!isFull) {
  const key = { id: randomUUID(), action: 'a', caller: undefined };
  await store.claim({ key, ...others }).catch(() => {
    isFull = true;
  });
}
