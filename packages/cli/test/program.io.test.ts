import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decisionRecord, evaluate, readCheck } from '@gatehouse/policy';
import { readProfileFile } from '@gatehouse/policy/files';
import { describe, expect, it } from 'vitest';
import { filesOfTests, run } from './support/command.ts';

const { folder, fileOf } = filesOfTests();
const json = (value: unknown) => fileOf(JSON.stringify(value));
const ndjson = (lines: readonly unknown[]) =>
  fileOf(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));

const costs = (amount_minor_units: number, currency = 'EUR') => ({
  spend: { amount_minor_units, currency },
  pii: { categories: [] },
  legal: { flags: [] },
});
const cautious =
  'name: cautious\nspend:\n  limit_major_units: 10\n  max_user_limit_major_units: 0\n';
const CALLERS =
  'default: a\nprofiles:\n  - name: a\n  - name: b\n    spend: { limit_major_units: 0 }\ncallers: { bot: b }\n';

it('every command refuses an unknown caller', async () => {
  const [one, several] = [fileOf('name: a'), fileOf(CALLERS)];
  const [request, requests] = [json(costs(1)), ndjson([costs(1)])];
  const cases = json({ cases: [{ name: 'x\n', caller: 'bto', request: {}, decision: 'deny' }] });
  for (const [args, hint, place = ''] of [
    [['check', request, '-c', 'bto'], 'omit the caller'],
    [['check', request, '-p', several, '-c', 'bto'], 'use one of bot'],
    [['show', several, '-c', 'bto'], 'use one of bot'],
    [['show', one, '-c', 'bto'], 'omit the caller'],
    [['diff', one, several, requests, '-c', 'bto'], 'use one of bot'],
    [['test', several, cases], 'use one of bot', 'case `x\\u{a}`: '],
  ] as const)
    expect(await run(...args)).toEqual({
      ...{ code: 2, out: '' },
      err: `${place}\`bto\` is not a caller in the profile file; ${hint}\n`,
    });
  for (const [before, after] of [
    [one, several],
    [several, one],
  ] as const)
    expect(await run('diff', before, after, requests, '-c', 'bot')).not.toMatchObject({ code: 2 });
});

it('gatehouse --version prints the version of the package', async () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const out = `${JSON.parse(text).version}\n`;
  expect(await run('--version')).toEqual({ code: 0, out, err: '' });
});

it('exits with 2 if the result or the error cannot be written', () => {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  for (const [command, stderr] of [
    ['--help >/dev/full', 'cannot write to standard output (ENOSPC)\n'],
    ['--help >/dev/full 2>&1', ''],
    ['chek 2>/dev/full', ''],
  ]) {
    const line = `'${process.execPath}' '${main}' ${command}`;
    const exited = spawnSync(line, { shell: true, encoding: 'utf8' });
    expect([command, exited]).toMatchObject([command, { status: 2, stderr }]);
  }
});

it('a file can have up to 1 MiB', async () => {
  const ofBytes = (bytes: number) => fileOf(JSON.stringify(costs(1)).padEnd(bytes));
  expect(await run('check', ofBytes(1024 * 1024))).toMatchObject({ code: 0 });
  expect(await run('check', ofBytes(1024 * 1024 + 1))).toMatchObject({ code: 2 });
});

