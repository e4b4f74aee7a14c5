export type Span = readonly [start: number, end: number];

/** Merges spans that overlap, and sorts them. */
export function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last === undefined || span[0] >= last[1]) merged.push(span);
    else merged[merged.length - 1] = [last[0], Math.max(last[1], span[1])];
  }
  return merged;
}

/** Returns a copy with the spans replaced, or the same bytes if `spans` is empty. */
export function replaceSpans(bytes: Buffer, spans: readonly Span[], replacement: string): Buffer {
  if (spans.length === 0) return bytes;
  const replaced = Buffer.from(replacement);
  const parts: Buffer[] = [];
  let position = 0;
  for (const [start, end] of spans) {
    parts.push(bytes.subarray(position, start), replaced);
    position = end;
  }
  return Buffer.concat([...parts, bytes.subarray(position)]);
}
