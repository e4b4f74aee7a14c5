import { isUtf8 } from 'node:buffer';
import {
  isPlainJson,
  JsonText,
  nameAt,
  type OutermostMember,
  withoutByteOrderMark,
} from '@gatehouse/json-text';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { brokenOff } from '../problems/problem-error.ts';
import { inspect, isExact, MAX_MEMBERS, malformed, refuse } from './json-findings.ts';
import { Turns } from './turns.ts';

/** Up to this size, reading and validating takes about a millisecond at most. */
const MAX_INLINE_BYTES = 16 * 1024;

/**
 * Takes JSON in UTF-8 as strictly as contract section 1 says (why: docs/decisions/0019).
 * Outermost members in `passedOn` reach the handler unread, as a `JsonText`, unless they
 * are `null`, `true` or `false`: with any digits and any number of members, or else with
 * anything, for handlers that call `readJson` wherever the text is not exact; a plain body
 * is parsed whole, so these take values, too.
 */
export function parseJsonStrictly(
  app: FastifyInstance,
  passedOn: ReadonlySet<string> = new Set(),
  holding: Holding = 'any numbers',
): void {
  app.removeAllContentTypeParsers();
  const turns = new Turns();
  const read: FastifyBodyParser<Buffer> = ({ raw }, body, done) => {
    const readBody = () => parse(body, passedOn, holding, done);
    if (body.length <= MAX_INLINE_BYTES) return readBody();
    turns.take(() => (raw.socket.destroyed ? done(brokenOff()) : readBody()));
  };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, read);
}

type Holding = 'any numbers' | 'anything';

type Done = (error: Error | null, value?: unknown) => void;

function parse(body: Buffer, passedOn: ReadonlySet<string>, holding: Holding, done: Done): void {
  let value: unknown;
  let failure: Error | null = null;
  try {
    value = readJson(body, passedOn, holding);
  } catch (error) {
    failure = error as Error;
  }
  done(failure, value);
}

/** As bodies are read. @throws ProblemError that says what is wrong, and where, without values. */
export function readJson(
  bytes: Buffer,
  passedOn: ReadonlySet<string> = new Set(),
  holding: Holding = 'any numbers',
): unknown {
  if (bytes.length === 0) throw malformed('Send a JSON document as the body; it was empty.');
  if (!isUtf8(bytes)) throw malformed('Send the body in UTF-8; some of its bytes are none.');
  const document = withoutByteOrderMark(bytes);
  const mayBeWhole = passedOn.size === 0 || holding === 'anything';
  const plain = mayBeWhole ? parsePlain(document) : undefined;
  if (plain !== undefined) return plain;
  const findings = inspect(document);
  const { members } = findings;
  const exact = isExact(findings);
  const isUnread = ({ nameStart }: OutermostMember) => passedOn.has(nameAt(document, nameStart));
  const unread = passedOn.size === 0 ? [] : members.filter(isUnread);
  if (!exact) {
    if (holding === 'any numbers') refuse(document, findings, passedOn, unread);
    else refuse(document, inspect(without(unread, document)), passedOn);
  }
  if (unread.length > 0) return parseMembers(document, members, passedOn, exact);
  return JSON.parse(document.toString());
}

/** The value of a plain body; undefined: to be read with care, which says what is wrong, too. */
function parsePlain(document: Buffer): unknown {
  if (!isPlainJson(document, MAX_MEMBERS)) return undefined;
  try {
    return JSON.parse(document.toString());
  } catch {
    return undefined;
  }
}

/** The same, and as long, but for the values of these members. */
function without(members: readonly OutermostMember[], document: Buffer): Buffer {
  const rest = Buffer.from(document);
  for (const { start, end } of members) rest.fill(' ', start, end).write('0', start);
  return rest;
}

function parseMembers(
  document: Buffer,
  members: readonly OutermostMember[],
  passedOn: ReadonlySet<string>,
  exact: boolean,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const { nameStart, start, end } of members) {
    const name = nameAt(document, nameStart);
    const member = document.toString('utf8', start, end);
    value[name] =
      passedOn.has(name) && !/^[tfn]/.test(member)
        ? new JsonText(member, exact)
        : JSON.parse(member);
  }
  return value;
}