describe('gatehouse check', () => {
  it('explains its decision, and exits with 0 only if the request is allowed', async () => {
    expect(await run('check', json(costs(10_000)))).toMatchObject({ code: 0, err: '' });
    const inline = `\n ${JSON.stringify(costs(10_000))}`;
    expect(await run('check', inline)).toMatchObject({ code: 0, err: '' });
    const { code, out } = await run('check', json(costs(20_000)));
    expect(code).toBe(1);
    expect(out).toContain('require_approval by profile default (');
    expect(out).toContain(
      'needs approval. The rule would allow an action that costs at most EUR 100.00.',
    );
  });

  it('applies the default profile of a file, or the profile of a caller', async () => {
    const [file, request] = [fileOf(CALLERS), json(costs(1))];
    expect(await run('check', request, '-p', file)).toMatchObject({ code: 0 });
    expect(await run('check', request, '-p', file, '-c', 'bot')).toMatchObject({ code: 1 });
    const { out } = await run('check', request, '--json', '-p', file);
    expect(JSON.parse(out)).toMatchObject({ decision: 'allow', explanation: { profile: 'a' } });
  });

  it('lists each mistake with its place', async () => {
    const bad = fileOf('spend:\n  amount_minor_units: 1\n  currency: XYZ\npiii: {}\n');
    const { code, out, err } = await run('check', bad);
    expect([code, out]).toEqual([2, '']);
    expect(err.split('\n')).toEqual([
      expect.stringMatching(`^${bad}:3:\\d+: /spend/currency must be the ISO 4217`),
      expect.stringMatching(`^${bad}:4:1: /piii `),
      '',
    ]);
    for (const [args, says] of [
      [['check', '{"spend":{,}}'], /^argument:1:\d+: /],
      [['check', '{"spand":{}}'], /^argument:1:\d+: \/spand is an unknown property; known: /],
      [['check', ' []'], /^argument:1:2: the file must be an object\n$/],
      [['check', ' '], /^argument: is empty; give the path of a file\n$/],
      [['diff', fileOf(CALLERS), fileOf(CALLERS), ''], /^argument: is empty/],
      [['check'], /missing/],
      [['chek', bad], /check/],
      [['check', join(folder, 'none')], /ENOENT/],
    ] as const)
      expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringMatching(says) });
    const found = expect.stringContaining('lint found');
    expect(await run('--help')).toMatchObject({ code: 0, out: found });
    const help = (await run('diff', '--help')).out.replaceAll(/\s+/g, ' ');
    expect(help).toContain('caller (token name) to use for requests recorded without a caller');
    for (const command of ['check', 'lint', 'show', 'test', 'diff'])
      expect((await run(command, '--help')).out).toContain(`Example:\n  $ gatehouse ${command} `);
  });
});

it('gatehouse lint lists every mistake in every file', async () => {
  const bad = fileOf('name: x\nspend:\n  limit_major_units: 9\n  ceiling_major_units: 3\n');
  const good = fileOf(CALLERS);
  const fine = `${good}: no errors in a, b\n`;
  expect(await run('lint', good)).toEqual({ code: 0, out: fine, err: '' });
  const { code, out } = await run('lint', good, bad, join(folder, 'none'));
  expect(code).toBe(1);
  expect(out).toContain(`${bad}:4:3: /spend/ceiling_major_units must be at least as high`);
  expect(out).toContain('none: cannot be read (ENOENT)');
  expect(await run('lint', join(folder, 'none'))).toMatchObject({ code: 2 });
  for (const invalid of [Buffer.from([0xff]), ' '.repeat(32 * 1024 + 1), 'name: *unknown'])
    expect(await run('lint', fileOf(invalid))).toMatchObject({ code: 1 });
});

it('a profile may come from a pipe, such as <(…)', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  spawn('sh', ['-c', 'printf "name: piped" > "$0"', pipe]);
  expect(await run('lint', pipe)).toMatchObject({ code: 0, out: `${pipe}: no errors in piped\n` });
});

it('an endless file, or a huge one, is too large', async () => {
  const huge = fileOf('');
  truncateSync(huge, 8 * 1024 ** 3);
  for (const file of ['/dev/zero', huge]) {
    const err = `${file}: is larger than the limit of 1048576 bytes\n`;
    expect(await run('check', file)).toEqual({ code: 2, out: '', err });
    const out = `${file}: is larger than the limit of 32768 bytes\n`;
    expect(await run('lint', file)).toEqual({ code: 1, out, err: '' });
  }
});

