import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startCanary } from './support/canary.ts';
import { startExecutor } from './support/executor.ts';
import { resolver } from './support/resolver.ts';
import { LISTED, MALFORMED_HOSTS, ODD_HOSTS, OTHER_HOSTS } from './support/spellings.ts';

const { resolve, queries } = resolver({});
const executor = shared(() =>
  startExecutor({
    env: {
      HTTP_EXECUTOR_ALLOWED_HOSTS: LISTED.join(','),
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '0.0.0.0/0,::/0',
    },
    connect: { resolve },
  }),
);
const canary = shared(startCanary);

async function refusal(url: string): Promise<unknown> {
  const response = await executor().execute({ method: 'POST', url });
  const { code } = (await response.json()) as { code?: string };
  return { url, status: response.status, code };
}

const INVALID = { status: 400, code: 'InvalidAction' };
const NOT_ALLOWED = { status: 403, code: 'HostNotAllowed' };

describe('a host that is written oddly', () => {
  it.each([
    ['is refused, although it means an allowed host', ODD_HOSTS, NOT_ALLOWED],
    ['is not on the list, however near', OTHER_HOSTS, NOT_ALLOWED],
    ['makes the action invalid', MALFORMED_HOSTS, INVALID],
  ])('%s', async (_what, hosts, refused) => {
    for (const [, host] of hosts) {
      const url = `http://${host}:${canary().port}/`;
      expect(await refusal(url)).toEqual({ url, ...refused });
    }
  });
});

const ADMITTED = [
  ...['http://API.Test/', 'HTTP://api.test/', 'hTTps://V1.WILD.test/', 'http://LOCALHOST:8080/'],
  ...[
    'http://bücher.test/',
    'http://BÜCHER.test/',
    'http://xn--bcher-kva.test/',
    'http://bu\u0308cher.test/',
  ],
  ...['http://straße.test/', 'http://xn--strae-oqa.test/'],
  ...[
    'http://http.test/',
    'http://http.test:80/',
    'http://http.test:080/',
    'https://http.test:80/',
  ],
  ...['https://https.test/', 'https://https.test:443/', 'http://https.test:443/'],
  ...[
    'http://port.test:8080/',
    'http://[fd00::1]:8080/',
    'http://[FD00::1]:8080/',
    'http://127.0.0.1:8080/',
  ],
  ...[
    'http://api.test/@evil.test/',
    'http://api.test/?@evil.test',
    'http://api.test#@evil.test',
    'http://api.test',
  ],
];

describe('an honest way of writing a host', () => {
  it.each(ADMITTED)('%s is let through', async (url) => {
    const response = await executor().dryRun({ method: 'POST', url });
    expect(await response.json()).toMatchObject({ outcome: 'dry_run', host: new URL(url).host });
  });
});

/** The Fetch standard's "bad ports", and 0. */
const BAD_PORTS =
  '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
  '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
  '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080';

/** Beside bad ones, and the ends of the range. */
const GOOD_PORTS = [
  ...[2, 24, 26, 52, 54, 80, 443, 2048, 2050, 5999, 6001],
  ...[6664, 6670, 10079, 10081, 65535],
];

describe('a port', () => {
  it('of another protocol, or out of range, makes the action invalid', async () => {
    for (const port of [...BAD_PORTS.split(' '), '65536', '00022'])
      for (const url of [`http://api.test:${port}/`, `https://evil.test:${port}/`])
        expect(await refusal(url)).toEqual({ url, ...INVALID });
  });

  it('beside those does not', async () => {
    for (const port of GOOD_PORTS) {
      const action = { method: 'GET', url: `http://api.test:${port}/` };
      expect((await executor().dryRun(action)).status, `${port}`).toBe(200);
    }
  });
});

describe('the table', () => {
  it('has asked the resolver for allowed names alone and has led nobody to the canary', () => {
    const allowed =
      /^(api|http|https|port|v1\.wild|xn--bcher-kva|xn--strae-oqa)\.test$|^localhost$/;
    expect(queries.filter((name) => !allowed.test(name))).toEqual([]);
    expect(canary().connections).toBe(0);
  });
});
