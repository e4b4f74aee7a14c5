import type { EffectStore } from '@gatehouse/http-executor';

/** Remembers effects until its file or database is closed. */
export interface Store extends EffectStore {
  close(): Promise<void>;
}

/** Told why a store cannot be reached, or undefined each time it was reached. */
export type Report = (reason: string | undefined) => void;
