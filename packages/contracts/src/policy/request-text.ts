import { printable } from '../printable.ts';
import type { RuleDecision } from './decision.ts';
import type { ApprovalRequestClaims } from './signed.ts';

/** Highlights parts of a text on a terminal. */
interface Highlights {
  readonly strong: (text: string) => string;
  readonly painted: (outcome: RuleDecision['outcome']) => string;
}

const PLAIN: Highlights = { strong: (text) => text, painted: (outcome) => outcome };

/**
 * Describes to a person what an approval request would do and why it needs approval, with one fact
 * in each line.
 */
export function requestText(claims: ApprovalRequestClaims, { strong, painted } = PLAIN): string {
  const { action, check, rules, caller, exp } = claims;
  const { method, url, headers, body, ...rest } = action;
  const entries = (value: unknown) => Object.entries(Object(value) as Record<string, unknown>);
  const others = entries(rest).map(([name, value]) => `${name}: ${shown(value)}`);
  return [
    strong(`${shown(method)} ${shown(url)}`),
    ...entries(headers).map(
      ([name, value]) => `header ${shown(name)}: ${value === null ? '(not shown)' : shown(value)}`,
    ),
    ...others,
    ...(body === undefined ? [] : [`body: ${shown(body)}`]),
    ...entries(check).map(([section, value]) => `claimed ${shown(section)}: ${shown(value)}`),
    '',
    ...rules.map(({ rule, outcome, detail }) => `${rule} ${painted(outcome)}: ${shown(detail)}`),
    '',
    `Asked for by ${caller === undefined ? 'a caller without a name' : shown(caller)}; can be approved until ${new Date(exp * 1_000).toISOString()}.`,
  ].join('\n');
}

/** Escapes what could make a part of a value look like a line of its own. */
function shown(value: unknown): string {
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  // After many spaces, a browser or a terminal continues the text at the start of the next line.
  return text.replaceAll(/\p{Zs}{4,}/gu, ({ length }) => `[${length} spaces]`);
}
