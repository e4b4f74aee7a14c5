import { hash, randomBytes } from 'node:crypto';

/**
 * A hash that nobody can repeat outside of this process, under which something may be
 * kept that belongs to a secret.
 */
export function keyedHash(): (secret: string) => string {
  const key = randomBytes(32).toString('latin1');
  return (secret) => hash('sha256', key + secret, 'base64');
}
