import { isUtf8 } from 'node:buffer';
import { JsonText, type OutermostMember, withoutByteOrderMark } from '@gatehouse/json-text';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { inspect, malformed, refuse } from './json-findings.ts';

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
  const read: FastifyBodyParser<Buffer> = (_request, body, done) => {
    let value: unknown;
    try {
      value = readJson(body, passedOn);
    } catch (error) {
      return done(error as Error);
    }
    done(null, value);
  };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, read);
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
