import { isUtf8 } from 'node:buffer';
import { JsonText, type OutermostMember, withoutByteOrderMark } from '@gatehouse/json-text';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { brokenOff } from '../problems/problem-error.ts';
import { inspect, malformed, refuse } from './json-findings.ts';
import { Turns } from './turns.ts';

/** Up to this size, reading and validating takes about a millisecond at most. */
const MAX_INLINE_BYTES = 16 * 1024;

/**
 * Takes JSON in UTF-8 as strictly as contract section 1 says (why: docs/decisions/0019).
 * Outermost members in `passedOn` reach the handler unread, as a `JsonText` with any digits
 * and any number of members, unless they are `null`, `true` or `false`.
 */
export function parseJsonStrictly(
  app: FastifyInstance,
  passedOn: ReadonlySet<string> = new Set(),
): void {
  app.removeAllContentTypeParsers();
  const turns = new Turns();
  const read: FastifyBodyParser<Buffer> = ({ raw }, body, done) => {
    if (body.length <= MAX_INLINE_BYTES) return parse(body, passedOn, done);
    // The handler gets a turn of its own, because it may take as long as reading does.
    const later: Done = (error, value) => setImmediate(() => done(error, value));
    turns.take(() => (raw.socket.destroyed ? done(brokenOff()) : parse(body, passedOn, later)));
  };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, read);
}

type Done = (error: Error | null, value?: unknown) => void;

function parse(body: Buffer, passedOn: ReadonlySet<string>, done: Done): void {
  let value: unknown;
  let failure: Error | null = null;
  try {
    value = readJson(body, passedOn);
  } catch (error) {
    failure = error as Error;
  }
  done(failure, value);
}

/** @throws ProblemError that says what is wrong, and where, without values. */
function readJson(bytes: Buffer, passedOn: ReadonlySet<string>): unknown {
  if (bytes.length === 0) throw malformed('Send a JSON document as the body; it was empty.');
  if (!isUtf8(bytes)) throw malformed('Send the body in UTF-8; some of its bytes are not.');
  const document = withoutByteOrderMark(bytes);
  const findings = inspect(document, passedOn);
  const { members } = findings;
  const unread = members.filter(({ name }) => passedOn.has(name));
  refuse(document, findings, passedOn, unread);
  if (unread.length > 0) return parseMembers(document, members, passedOn);
  return JSON.parse(document.toString());
}

function parseMembers(
  document: Buffer,
  members: readonly OutermostMember[],
  passedOn: ReadonlySet<string>,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const { name, start, end } of members) {
    const member = document.toString('utf8', start, end);
    const isPassedOn = passedOn.has(name) && !/^[tfn]/.test(member);
    value[name] = isPassedOn ? new JsonText(member) : JSON.parse(member);
  }
  return value;
}
