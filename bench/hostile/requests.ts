/** Requests as bytes, for connections of their own. */

export const ASK = 'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n';

export const headOf = (length: number) =>
  `POST /execute HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

export function asRequest(action: object): string {
  const body = JSON.stringify(action);
  return headOf(Buffer.byteLength(body)) + body;
}
