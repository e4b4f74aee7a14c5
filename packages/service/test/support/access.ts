import { type Access, readServiceSettings } from '../../src/index.ts';

export function accessWith(tokens: string, metricsToken?: string): Access {
  const env = { TEST_API_TOKENS: tokens, TEST_METRICS_TOKEN: metricsToken };
  return readServiceSettings('TEST', {}, env).config.access;
}
