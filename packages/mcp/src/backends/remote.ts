import type { ServiceOptions } from '@gatehouse/client';

/** @throws Error that names the invalid settings. */
export function remote<T>(
  name: string,
  tokenName: string,
  create: (options: ServiceOptions) => T,
  options: ServiceOptions,
) {
  try {
    return create(options);
  } catch (error) {
    throw new Error(`--${name}-url, ${tokenName}: ${(error as Error).message}`);
  }
}
