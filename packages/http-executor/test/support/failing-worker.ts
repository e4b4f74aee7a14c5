// Script of a worker thread that fails every task.

export function fail(): never {
  throw new TypeError('a mistake of our own');
}

export function fill(): never {
  for (const kept: number[][] = []; ; ) kept.push(new Array(100_000).fill(0.5));
}

export function hang(): never {
  for (;;);
}
