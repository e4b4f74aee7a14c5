import { type Access, readServiceSettings } from '../../src/index.ts';

export function accessWith(tokens: string): Access {
  return readServiceSettings('TEST', {}, { TEST_API_TOKENS: tokens }).config.access;
}
