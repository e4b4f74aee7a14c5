import { docker } from './stack.ts';

const IMAGE = process.env.POSTGRES_IMAGE ?? 'postgres:17';

/** True if the image of PostgreSQL is on this machine, or can be pulled. */
export async function hasPostgresImage(): Promise<boolean> {
  const isLocal = docker('image', 'inspect', IMAGE).catch(() => docker('pull', IMAGE));
  return isLocal.then(
    () => true,
    () => false,
  );
}
