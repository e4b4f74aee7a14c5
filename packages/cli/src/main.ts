#!/usr/bin/env node
// An old Node cannot load all other modules, but it can load contracts, which says what is wrong.
await import('@gatehouse/contracts').catch(({ message }: Error) => {
  console.error(message);
  process.exit(1);
});
await import('./start.ts');