it('gatehouse show shows limits and outcomes, including defaults', async () => {
  const file = fileOf(
    `${cautious}  currencies:\n    JPY: { limit_minor_units: 1500, ceiling_minor_units: 9000, max_user_limit_minor_units: 0 }\n`,
  );
  const { code, out } = await run('show', file);
  expect(code).toBe(0);
  expect(out).toMatch(/JPY +JPY 1500 +JPY 1500 +JPY 9000/);
  expect(out).toMatch(/any other +10 major units +10 major units +500 major units/);
  expect(out).toMatch(/pii +biometric +deny/);
  const shown = JSON.parse((await run('show', fileOf(CALLERS), '-c', 'bot', '--json')).out);
  const digest = expect.stringMatching(/^[\da-f]{64}$/);
  expect(shown).toMatchObject([{ profile: { name: 'b' }, digest }]);
});

describe('gatehouse test', () => {
  const good = { name: 'a small <amount>', request: costs(500), decision: 'allow' };
  const wrong = {
    ...{ name: 'a "large" one', request: costs(60_000), decision: 'allow' },
    rules: { spend_limit: 'allow', connector_scope: 'allow' },
  };

  it('passes cases and counts the outcomes that they cover', async () => {
    const { code, out } = await run('test', fileOf(cautious), json({ cases: [good] }));
    expect(code).toBe(0);
    expect(out).toContain('1 of 1 cases passed; 3 of 12 outcomes covered.');
    expect(out).toMatch(/spend_limit +1 +– +–/);
  });

  it('reports each unexpected result as text, as JSON and as a JUnit report', async () => {
    const [profile, junit] = [fileOf(cautious), join(folder, 'report.xml')];
    const cases = json({ cases: [good, wrong] });
    const { code, out } = await run('test', profile, cases, '--junit', junit);
    expect(code).toBe(1);
    expect(out).toContain('one: decision is deny, expected allow: spend_limit: EUR 600.00');
    expect(out).toContain('FAILED  a "large" one: spend_limit is deny, expected allow: EUR 600.00');
    expect(out).toContain('FAILED  a "large" one: connector_scope is silent, expected allow');
    const report = readFileSync(junit, 'utf8');
    expect(report).toContain('tests="2" failures="1"');
    expect(report).toContain('name="a small &#60;amount&#62;"/>');
    expect(report).toContain('name="a &#34;large&#34; one"><failure message="decision is deny');
    const { out: document } = await run('test', profile, cases, '--json');
    expect(JSON.parse(document)).toMatchObject({ cases: 2, failed: 1 });
  });

  it('escapes characters that move the cursor, or hide or reorder text', async () => {
    const name = '\u001b[8m\u202eevil\nok';
    const expected = { ...good, name: `${name}!`, request: { connector: { scope: name } } };
    const cases = json({ cases: [{ ...good, name }, expected] });
    const { out } = await run('test', fileOf(cautious), cases);
    expect(out).toContain('ok      \\u{1b}[8m\\u{202e}evil\\u{a}ok\n');
    expect(out).toContain('FAILED  \\u{1b}[8m\\u{202e}evil\\u{a}ok!: ');
    const { out: checked } = await run('check', json(expected.request));
    for (const text of [out, checked]) expect(text).not.toMatch(/\u001b\[8m|\u202e/);
  });

  it('says that the JUnit report cannot be written', async () => {
    const report = join(folder, 'none', 'report.xml');
    const args = ['test', fileOf(cautious), json({ cases: [good] }), '--junit', report];
    const err = `${report}: cannot be written (ENOENT)\n`;
    expect(await run(...args)).toMatchObject({ code: 2, err });
  });

  it('refuses invalid cases', async () => {
    const cases = fileOf(
      'cases:\n  - name: x\n    request: { spend: { amount: 1 } }\n    decision: maybe\n',
    );
    const { code, err } = await run('test', fileOf(cautious), cases);
    expect(code).toBe(2);
    expect(err).toContain(`${cases}:4:`);
    expect(await run('test', fileOf(cautious), fileOf('cases: []'))).toMatchObject({ code: 2 });
  });
});

describe('gatehouse diff', () => {
  const logged = (request: object, more: object = {}) => {
    const record = decisionRecord(request, evaluate(request));
    return { level: 'info', msg: 'check', ...record, ...more };
  };

  it('counts the replayed requests, then the changes with their amounts', async () => {
    const requests = ndjson([
      costs(500),
      costs(5_000),
      costs(50, 'jpy'),
      logged(costs(2_000), { spend: costs(2_000).spend }),
      logged(costs(2_000)),
      logged({ pii: { categories: ['health'] } }),
      { level: 'info', msg: 'health', checks: { db: 'ok' }, rules: null },
      'half a li',
      'null',
      '',
      { spend: { amount_minor_units: -1, currency: 'EUR' } },
    ]);
    const [before, after] = [fileOf('name: default'), fileOf(cautious)];
    const { code, out } = await run('diff', before, after, requests);
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 5)).toEqual([
      '5 of 9 recorded requests could be replayed.',
      '  1 could not: the amount was not logged; set POLICY_LOG_AMOUNTS=true',
      '  1 could not: not JSON',
      '  1 could not: invalid request: it must be an object',
      '  1 could not: invalid request: /spend/amount_minor_units must be a whole number of minor units from 0 to 9007199254740991; 8750 is EUR 87.50',
    ]);
    expect(out).toContain('0 looser, 3 tighter.');
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'tighter allow → require_approval 3 spend_limit EUR 70.00, JPY 50',
    );
    const back = await run('diff', after, before, requests, '--json');
    expect(back.code).toBe(1);
    expect(JSON.parse(back.out)).toMatchObject({
      ...{ replayed: 5, looser: 3, tighter: 0 },
      groups: [{ requests: 3, amounts_minor_units: { EUR: '7000', JPY: '50' } }],
    });
  });

  it('replays only requests that the service accepts', async () => {
    const [profile, scope] = [fileOf('name: a'), 'mcp://a\u2028b'];
    const lines = [
      JSON.stringify(logged({ connector: { scope } })),
      '{"spend":{"currency":"EUR","currency":"JPY","amount_minor_units":1}}',
      '{"spend":{"amount_minor_units":2000.00000000000001,"currency":"EUR"}}',
      Buffer.from('{"connector":{"scope":"\xff"}}', 'latin1'),
    ].flatMap((line) => [Buffer.from(line), Buffer.from('\n')]);
    const { out } = await run('diff', profile, profile, fileOf(Buffer.concat(lines)));
    expect(out.split('\n').slice(0, 4)).toEqual([
      '1 of 4 recorded requests could be replayed.',
      '  1 could not: invalid request: Remove the duplicate member `currency`.',
      expect.stringContaining(
        'Send the number at `/spend/amount_minor_units` with fewer digits or',
      ),
      '  1 could not: invalid request: Send JSON in UTF-8.',
    ]);
  });

  it('exits with 2 if it could not replay any request', async () => {
    for (const line of ['half a li', '{"level":"info","msg":"ready"}', '']) {
      const requests = fileOf(line);
      const { code, out, err } = await run('diff', fileOf('name: a'), fileOf('name: b'), requests);
      expect([code, out]).toEqual([2, expect.stringMatching(/^0 of [01] recorded requests/)]);
      expect(err).toContain(`${requests}: contains no request that can be replayed; use NDJSON`);
    }
  });

  it('replays each check of a batch, and ignores a byte order mark', async () => {
    const spend = { amount_minor_units: 2_000, currency: 'EUR' };
    const { level, msg: _, ...check } = logged(costs(2_000), { spend });
    const checks = [check, { ...check, spend: undefined }, { code: 'InvalidRequest' }];
    const batch = JSON.stringify({ level, msg: 'checks', caller: 'bot', checks });
    const requests = fileOf(`\ufeff${JSON.stringify(costs(2_000))}\r\n${batch}\r\n`);
    const { out } = await run('diff', fileOf('name: a'), fileOf(CALLERS), requests);
    expect(out).toContain('2 of 3 recorded requests could be replayed.');
    expect(out).toContain('0 looser, 1 tighter.');
  });

  it('replays an action by its method, host and path, with the sections in the log', async () => {
    const refunds = fileOf(
      'name: a\nactions: { rules: [{ host: a.test, methods: [POST], outcome: allow, facts: { spend: { amount_minor_units: /body/cents, currency: EUR }, pii: { categories: [] }, legal: { flags: [] } } }] }',
    );
    const { default: profile } = readProfileFile(refunds);
    const recorded = (sent: object, withAmounts = true, by = profile) => {
      const action = { method: 'POST', url: 'https://a.test/v1?secret', ...sent };
      const read = readCheck({ action });
      const check = read.ok ? read.value : expect.fail('invalid');
      return { msg: 'check', ...decisionRecord(check, evaluate(check, by), withAmounts) };
    };
    const lines = ndjson([
      recorded({ body: { cents: 5_000 } }),
      recorded({ body: { cents: 5_000 } }, false),
      recorded({ body: { cents: '5' } }),
      recorded({ url: 'https://a.test/a/../v1', body: { cents: 5_000 } }),
      {
        ...recorded({ body: { cents: 1 } }),
        action: { method: 'FETCH', host: 'a.test', path: '/' },
      },
      { ...recorded({ body: { cents: 1 } }), action: { method: 'GET', host: 'a b', path: '/' } },
    ]);
    const same = await run('diff', refunds, refunds, lines);
    expect(same.out.split('\n').slice(0, 6)).toEqual([
      '3 of 6 recorded requests could be replayed.',
      '  1 could not: the amount was not logged; set POLICY_LOG_AMOUNTS=true',
      '  1 could not: invalid request: /action has an unknown method',
      '  1 could not: invalid request: /action must have a valid host and a port from 1 to 65535',
      '',
      'Decisions: 0 looser, 0 tighter.',
    ]);

    const small = fileOf(`${readFileSync(refunds, 'utf8')}\nspend: { limit_major_units: 49 }`);
    const { out } = await run('diff', refunds, small, lines);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'tighter allow → require_approval 1 spend_limit EUR 50.00',
    );
    const denied = fileOf(
      'name: a\nactions: { rules: [{ host: a.test, paths: [/v1], outcome: deny }] }',
    );
    const { out: tighter } = await run('diff', refunds, denied, lines);
    expect(tighter.replaceAll(/\s+/g, ' ')).toMatch(
      /require_approval → deny 2 http_action – tighter allow → deny 1 http_action EUR 50.00/,
    );
  });

  it('replays that an action spends nothing, even if amounts are not logged', async () => {
    const free = fileOf(
      'name: a\nactions: { rules: [{ host: a.test, outcome: allow, facts: { spend: none } }] }',
    );
    const { default: profile } = readProfileFile(free);
    const labels = { pii: { categories: [] }, legal: { flags: [] } };
    const read = readCheck({ ...labels, action: { method: 'GET', url: 'https://a.test/' } });
    const check = read.ok ? read.value : expect.fail('invalid');
    const lines = ndjson([{ msg: 'check', ...decisionRecord(check, evaluate(check, profile)) }]);
    const asks = fileOf(
      'name: a\nactions: { rules: [{ host: a.test, outcome: require_approval }] }',
    );
    const { out } = await run('diff', free, asks, lines);
    expect(out).toContain('1 of 1 recorded requests could be replayed.');
    expect(out.replaceAll(/\s+/g, ' ')).toContain('allow → require_approval 1 http_action –');
  });

  it('names a rule that no longer has an outcome', async () => {
    const strict = fileOf('name: a\nconnector: { missing: deny }');
    const { out } = await run('diff', strict, fileOf('name: a'), ndjson([costs(1)]));
    expect(out.replaceAll(/\s+/g, ' ')).toContain('looser deny → allow 1 connector_scope');
  });

  it("applies the profile of each line's caller", async () => {
    const spend = { amount_minor_units: 1, currency: 'EUR' };
    const requests = ndjson(
      [{ caller: 'bot' }, {}].map((by) => logged(costs(1), { spend, ...by })),
    );
    const { out } = await run('diff', fileOf('name: a'), fileOf(CALLERS), requests);
    expect(out).toContain('0 looser, 1 tighter.');
  });
});
