import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

/** Malformed, whatever the sandbox allows. */
const MALFORMED = [
  ['no scheme', 'localhost:3000/'],
  ['no host', 'http://'],
  ['another scheme', 'ftp://localhost/'],
  ['a scheme that is none', 'javascript:alert(1)'],
  ['one slash', 'http:/localhost/'],
  ['three slashes', 'http:///localhost/'],
  ['backslashes', 'http:\\\\localhost/'],
  ['a backslash in the path', 'http://localhost/a\\b'],
  ['a user', 'http://user@localhost/'],
  ['an empty user', 'http://@localhost/'],
  ['a user and a password', 'http://user:secret@localhost/'],
  ['a tab', 'http://local\thost/'],
  ['a line break', 'http://localhost/\n'],
  ['a NUL', 'http://localhost/\0'],
  ['a blank in front', ' http://localhost/'],
  ['a blank behind', 'http://localhost/ '],
  ['port 0', 'http://localhost:0/'],
  ['port 65536', 'http://localhost:65536/'],
  ['port 22, which is not for HTTP', 'http://localhost:22/'],
  ['port 6000, which is not for HTTP', 'http://localhost:6000/'],
  ['a host of 254 characters', `http://${'a'.repeat(254)}/`],
  ['a host of 254 characters, written shorter', `http://${'ä.'.repeat(32)}test/`],
  ['8 KiB and a byte', `http://localhost:18/${'a'.repeat(8 * 1024 - 19)}`],
] as const;

describe('a malformed URL', () => {
  const executor = shared(() => startExecutor());

  it.each(MALFORMED)('with %s is an invalid action', async (_name, url) => {
    const response = await executor().execute({ method: 'GET', url });
    expect(response.status).toBe(400);
    const { code, errors, detail } = (await response.json()) as {
      code: string;
      errors: { pointer: string }[];
      detail: string;
    };
    expect({ code, pointers: errors.map(({ pointer }) => pointer) }).toEqual({
      code: 'InvalidAction',
      pointers: ['/url'],
    });
    expect(detail).not.toContain('secret');
  });

  it('with a host of 253 characters is one that may be listed', async () => {
    const { code } = await executor().problem({ method: 'GET', url: `http://${'a'.repeat(253)}/` });
    expect(code).toBe('HostNotAllowed');
  });

  it('of exactly 8 KiB is sent', async () => {
    const url = `http://localhost:18999/${'a'.repeat(8 * 1024 - 23)}`;
    expect(url).toHaveLength(8 * 1024);
    expect((await executor().execute({ method: 'POST', url })).status).toBe(200);
  });
});

describe('the executor itself', () => {
  const executor = shared(() => startExecutor());

  it.each(['', '?dry_run=true'])('is no destination of /execute%s', async (query) => {
    const response = await fetch(`${executor().url}/execute${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method: 'GET', url: `${executor().url}/healthz` }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'AddressNotAllowed' });
  });
});
