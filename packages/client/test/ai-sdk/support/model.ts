import { MockLanguageModelV4 } from 'ai/test';

const NONE = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const USAGE = { inputTokens: NONE, outputTokens: NONE };

export interface Call {
  readonly toolName: string;
  readonly toolCallId: string;
  /** Arguments of the call as JSON text, which may be malformed. */
  readonly input: string;
}

/** Model that makes these calls one after the other and then says that it is done. */
export function modelThatCalls(...calls: readonly Call[]): MockLanguageModelV4 {
  const left = [...calls];
  const answer = () => {
    const call = left.shift();
    const finishReason = { unified: call ? 'tool-calls' : 'stop', raw: undefined } as const;
    return { call: call && ({ type: 'tool-call', ...call } as const), finishReason };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const { call, finishReason } = answer();
      const content = [call ?? ({ type: 'text', text: 'Done.' } as const)];
      return { content, finishReason, usage: USAGE, warnings: [] };
    },
    doStream: async () => {
      const { call, finishReason } = answer();
      const text = [
        { type: 'text-start', id: 't' } as const,
        { type: 'text-delta', id: 't', delta: 'Done.' } as const,
        { type: 'text-end', id: 't' } as const,
      ];
      const finish = { type: 'finish', finishReason, usage: USAGE } as const;
      return { stream: ReadableStream.from([...(call ? [call] : text), finish]) };
    },
  });
}
