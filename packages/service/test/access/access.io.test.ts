import { authority, certificate } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { accessWarnings } from '../../src/access/access.ts';
import { readServiceSettings, SettingsError } from '../../src/index.ts';
import { weakCertificate } from '../support/certificates.ts';
import { scratchFiles } from '../support/files.ts';
import { logged, refusedStart, SERVICES, startService } from '../support/services.ts';

const file = scratchFiles();
const ca = await authority('ca');
const server = await certificate('server', ca);
const other = await certificate('other', ca);
const old = await certificate('old', ca, { notBeforeDate: new Date(0), notAfterDate: new Date(1) });
const weak = await weakCertificate();

const read = (env: Record<string, string>) => readServiceSettings('X', {}, env).config.access;

function refusalOf(env: Record<string, string>): string {
  try {
    read(env);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).message;
  }
  return expect.fail('the settings were accepted');
}

describe('access', () => {
  it('is open by default', () => {
    const { reload: _reload, ...access } = read({});
    expect(access).toEqual({ tokens: undefined, tls: undefined, corsOrigins: new Set() });
  });

  it('accepts tokens from both the setting and the file', async () => {
    const { tokens } = read({
      X_API_TOKENS: 'one,two',
      X_API_TOKENS_FILE: await file('three\nfour'),
    });
    for (const token of ['one', 'two', 'three', 'four'])
      expect(tokens?.accept(`Bearer ${token}`)).toBeDefined();
    expect(tokens?.accept('Bearer five')).toBeUndefined();
  });

  it('accepts a name before the first colon of a token', async () => {
    const name = `${'x'.repeat(61)}.-_`;
    const { tokens } = read({
      X_API_TOKENS: `planner-1:one,two,${name}:with:colons`,
      X_API_TOKENS_FILE: await file('planner-1:another\nplanner-1:one\ntwo'),
    });
    const callerOf = (token: string) => tokens?.accept(`Bearer ${token}`);
    for (const token of ['one', 'another'])
      expect(callerOf(token)).toMatchObject({ caller: 'planner-1' });
    expect(callerOf('two')).toMatchObject({ caller: undefined });
    expect(callerOf('with:colons')).toMatchObject({ caller: name });
    for (const token of ['planner-1:one', `${name}:with:colons`, 'planner-1', 'colons', ''])
      expect(callerOf(token)).toBeUndefined();
  });

  it('refuses a token that two callers share', async () => {
    const path = await file('b:tok-secret');
    expect(refusalOf({ X_API_TOKENS: 'a:tok-secret', X_API_TOKENS_FILE: path })).toBe(
      `X_API_TOKENS_FILE="${path}": must not assign a token from X_API_TOKENS to a different caller`,
    );
  });

  it.each([
    ['API_TOKENS', 'METRICS_TOKEN'],
    ['API_TOKENS', 'METRICS_TOKEN_FILE'],
    ['API_TOKENS_FILE', 'METRICS_TOKEN'],
    ['API_TOKENS_FILE', 'METRICS_TOKEN_FILE'],
  ])('refuses a token that is both in %s and in %s', async (ofCallers, ofMetrics) => {
    const value = async (name: string, text: string) =>
      name.endsWith('_FILE') ? await file(text) : text;
    const refusal = refusalOf({
      [`X_${ofCallers}`]: await value(ofCallers, 'planner:tok-secret'),
      [`X_${ofMetrics}`]: await value(ofMetrics, 'prometheus:tok-secret'),
    });
    expect(refusal).toMatch(
      new RegExp(`^X_${ofMetrics}=.*must not contain a token that is also a caller token$`),
    );
    expect(refusal).not.toContain('tok-secret');
  });

  it('does not reveal tokens when printed', () => {
    const access = read({ X_API_TOKENS: 'a-token-that-is-secret' });
    expect(JSON.stringify(access)).not.toContain('secret');
  });
});

