import {
  CURRENCY_FORMAT,
  type Decision,
  type RuleDecision,
  type Violation,
} from '@gatehouse/contracts';
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  Tool as ToolDefinition,
} from '@modelcontextprotocol/server';
import type { TSchema } from '@sinclair/typebox';

/** The surroundings of one call. */
export interface Call {
  /** Joins the call, its log line, and the log lines of the services. */
  readonly requestId: string;
  /** Aborts when the host cancels the call, or goes away. */
  readonly signal: AbortSignal;
  /** Stands for the host: the same object in all of its calls, except for 2026 over HTTP. */
  readonly host: object;
  /** Whether the call stays open while the user is asked, as it did until 2026. */
  readonly staysOpen: boolean;
  /** Whether the host can ask its user. */
  readonly canAsk: boolean;
  /** The user's answer to a question of an earlier round, if the host brings one. */
  readonly round: Pick<ServerContext['mcpReq'], 'inputResponses' | 'requestState'>;
  /** Tells the host, if it has asked for it. */
  readonly progress: (message: string) => void;
  readonly log: (fields: Readonly<Record<string, unknown>>) => void;
}

export interface Tool {
  readonly definition: ToolDefinition;
  call(given: unknown, call: Call): Promise<CallToolResult | InputRequiredResult>;
}

/** Plain JSON Schema for hosts and models, without the keywords of our own validator. */
export function shownSchema(schema: TSchema): { type: 'object'; [keyword: string]: unknown } {
  const text = JSON.stringify(schema, (key, value) =>
    key.startsWith('x-') || value === CURRENCY_FORMAT ? undefined : (value?.['x-shown'] ?? value),
  );
  return JSON.parse(text);
}

/** A sentence that a model can act on, what programs read, and what else a model may read. */
export function resultOf(
  text: string,
  structuredContent: object,
  { isError = false, more = [] }: { isError?: boolean; more?: readonly string[] } = {},
): CallToolResult {
  return {
    content: [text, ...more].map((each) => ({ type: 'text', text: each })),
    structuredContent: { ...structuredContent },
    isError,
  };
}

/** An error without anything for programs. */
export const failed = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});

/** One line for each violation. */
export function listed(violations: readonly Violation[]): string {
  const lines = violations.map(({ pointer, message }) => `- ${pointer || 'arguments'} ${message}`);
  return lines.join('\n');
}

/** Outcomes for a log, without amounts. */
export function outcomesOf(rules: readonly RuleDecision[]): Readonly<Record<string, Decision>> {
  return Object.fromEntries(rules.map(({ rule, outcome }) => [rule, outcome]));
}
