import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { type Answer, post } from '../hostile/client.ts';
import { readAnswer } from '../hostile/contract.ts';
import { memberText } from '../hostile/member.ts';
import type { Asked } from '../hostile/upstream.ts';
import { type HostileAnswer, tameAnswer, wildAnswer } from './answers.ts';
import { type Field, type Lane, onlyUpstream, type Verdict } from './lane.ts';
import type { Random } from './random.ts';

/** What the upstream answers with, by the path that it is asked for. */
const prepared = new Map<string, HostileAnswer>();

function answerAsPrepared({ path }: Asked, socket: Socket): undefined {
  const answer = prepared.get(path);
  if (answer === undefined) socket.destroy();
  else if (answer.ending === 'keep' || answer.ending === 'hang') socket.write(answer.bytes);
  else if (answer.ending === 'close') socket.end(answer.bytes);
  else socket.write(answer.bytes, () => socket.resetAndDestroy());
  return undefined;
}

const SECRET = 'kR7wLq2ZxV9tNb4mPf6d';
const SCHEMAS = [
  {},
  { type: 'object' },
  { type: ['array', 'string'] },
  { required: ['a'] },
  { items: { type: 'number' } },
];

async function send({ service, upstream }: Field, random: Random, index: number): Promise<Verdict> {
  const wild = random.chance(0.25);
  const credential = random.chance(0.3);
  const echoed = credential && random.chance(0.3) ? SECRET : '';
  const answer = wild ? wildAnswer(random) : tameAnswer(random, echoed);
  const path = `/${index}`;
  prepared.set(path, answer);
  const action = {
    // A GET is sent three times, with waits between.
    method: random.chance(0.1) ? 'GET' : 'POST',
    url: upstream.origin + path,
    ...(credential ? { headers: { authorization: `Bearer ${SECRET}` } } : {}),
    ...(random.chance(0.15) ? { response_schema: random.pick(SCHEMAS) } : {}),
  };
  const said = await post(`${service.url}/execute`, JSON.stringify(action));
  prepared.delete(path);
  const { label, fault } = readAnswer(said);
  const judged = !wild && !(action.method === 'GET' && label === 'Timeout');
  const found =
    fault ??
    leak(said, credential) ??
    (judged ? infidelity(said, label, answer, echoed !== '') : undefined);
  return {
    label,
    fault: found,
    input: Buffer.concat([Buffer.from(`${JSON.stringify(action)}\n\n`), answer.bytes]),
  };
}

function leak({ text }: Answer, credential: boolean): string | undefined {
  return credential && text.includes(SECRET) ? 'the credential got through' : undefined;
}

/** Nobody has to take JSON that nests deeper. */
const MAX_DEPTH = 256;
const RESPONSE_LIMIT = 10 * 1024 * 1024;

const withoutBlanks = (json: string) => json.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** The JSON text that bytes are, without mark and outer blanks; undefined: they are none. */
function jsonIn(body: Buffer, charset = 'utf-8'): string | undefined {
  if (charset === 'utf-8' && !isUtf8(body)) return undefined;
  const text = new TextDecoder(charset).decode(body);
  try {
    JSON.parse(text);
    return withoutBlanks(text);
  } catch {
    return undefined;
  }
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

/** The machine may have been busy; what was tried again shows its last answer elsewhere. */
const INCONCLUSIVE = /^(?:429|503|RetriesExhausted)/;

/** How an outcome departs from what the upstream said, which was well-formed HTTP. */
function infidelity(
  said: Answer,
  label: string,
  answer: HostileAnswer,
  echoed: boolean,
): string | undefined {
  const { status, body = Buffer.alloc(0) } = answer;
  if (body.length > RESPONSE_LIMIT || INCONCLUSIVE.test(label)) return undefined;
  const success = status >= 200 && status <= 299;
  const json = body.length === 0 ? 'null' : (jsonIn(body) ?? jsonIn(body, answer.charset));
  if (json === undefined)
    return success && label !== 'ResponseNotJson'
      ? `${label} for what is no JSON: ${shown(said.text)}`
      : undefined;
  if (depthOf(json) > MAX_DEPTH) return undefined;
  const expected = success ? ['success', 'SchemaValidationFailed'] : ['HttpFailure'];
  if (!expected.includes(label))
    return `${label} for JSON with status ${status}: ${shown(said.text)}`;
  const member = memberText(said.text, 'body');
  const passedOn = member && withoutBlanks(member);
  if (echoed || passedOn === json) return undefined;
  return `${difference(passedOn, json)}: ${shown(passedOn)} for ${shown(json)}`;
}

const shown = (text = 'nothing') => JSON.stringify(text.slice(0, 240));

/** Whether more than blanks and escapes differs. */
function difference(passedOn: string | undefined, json: string): string {
  if (passedOn === undefined) return 'the body is missing';
  const same = JSON.stringify(JSON.parse(passedOn)) === JSON.stringify(JSON.parse(json));
  return same ? 'the body is written anew' : 'the body says something else';
}

export const answers: Lane = {
  name: 'answers',
  service: 'executor',
  settings: onlyUpstream,
  atOnce: 48,
  open: ({ upstream }) => upstream.answer(answerAsPrepared),
  send,
};
