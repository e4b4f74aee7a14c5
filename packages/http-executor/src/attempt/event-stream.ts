import type { ResponseType } from '@gatehouse/contracts';
import type { ResponseHead } from '../transport.ts';
import type { ReadBody, StreamFault } from './body-reader.ts';

const EVENT_STREAM = 'text/event-stream';

/** Whether a response is a success that sends events, perhaps without end. */
export function isEventStream({ status, headers }: ResponseHead): boolean {
  const [type = ''] = [headers['content-type'] ?? []].flat();
  const [essence = ''] = type.split(';', 1);
  return status >= 200 && status <= 299 && essence.trim().toLowerCase() === EVENT_STREAM;
}

/**
 * An event stream that is not read to its end. Events are not JSON, so the beginning is enough
 * to say so; otherwise these are its complete lines, because the rest of a line might be half
 * of a secret.
 */
export function bodySoFar(bytes: Buffer, type: ResponseType, fault: StreamFault): ReadBody {
  if (type === 'json') return { bytes, fault: 'event_stream' };
  return { bytes: bytes.subarray(0, bytes.lastIndexOf('\n') + 1), fault };
}
