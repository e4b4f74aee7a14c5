import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCEPTED, DOCUMENTS } from './documents.ts';

const documents = new Map(
  Object.entries(DOCUMENTS).map(([path, text]) => [path, Buffer.from(text)]),
);
const accepted = Buffer.from(ACCEPTED);

const server = createServer((request, response) => {
  const body = documents.get(request.url ?? '') ?? accepted;
  request.resume();
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    .end(body);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