const BAD_TOKENS: [name: string, text: string, message: RegExp][] = [
  ['empty', '', /must contain at least one token/],
  ['blank', ' \t', /must contain at least one token/],
  ['only commas', ', ,', /must contain at least one token/],
  ['a space inside', 'tok-secret one', /visible ASCII.*replace entry 1/],
  ['a tab inside', 'good,tok-secret\tone', /replace entry 2/],
  ['a control character', 'tok-secret\u0007', /replace entry 1/],
  ['delete', 'tok-secret\u007f', /replace entry 1/],
  ['a character outside ASCII', 'good,better,tok-secrét', /replace entry 3/],
  ['a name without a token', 'good,planner:', /replace entry 2/],
  ['no name before a colon', ':tok-secret', /in entry 1, the name .* must have 1 to 64/],
  ['a space in a name', 'my planner:tok-secret', /in entry 1, the name .* must have 1 to 64/],
  ['signs in a name', 'good,tok+/=:tok-secret', /in entry 2, the name before the first colon/],
  ['a long name', `${'x'.repeat(65)}:tok-secret`, /in entry 1, the name .* must have 1 to 64/],
  [
    'a token with two names',
    'a:tok-secret,good,b:tok-secret',
    /entry 3 repeats another caller's token/,
  ],
  [
    'a token with and without a name',
    'tok-secret,a:tok-secret',
    /entry 2 repeats another caller's token/,
  ],
  ['a comment', '# tokens of planners\ntok-secret', /replace entry 1$/],
  ['one malformed line of several', 'good\n\nbetter, tok-secret one\n', /replace entry 3$/],
];

describe('the error about a bad token does not show it', () => {
  it.each(BAD_TOKENS)('%s, in the setting and in a file', async (_name, text, message) => {
    const path = await file(text);
    const refusals: [begin: string, refusal: string][] = [
      ['X_API_TOKENS=(not shown): must ', refusalOf({ X_API_TOKENS: text })],
      [`X_API_TOKENS_FILE="${path}": must `, refusalOf({ X_API_TOKENS_FILE: path })],
    ];
    for (const [begin, refusal] of refusals) {
      expect(refusal.startsWith(begin), refusal).toBe(true);
      expect(refusal).toMatch(message);
      expect(refusal).not.toMatch(/tok-|good|better/);
    }
  });

  it.each(['!', '+-./~_=', '~', 'x'.repeat(10_000)])('accepts the token `%.20s`', (token) => {
    expect(read({ X_API_TOKENS: token }).tokens?.accept(`Bearer ${token}`)).toBeDefined();
  });
});

describe.each(['API_TOKENS_FILE', 'METRICS_TOKEN_FILE', 'TLS_CERT_FILE', 'TLS_CLIENT_CA_FILE'])(
  '%s',
  (name) => {
    it.each([
      ['a file that is missing', '/nowhere/at/all', 'must name a file that can be read (ENOENT)'],
      ['a directory', '/', 'must name a file that can be read (EISDIR)'],
      ['no path', '', 'is empty; name a file or leave it unset'],
    ])('cannot be %s', (_name, path, message) => {
      expect(refusalOf({ [`X_${name}`]: path })).toContain(`X_${name}="${path}": ${message}`);
    });
  },
);

const GARBLED = server.cert.replace(/\n[A-Za-z0-9+/]{8}/, '\nAAAAAAAA');
const PAIR = { CERT: server.cert, KEY: server.key };

type Contents = Record<string, string>;

const [MISMATCH, TOO_WEAK] = ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'ERR_SSL_EE_KEY_TOO_SMALL'];
const NEEDS_PAIR = 'needs X_TLS_CERT_FILE and X_TLS_KEY_FILE as well';
const UNFIT = 'does not belong to the certificate in X_TLS_CERT_FILE, or is too weak';
const NO_CERTIFICATES =
  'must name a file of complete PEM certificates, each of which begins on a line of its own';
const NO_KEY = 'must name a file with one PEM private key, without a passphrase';

