import type { EffectStore } from '@gatehouse/http-executor';

/** Remembers effects until its file or database is closed. */
export interface Store extends EffectStore {
  close(): Promise<void>;
}

/**
 * Told why a store cannot be used, or undefined each time its regular work succeeded. A read that
 * succeeds says nothing, because a store that accepts no writes still answers reads.
 */
export type Report = (reason: string | undefined) => void;
