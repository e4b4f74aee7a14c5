import { spawnSync } from 'node:child_process';

type Engine =
  | { readonly found: true; readonly description: string }
  | { readonly found: false; readonly reason: string };

const QUESTIONS = [
  {
    args: ['version', '--format', 'Docker {{.Server.Version}}'],
    missing: 'is a Docker engine running, and is DOCKER_HOST correct?',
  },
  { args: ['compose', 'version', '--short'], missing: 'is the plugin `docker compose` installed?' },
];

/** Returns the versions of Docker and its compose plugin, or the reason why one is missing. */
export function engineOf(): Engine {
  const answers: string[] = [];
  for (const { args, missing } of QUESTIONS) {
    const { error, status, stdout, stderr } = spawnSync('docker', args, {
      encoding: 'utf8',
      timeout: 15_000,
    });
    if (error !== undefined)
      return { found: false, reason: `\`docker\` does not run (${error.message}).` };
    if (status !== 0)
      return { found: false, reason: `\`docker ${args[0]}\` fails; ${missing}\n${stderr.trim()}` };
    answers.push(stdout.trim());
  }
  return { found: true, description: answers.join(', compose ') };
}