const BAD_TLS: [name: string, contents: Contents, setting: string, message: string][] = [
  ['a certificate without a key', { CERT: server.cert }, 'CERT', 'needs X_TLS_KEY_FILE as well'],
  ['a key without a certificate', { KEY: server.key }, 'KEY', 'needs X_TLS_CERT_FILE as well'],
  ['authorities without a certificate', { CLIENT_CA: ca.cert }, 'CLIENT_CA', NEEDS_PAIR],
  ['the key of another certificate', { ...PAIR, KEY: other.key }, 'KEY', `${UNFIT} (${MISMATCH})`],
  ['a key that is too weak', { CERT: weak.cert, KEY: weak.key }, 'KEY', `${UNFIT} (${TOO_WEAK})`],
  ['an empty certificate', { ...PAIR, CERT: '' }, 'CERT', NO_CERTIFICATES],
  ['a malformed certificate', { ...PAIR, CERT: GARBLED }, 'CERT', NO_CERTIFICATES],
  ['a key for a certificate', { ...PAIR, CERT: server.key }, 'CERT', NO_CERTIFICATES],
  ['a certificate for a key', { ...PAIR, KEY: server.cert }, 'KEY', NO_KEY],
  ...[
    'none',
    `${ca.cert}\n${GARBLED}`,
    ca.cert.trim() + ca.cert,
    `${ca.cert}\n\uFEFF${ca.cert}`,
    ca.cert.slice(0, 99) + ca.cert,
  ].map((CLIENT_CA): (typeof BAD_TLS)[0] => [
    `authorities that are not all valid`,
    { ...PAIR, CLIENT_CA },
    'CLIENT_CA',
    NO_CERTIFICATES,
  ]),
];

const pathsOf = async (contents: Record<string, string>) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(contents).map(async ([name, pem]) => [`X_TLS_${name}_FILE`, await file(pem)]),
    ),
  );

describe('TLS settings', () => {
  it.each(BAD_TLS)('%s', async (_name, contents, setting, message) => {
    const paths = await pathsOf(contents);
    const name = `X_TLS_${setting}_FILE`;
    expect(refusalOf(paths)).toBe(`${name}="${paths[name]}": ${message}`);
  });

  it('accepts a certificate chain and several authorities', async () => {
    const contents = {
      CERT: `\uFEFF${server.cert}\n${ca.cert}`,
      KEY: server.key,
      CLIENT_CA: `# BEGIN CLIENT CERTIFICATE\n${ca.cert}\n${other.cert}`,
    };
    expect(read(await pathsOf(contents)).tls).toEqual({
      cert: contents.CERT,
      key: contents.KEY,
      clientCa: contents.CLIENT_CA,
    });
  });
});

describe('a startup warning', () => {
  const BEYOND = '0.0.0.0';
  const CASES: [name: string, host: string, env: Record<string, string>, warnings: number][] = [
    ['beyond loopback without a token', BEYOND, {}, 1],
    ['beyond loopback with a token', BEYOND, { X_API_TOKENS: 'token-0123456789' }, 0],
    ['beyond loopback with a short token', BEYOND, { X_API_TOKENS: 'token-012345678' }, 1],
    ['on loopback with a short token', '127.0.0.1', { X_API_TOKENS: 'token-012345678' }, 1],
    ['on loopback', '127.0.0.1', {}, 0],
    ['on IPv6 loopback', '::1', {}, 0],
    ['on IPv4 loopback within IPv6', '::ffff:127.0.0.1', {}, 0],
  ];

  it('says who may call and which tokens can be guessed', async () => {
    const warningsOf = (host: string, env: Record<string, string>) =>
      accessWarnings(read(env), { host, port: 80 }, 'X_BIND_ADDR');
    for (const [name, host, env, warnings] of CASES) {
      const found = warningsOf(host, env);
      expect(found, name).toHaveLength(warnings);
      expect(found.join(), name).not.toContain('token-0123456');
    }
    expect(warningsOf(BEYOND, {})[0]).toContain(
      'X_BIND_ADDR=127.0.0.1:80 to serve only this machine',
    );
    expect(warningsOf('::', {})[0]).toContain('X_BIND_ADDR=[::1]:80 to serve only this machine');
    const files = await pathsOf({ CERT: server.cert, KEY: server.key });
    expect(warningsOf(BEYOND, files)).toHaveLength(1);
    const [expired] = warningsOf('::1', await pathsOf({ CERT: old.cert, KEY: old.key }));
    expect(expired).toMatch(/certificate expired on .* GMT; replace it$/);
    expect(warningsOf(BEYOND, { ...files, X_TLS_CLIENT_CA_FILE: await file(ca.cert) })).toEqual([]);
  });
});

