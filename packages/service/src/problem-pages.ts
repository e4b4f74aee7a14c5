import { PROBLEM_CODES, PROBLEMS, problemType } from '@gatehouse/contracts';
import type { FastifyInstance } from 'fastify';

/** Serves the page that the `type` of each problem refers to. */
export function serveProblemPages(app: FastifyInstance): void {
  for (const code of PROBLEM_CODES) {
    const { status, title, help } = PROBLEMS[code];
    const page = `# ${title}\n\nCode \`${code}\`, HTTP status ${status}.\n\n${help}\n`;
    app.get(problemType(code), (_request, reply) => reply.type('text/markdown; charset=utf-8').send(page));
  }
}
