import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCEPTED, DOCUMENTS } from './documents.ts';

/** In place of nginx: the documents by their path; whatever else is asked for is accepted. */
const documents = new Map(
  Object.entries(DOCUMENTS).map(([path, text]) => [path, Buffer.from(text)]),
);
const accepted = Buffer.from(ACCEPTED);
const { ANSWER_MS } = process.env;

const server = createServer((request, response) => {
  const body = documents.get(request.url ?? '') ?? accepted;
  request.resume();
  const answer = () =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      .end(body);
  if (ANSWER_MS === undefined) answer();
  else setTimeout(answer, Number(ANSWER_MS));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
