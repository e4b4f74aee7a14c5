import { once } from 'node:events';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readProfileFile } from '@gatehouse/policy/files';
import { loggerTo } from '@gatehouse/service';
import { authority, certificate, replaceFile, runToExit, startService } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { buildApp } from '../src/app.ts';
import { configOf } from './support/policy-server.ts';

const profile = (limit: number) => `name: acme\nspend: { limit_major_units: ${limit} }\n`;

/** Starts a service that watches a file with this content, and collects its log lines. */
async function startWith(content: string, acceptLoosening = true, tokens?: string) {
  const files = folder();
  const path = files.path('acme.yaml');
  writeFileSync(path, content);
  const lines: Record<string, unknown>[] = [];
  const logger = loggerTo({ write: (line) => lines.push(JSON.parse(line)) }, 'info', 'policy');
  const profileFile = { path, profiles: readProfileFile(path) };
  const given = configOf(tokens === undefined ? {} : { POLICY_API_TOKENS: tokens });
  const config = { ...given, profileFile, acceptLoosening };
  const app = await buildApp({ config, logger, pollMs: 20 });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const limit = async () => {
    const body = await (await fetch(`${url}/policy/profile`)).json();
    return (body as { profile: typeof profileFile.profiles.default }).profile.spend
      .limit_major_units;
  };
  const metric = async (start: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith(start) && !line.endsWith(' 0'));
  };
  return {
    path,
    reload: () => {
      for (const file of app.files) file.readAgain();
    },
    limit,
    metric,
    lines: (text: string) => lines.filter(({ msg }) => String(msg).startsWith(text)),
    [Symbol.asyncDispose]: async () => {
      await app.close();
      files[Symbol.dispose]();
    },
  };
}

function folder(): Disposable & { path: (name: string) => string } {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-profile-'));
  return {
    path: (name) => join(root, name),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

const eventually = (holds: () => boolean | Promise<boolean>) =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 20 });

type Service = Awaited<ReturnType<typeof startWith>>;

/** Changes the file and waits for the resulting log line. */
async function changed(service: Service, change: () => void): Promise<Record<string, unknown>> {
  const before = service.lines('policy profile').length;
  change();
  await eventually(() => service.lines('policy profile').length > before);
  return service.lines('policy profile').at(-1) ?? {};
}

describe.concurrent('a reload', () => {
  it('with a mistake keeps the last good profile', async () => {
    await using service = await startWith(profile(50));
    const { path } = service;
    for (const [content, reason] of [
      ['name: acme\nspend: { limit_major_units: 600 }\n', `${path}:2:1: /spend/ceiling_major`],
      ['', `${path}:1:1: the file must be an object`],
      [undefined, `${path}: cannot be read (ENOENT)`],
    ]) {
      const line = await changed(service, () => {
        if (content === undefined) unlinkSync(path);
        else replaceFile(path, content);
      });
      expect(line).toMatchObject({
        level: 'error',
        msg: 'policy profile invalid; the last good one stays in force',
        reason: expect.stringContaining(reason ?? ''),
      });
      expect(await service.limit()).toBe(50);
    }
    expect(await service.metric('policy_profile_reloads_total')).toContain(
      'policy_profile_reloads_total{result="invalid"} 3',
    );
  });

  it('that changes nothing is logged and counted', async ({ expect }) => {
    await using service = await startWith(profile(50));
    const unchanged = async () =>
      String(await service.metric('policy_profile_reloads_total{result="unchanged"}'));
    await expect.poll(unchanged).toMatch(/ 1$/);
    const logged = () => service.lines('file read again; nothing has changed');
    expect(logged()).toEqual([]);
    writeFileSync(service.path, `# The same\n${profile(50)}`);
    await expect.poll(logged).toMatchObject([{ level: 'info', profile_file: service.path }]);
    service.reload();
    await expect.poll(logged).toHaveLength(2);
    expect(await unchanged()).toMatch(/ 3$/);
  });

  it('logs the digests and what became looser', async () => {
    await using service = await startWith(profile(50));
    const { path } = service;
    const [before] = await service.metric('policy_profile_info');
    service.reload();
    const line = await changed(service, () => replaceFile(path, profile(60)));
    expect(service.lines('policy profile')).toHaveLength(1);
    const [after, ...more] = await service.metric('policy_profile_info');
    expect(more).toEqual([]);
    const info = (digest: unknown) =>
      `policy_profile_info{profile="acme",version="1",digest="${digest}"} 1`;
    const { digests_before, digests, ...rest } = line as Record<string, { acme: string }>;
    expect([info(digests_before?.acme), info(digests?.acme)]).toEqual([before, after]);
    expect(rest).toMatchObject({
      level: 'warn',
      msg: 'policy profile changed',
      profile_file: path,
      change: 'loosening',
      looser: ['spend limit 50 major units → 60 major units'],
      tighter: [],
    });
    expect(await service.metric('policy_profile_reloads')).toContain(
      'policy_profile_reloads_total{result="applied"} 1',
    );
  });

  it('warns about callers without a token, as startup does', async () => {
    const set = (callers: string) =>
      `default: a\nprofiles: [{ name: a }]\ncallers: { ${callers} }\n`;
    const warned = 'some callers in the profile file have no token';
    const tokens = 'bot:0123456789abcdef,fedcba9876543210';
    await using service = await startWith(set('bot: a, plannr: a'), true, tokens);
    expect(service.lines(warned)).toMatchObject([{ callers: ['plannr'], count: 1 }]);
    const many = Array.from({ length: 21 }, (_, n) => `n${n}: a`).join();
    for (const callers of ['bot: a', many])
      await changed(service, () => replaceFile(service.path, set(callers)));
    await eventually(() => service.lines(warned).length > 1);
    expect(service.lines(warned).slice(1)).toMatchObject([
      { level: 'warn', callers: expect.toSatisfy((names) => names.length === 20), count: 21 },
    ]);
  });

  it('is refused if it loosens anything and POLICY_ACCEPT_LOOSENING is false', async () => {
    await using service = await startWith(profile(50), false);
    for (const [content, limit, message] of [
      [profile(60), 50, 'policy profile refused because it is looser'],
      [`${profile(40)}pii: { categories: { health: allow } }\n`, 50, 'policy profile refused'],
      [profile(40), 40, 'policy profile changed'],
      [profile(50), 40, 'policy profile refused because it is looser'],
    ] as const) {
      const { msg } = await changed(service, () => replaceFile(service.path, content));
      expect([content, await service.limit()]).toEqual([content, limit]);
      expect(String(msg)).toContain(message);
    }
  });
});

