import type { ServiceOptions } from '@gatehouse/client';

/** @throws Error that names the invalid settings. */
export function remote<T>(
  name: string,
  create: (options: ServiceOptions) => T,
  options: ServiceOptions,
) {
  try {
    return create(options);
  } catch (error) {
    const settings = `--${name}-url, GATEHOUSE_${name.toUpperCase()}_TOKEN`;
    throw new Error(`${settings}: ${(error as Error).message}`);
  }
}
