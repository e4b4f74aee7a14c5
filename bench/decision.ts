import { generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DECISION_TOKEN,
  DEFAULT_ISSUER,
  type DecisionClaims,
  SIGNATURE_ALGORITHM,
} from '@gatehouse/contracts';
import { actionDigest } from '@gatehouse/contracts/action';
import { LOAD_CORE, pinLoad } from './support/cores.ts';
import { median, print } from './support/figures.ts';
import { load } from './support/load.ts';
import { type Subject, startService } from './support/subject.ts';
import { startUpstream } from './support/upstream.ts';

// Compares the processor time of an execution with a decision token and without one with that of
// two Ed25519 verifications. Needs wrk. The environment variables `STARTS`, `ROUNDS` and `SECONDS`
// override the defaults.
const STARTS = Number(process.env.STARTS ?? 3);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 1);
const CONNECTIONS = 32;
/** More tokens than any round sends. */
const TOKENS = 10_000 * SECONDS;
const LIFETIME_S = 300;

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(digest: string): string {
  const { typ, aud } = DECISION_TOKEN;
  const iat = Math.floor(Date.now() / 1_000);
  const claims: DecisionClaims = {
    ...{ iss: DEFAULT_ISSUER, aud, iat, exp: iat + LIFETIME_S, jti: randomUUID() },
    ...{ action_digest: digest, policy_digest: 'profile' },
  };
  const text = `${encode({ alg: SIGNATURE_ALGORITHM, typ, kid: 'bench' })}.${encode(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

/** Returns the processor time of one verification in microseconds. */
function verification(token: string): number {
  const [header, claims, signature = ''] = token.split('.');
  const [text, bytes] = [Buffer.from(`${header}.${claims}`), Buffer.from(signature, 'base64url')];
  const times = 5_000;
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++)
    if (!verify(null, text, publicKey, bytes)) throw new Error('The signature is wrong.');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

async function execution({ url, cpuMs }: Subject, body: string, tokensFile?: string) {
  const before = cpuMs();
  const target = { url: `${url}/execute`, body, tokensFile };
  const { answered } = await load(target, { connections: CONNECTIONS, seconds: SECONDS });
  return ((cpuMs() - before) * 1_000) / answered;
}

pinLoad();
await using stack = new AsyncDisposableStack();
const upstream = stack.use(await startUpstream(LOAD_CORE));
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
stack.defer(() => rmSync(folder, { recursive: true }));
const [keysFile, tokensFile] = [join(folder, 'keys.json'), join(folder, 'tokens')];
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'bench' };
writeFileSync(keysFile, JSON.stringify({ keys: [jwk] }));
const action = { method: 'GET', url: `${upstream.url}/order` } as const;
const digest = actionDigest({ ...action, url: new URL(action.url) });
if (!digest.ok) throw new Error('The action has no digest.');

for (let start = 1; start <= STARTS; start++) {
  await using plain = await startService('executor');
  await using bound = await startService('executor', { HTTP_EXECUTOR_DECISION_KEYS: keysFile });
  const figures = { without: [] as number[], with: [] as number[], verification: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const tokens = Array.from({ length: TOKENS }, () => signed(digest.value));
    writeFileSync(tokensFile, tokens.join('\n'));
    const [first = ''] = tokens;
    figures.without.push(await execution(plain, JSON.stringify(action)));
    figures.with.push(await execution(bound, JSON.stringify(action), tokensFile));
    figures.verification.push(verification(first));
  }
  // The first round warms up.
  const [without, withToken, one] = Object.values(figures).map((all) => median(all.slice(1)));
  const more = Number(withToken) - Number(without);
  print({
    'without a token, µs': Math.round(Number(without)),
    'with a token, µs': Math.round(Number(withToken)),
    'one verification, µs': Math.round(Number(one)),
    'more, in verifications': (more / Number(one)).toFixed(2),
  });
}
