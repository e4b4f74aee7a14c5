import { reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { HARMLESS, type Host, type Result, stdioHost, textOf } from './support/host.ts';

/** An issue with the members of GitHub's REST API that are long. */
const issue = (number: number) => ({
  ...{ id: 2_000_000_000 + number, number, title: `Found bug ${number}`, state: 'open' },
  node_id: `MDU6SXNzdWU${number}`,
  user: {
    ...{ login: 'octocat', id: 1, node_id: 'MDQ6VXNlcjE=', type: 'User', site_admin: false },
    avatar_url: 'https://github.example/images/error/octocat_happy.gif',
    repos_url: 'https://api.github.example/users/octocat/repos',
    events_url: 'https://api.github.example/users/octocat/events{/privacy}',
  },
  labels: [{ id: 208_045_946, name: 'bug', color: 'f29513', default: true }],
  body: 'I am having a problem with this. '.repeat(30),
  url: `https://api.github.example/repos/octocat/Hello-World/issues/${number}`,
  created_at: '2011-04-22T13:33:48Z',
});
const ISSUES = Array.from({ length: 100 }, (_, index) => issue(index + 1));
const WHOLE = Buffer.byteLength(JSON.stringify(ISSUES));

const github = shared(() =>
  startUpstream(({ url }, response) =>
    reply(response, {
      status: url.startsWith('/missing') ? 404 : 200,
      headers: { link: '<?page=2>; rel="next"' },
      body: ISSUES,
    }),
  ),
);
const args = () => ['--allowed-hosts', `127.0.0.1:${github().port}`];
const host = shared(() => stdioHost({ args: args() }));
const generous = shared(() => stdioHost({ args: [...args(), '--max-bytes', '50000'] }));

const list = (at: Host, members: object, path = '/issues') =>
  at.request({ method: 'GET', url: `${github().origin}${path}`, ...HARMLESS, ...members });

interface Outcome {
  readonly body: unknown;
  readonly omitted?: unknown;
  readonly links?: unknown;
}

const outcomeOf = ({ answer }: Result) => answer.outcome as Outcome;
const sizeOf = (result: Result) => Buffer.byteLength(JSON.stringify(outcomeOf(result).body));

describe('a list of 100 issues', () => {
  it('fits into 12 KB with the fields that a model needs', async () => {
    const answer = await list(host(), { fields: 'number,title,state,user/login', links: true });
    expect(Buffer.byteLength(textOf(answer))).toBeLessThan(12_000);
    const picked = ISSUES.map(({ number, title, state, user }) => ({
      ...{ number, title, state, user: { login: user.login } },
    }));
    expect(outcomeOf(answer)).toMatchObject({ body: picked });
    expect(outcomeOf(answer)).not.toHaveProperty('omitted');
    expect(outcomeOf(answer).links).toEqual({ next: `${github().origin}/issues?page=2` });
  });

  it.each(['/issues', '/missing'])('of %s is cut to 20,000 bytes, and says so', async (path) => {
    const answer = await list(host(), {}, path);
    expect(WHOLE).toBeGreaterThan(150_000);
    expect(sizeOf(answer)).toBeLessThanOrEqual(20_000);
    expect(sizeOf(answer)).toBeGreaterThan(15_000);
    expect(outcomeOf(answer).omitted).toEqual([
      { pointer: '', items: expect.toSatisfy((items) => items > 80 && items < 95) },
    ]);
    expect(textOf(answer)).toContain(
      'The body was cut, and `omitted` says where. If you need the rest and the request only reads data, repeat it with',
    );
  });

  it('is as long as the model or the operator asks', async () => {
    const sizes = async (at: Host, members: object) => sizeOf(await list(at, members));
    expect(await sizes(host(), { max_bytes: 1_000_000 })).toBe(WHOLE);
    expect(await sizes(host(), { max_bytes: 3_000 })).toBeLessThanOrEqual(3_000);
    expect(await sizes(generous(), {})).toBeGreaterThan(40_000);
    expect(await sizes(generous(), {})).toBeLessThanOrEqual(50_000);
  });
});
