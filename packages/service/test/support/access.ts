import { type Access, readServiceSettings } from '../../src/index.ts';

/** Access with these API tokens alone. */
export function accessWith(tokens: string): Access {
  return readServiceSettings('TEST', {}, { TEST_API_TOKENS: tokens }).config.access;
}
