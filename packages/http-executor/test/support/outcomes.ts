import type { Classification, HttpRetryRecord } from '@gatehouse/contracts';
import { expect } from 'vitest';

/** Matches an `HttpRetryRecord` of any duration. */
export function record(
  attempt: number,
  classification: Classification,
  delay_ms: number,
  status?: number,
): HttpRetryRecord {
  const known = status === undefined ? { classification } : { classification, status };
  return { attempt, ...known, delay_ms, duration_ms: expect.any(Number) };
}

/** Matches three failures of the same kind, with the waits of the contract. */
export function threeRecords(classification: Classification, status?: number): HttpRetryRecord[] {
  return [200, 400, 0].map((delay, index) => record(index + 1, classification, delay, status));
}

/** Matches text that contains all of these parts. */
export function textWith(...parts: readonly (string | number)[]): string {
  const escaped = parts.map((part) => String(part).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return expect.stringMatching(new RegExp(escaped.map((part) => `(?=[\\s\\S]*${part})`).join('')));
}
