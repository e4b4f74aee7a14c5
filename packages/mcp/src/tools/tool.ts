import { CURRENCY_FORMAT, schemaForModel } from '@gatehouse/contracts';
import type {
  CallToolResult,
  ElicitResult,
  InputRequiredResult,
  ServerContext,
  Tool as ToolDefinition,
} from '@modelcontextprotocol/server';
import type { TSchema } from '@sinclair/typebox';

export interface Call {
  /** `x-request-id` that identifies the call in the logs of this server and of the services. */
  readonly requestId: string;
  /** Signal that is aborted when the host cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /**
   * Identifies the MCP host: all calls from one host have the same `host` object. With MCP 2026
   * over HTTP, however, each call has a new `host` object.
   */
  readonly host: object;
  /** Shows the user a question and waits for the answer. Absent if the host uses MCP 2026. */
  readonly elicit?: (params: Record<string, unknown>, timeoutMs: number) => Promise<ElicitResult>;
  /** True if the host can show a question to its user. */
  readonly canAsk: boolean;
  /** True if the host can open a page for its user. */
  readonly canOpen: boolean;
  /** Contains the user's answer if the user has already been asked about this call. */
  readonly round: Pick<ServerContext['mcpReq'], 'inputResponses' | 'requestState'>;
  /** Reports progress to the host, if the host requested progress messages. */
  readonly progress: (message: string) => void;
  /** Tells the host that its user has finished with a page. */
  readonly completed: (elicitationId: string) => void;
  readonly log: (fields: Readonly<Record<string, unknown>>) => void;
}

export interface Tool {
  readonly definition: ToolDefinition;
  call(given: unknown, call: Call): Promise<CallToolResult | InputRequiredResult>;
}

/** Removes our own currency format from a schema, because MCP hosts do not know that format. */
export const shownSchema = (schema: TSchema) =>
  schemaForModel(schema, (_keyword, value) => value === CURRENCY_FORMAT);

export const failed = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});
