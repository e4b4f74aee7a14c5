import { Transform, type TransformCallback } from 'node:stream';

const NEWLINE = 0x0a;

/** Far above any arguments that a tool takes. */
const MAX_BYTES = 8 * 1024 * 1024;
const IGNORED = `a message of more than ${MAX_BYTES} bytes was ignored`;

/**
 * Passes lines on, each cut at `MAX_BYTES`, which it reports. At a line of 10 MiB, the SDK would
 * end the connection with all calls in flight. A mark behind a line that was cut makes it invalid JSON,
 * which the SDK skips.
 */
export function boundedLines(onError: (error: Error) => void): Transform {
  let length = 0;
  function transform(this: Transform, chunk: Buffer, _encoding: string, done: TransformCallback) {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from);
      const end = newline === -1 ? chunk.length : newline;
      const rest = Math.max(MAX_BYTES - length, 0);
      this.push(chunk.subarray(from, Math.min(end, from + rest)));
      if (length <= MAX_BYTES && end - from > rest) {
        onError(new Error(IGNORED));
        this.push('!');
      }
      length += end - from;
      if (newline === -1) break;
      this.push('\n');
      length = 0;
      from = newline + 1;
    }
    done();
  }
  return new Transform({ transform });
}