describe('CORS origins', () => {
  it.each(
    (
      'http://localhost:5173 https://app.example.com https://app.example.com:8443 ' +
      'http://127.0.0.1:3000 http://[::1]:3000 https://xn--mnchen-3ya.example'
    ).split(' '),
  )('%s', (origin) => {
    expect([...read({ X_CORS_ORIGINS: `https://a.test, ${origin}` }).corsOrigins]).toEqual([
      'https://a.test',
      origin,
    ]);
  });

  it.each(
    (
      '* null https://*.example.com app.example.com //app.example.com ' +
      'https://app.example.com/ https://app.example.com/path https://app.example.com?x ' +
      'https://app.example.com#x https://App.example.com HTTPS://app.example.com ' +
      'https://app.example.com:443 http://app.example.com:80 http://app.example.com: ' +
      'https://user@app.example.com https://münchen.example file:///x ' +
      'chrome-extension://abcdef https://'
    ).split(' '),
  )('`%s` is not accepted', (text) => {
    const refusal = refusalOf({ X_CORS_ORIGINS: `https://a.test,${text}` });
    expect(refusal).toMatch(/^X_CORS_ORIGINS=/);
    expect(refusal).toContain(
      `: must not contain \`${text}\`; write each origin as scheme://host[:port] in lower case`,
    );
  });

  it('lists all bad origins', () => {
    expect(refusalOf({ X_CORS_ORIGINS: '*,https://a.test,null' })).toContain(
      'must not contain `*`, `null`;',
    );
  });
});

describe.each(SERVICES)('the $name service', (service) => {
  it('does not start with bad access settings and lists them all without showing tokens', async () => {
    const bad = {
      API_TOKENS: 'tok-secret one',
      API_TOKENS_FILE: await file('tok-secret two'),
      TLS_KEY_FILE: await file(server.key),
      TLS_CLIENT_CA_FILE: '/nowhere/ca.pem',
      CORS_ORIGINS: '*',
      API_TOKEN: 'tok-secret',
    };
    const { code, output } = await refusedStart(service, bad);
    expect(code).toBe(1);
    for (const name of Object.keys(bad)) {
      expect(
        output.split('\n').filter((line) => line.startsWith(`${service.prefix}_${name}=`)),
      ).toHaveLength(1);
    }
    expect(output).not.toContain('tok-secret');
    expect(output).not.toMatch(/^\s+at /m);
  });

  it('warns once about who may call it, unless callers need certificates', async () => {
    const BIND_ADDR = '0.0.0.0:0';
    const warningsOf = async (settings: Record<string, string>) => {
      await using running = await startService(service, { BIND_ADDR, ...settings });
      expect(await running.stop()).toEqual({ code: 0, signal: null });
      expect(running.output).not.toContain('token-0123456');
      return logged(running, 'warn').map(({ msg }) => msg);
    };
    const certificates = {
      TLS_CERT_FILE: await file(server.cert),
      TLS_KEY_FILE: await file(server.key),
      TLS_CLIENT_CA_FILE: await file(ca.cert),
    };
    const ofKubernetes = { PORT: 'tcp://10.0.0.1:80', SERVICE_HOST: '10.0.0.1' };
    expect((await warningsOf({ URL: 'x', ...ofKubernetes })).sort()).toEqual([
      expect.stringContaining(`${service.prefix}_URL`),
      expect.stringMatching(
        `^anyone who can reach 0.0.0.0 .* or ${service.prefix}_BIND_ADDR=127.0.0.1:`,
      ),
    ]);
    expect(await warningsOf({ ...certificates, API_TOKENS: 'token-012345678' })).toEqual([
      expect.stringContaining('token'),
    ]);
  });
});