describe.concurrent('the policy process', () => {
  it('applies its profile to a caller that a client certificate names, without a warning', async () => {
    using files = folder();
    const put = (name: string, content: string) => {
      writeFileSync(files.path(name), content);
      return files.path(name);
    };
    const ca = await authority('ours');
    const server = await certificate('server', ca);
    await using policy = await startService('policy', {
      POLICY_PROFILE_FILE: put(
        'set.yaml',
        'default: a\nprofiles: [{ name: a }, { name: b }]\ncallers: { planner: b }\n',
      ),
      POLICY_TLS_CERT_FILE: put('cert', server.cert),
      POLICY_TLS_KEY_FILE: put('key', server.key),
      POLICY_TLS_CLIENT_CA_FILE: put('clients', ca.cert),
    });
    for (const [name, profile] of [
      ['planner', 'b'],
      ['someone', 'a'],
      ['no name', 'a'],
    ] as const) {
      const options = { ca: ca.cert, ...(await certificate(name, ca)), agent: false };
      const [answer] = await once(get(`${policy.url}/policy/profile`, options), 'response');
      expect(JSON.parse(await text(answer))).toMatchObject({ profile: { name: profile } });
    }
    expect(await policy.stop()).toEqual({ code: 0, signal: null });
    expect(policy.lines().filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('reloads its profile file on SIGHUP and applies its profile to each caller', async () => {
    using files = folder();
    const path = files.path('acme.yaml');
    const set = (limit: number) =>
      `default: strict\nprofiles:\n  - { name: strict, spend: { limit_major_units: 0 } }\n  - { name: wide, spend: { limit_major_units: ${limit} } }\ncallers: { planner: wide }\n`;
    writeFileSync(path, set(200));
    await using policy = await startService('policy', {
      POLICY_PROFILE_FILE: path,
      POLICY_API_TOKENS: 'planner:0123456789abcdef,fedcba9876543210',
    });
    const limitFor = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${policy.url}/policy/profile`, { headers });
      return JSON.stringify(await response.json()).match(/"limit_major_units":(\d+)/)?.[1];
    };
    expect(await limitFor('0123456789abcdef')).toBe('200');
    expect(await limitFor('fedcba9876543210')).toBe('0');
    writeFileSync(path, set(300));
    policy.signal('SIGHUP');
    await eventually(async () => (await limitFor('0123456789abcdef')) === '300');
    expect(await policy.stop()).toEqual({ code: 0, signal: null });
  });

  it('does not start with a profile file that has mistakes, and says where', async () => {
    using files = folder();
    const path = files.path('acme.yaml');
    writeFileSync(path, 'name: acme\nspend:\n  limit: 5\n');
    const { code, stderr } = await runToExit('policy', { POLICY_PROFILE_FILE: path });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `POLICY_PROFILE_FILE=${JSON.stringify(path)}: must name a valid profile file`,
    );
    expect(stderr).toContain(`\n${path}:3:3: /spend/limit is an unknown property; known: `);
  });
});
