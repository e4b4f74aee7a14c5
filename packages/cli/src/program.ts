import { createRequire } from 'node:module';
import { InvalidFile } from '@gatehouse/config-file';
import { Command, CommanderError } from 'commander';
import { approve } from './commands/approve.ts';
import { check } from './commands/check.ts';
import { lintDestinations, tryDestinations } from './commands/destinations.ts';
import { diff } from './commands/diff.ts';
import { keygen } from './commands/keygen.ts';
import { lint } from './commands/lint.ts';
import { show } from './commands/show.ts';
import { test } from './commands/test.ts';
import { CannotUse } from './input.ts';
import { EXIT, type Terminal, type Write } from './output.ts';

// Use `require`, because TypeScript cannot import a file outside its root folder.
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const EXIT_CODES = `
Exit codes: 0 success; 1 the request is not allowed, lint found an error, a test case failed, or a decision became looser; 2 the arguments are wrong, a file is unreadable or invalid (lint exits with 1 if a file is invalid), or the output cannot be written`;

const CALLER = ['-c, --caller <name>', 'caller (token name) whose profile to use'] as const;

interface Usage {
  readonly group?: 'destinations';
  readonly usage: string;
  readonly description: string;
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, about: string])[];
  /** Returns the exit code. `given` holds the command's arguments, followed by its options. */
  run(write: Write, ...given: unknown[]): number | Promise<number>;
}

const COMMANDS: readonly Usage[] = [
  {
    usage: 'check <request>',
    description:
      'Check one request, given as a JSON or YAML file, as JSON text, or as `-` for standard input.',
    example: 'gatehouse check request.json --profile policy.yaml',
    options: [['-p, --profile <file>', 'profile file (default: the built-in profile)'], CALLER],
    run: check,
  },
  {
    usage: 'lint <profiles...>',
    description: 'List every error in profile files.',
    example: 'gatehouse lint policy.yaml',
    run: lint,
  },
  {
    usage: 'show <profile>',
    description: 'Show the effective profile, including defaults.',
    example: 'gatehouse show policy.yaml --caller bot',
    options: [CALLER],
    run: show,
  },
  {
    usage: 'test <profile> <cases>',
    description: 'Check that each case gets its expected decision.',
    example: 'gatehouse test policy.yaml cases.yaml --junit report.xml',
    options: [['--junit <file>', 'also write a JUnit report']],
    run: test,
  },
  {
    usage: 'diff <old> <new> <requests>',
    description:
      'Replay requests under two profiles and compare the decisions. <requests> is a file (NDJSON or a log from the policy service), or `-` for standard input.',
    example: 'gatehouse diff policy.yaml next.yaml policy.log',
    options: [[CALLER[0], 'caller (token name) to use for requests recorded without a caller']],
    run: diff,
  },
  {
    usage: 'approve <request>',
    description:
      'Show what an approval request would do, ask, and approve it at the policy service. <request> is the `approval_request` of a check, a file with it, or `-` for standard input. The token of the approver is in --token-file or in GATEHOUSE_APPROVER_TOKEN.',
    example:
      'gatehouse approve request.jws --policy-url https://policy.example.com --token-file token',
    options: [
      ['-u, --policy-url <url>', 'URL of the policy service (default: http://localhost:8081)'],
      ['-t, --token-file <file>', "file with the approver's token"],
      ['--valid-for <seconds>', 'how long the approval is valid (default: 900)'],
      ['--issuer <issuer>', 'POLICY_ISSUER of the policy service'],
      ['-y, --yes', 'approve without asking, for scripts'],
    ],
    run: approve,
  },
  {
    usage: 'keygen <file>',
    description:
      'Write an Ed25519 key with which the policy service signs decisions, and the public keys for executors.',
    example: 'gatehouse keygen policy-key.pem --public policy-keys.json',
    options: [
      ['--add', 'add a key that is accepted, but does not sign yet'],
      ['--use-last', 'let the last key of the file sign'],
      ['--public <file>', 'file for the public keys (default: <file>.jwks.json)'],
    ],
    run: keygen,
  },
  {
    group: 'destinations',
    usage: 'lint <files...>',
    description: 'List every error in destinations files. Reads no secrets.',
    example: 'gatehouse destinations lint destinations.yaml',
    run: lintDestinations,
  },
  {
    group: 'destinations',
    usage: 'try <file> <method> <url>',
    description:
      'Show the destination and credential for a request, or why the request would be refused. Sends nothing.',
    example:
      'gatehouse destinations try destinations.yaml GET https://api.github.com/user --caller bot',
    options: [['-c, --caller <name>', "name of the caller's token"]],
    run: tryDestinations,
  },
];

export async function program(args: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.fine;
  const gatehouse = new Command('gatehouse')
    .description('Check requests, policy profiles and destinations, and approve actions.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .addHelpText('after', EXIT_CODES);
  const destinations = gatehouse
    .command('destinations')
    .description('Lint a destinations file, or try a request with it.');
  for (const { group, usage, description, example, options = [], run } of COMMANDS) {
    const parent = group === 'destinations' ? destinations : gatehouse;
    const command = parent.command(usage).description(description);
    for (const [flags, about] of options) command.option(flags, about);
    command
      .option('--json', 'print the result as one JSON document, for programs')
      .addHelpText('after', `\nExample:\n  $ ${example}`)
      .action(async (...given: unknown[]) => {
        const { json } = command.opts<{ json?: true }>();
        const write: Write = (document, text) =>
          terminal.out(`${json ? JSON.stringify(document, undefined, 2) : text()}\n`);
        code = await run(write, ...given);
      });
  }
  try {
    await gatehouse.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.unusable;

    if (!(error instanceof CannotUse || error instanceof InvalidFile)) throw error;

    terminal.err(`${error.message}\n`);
    return EXIT.unusable;
  }
}
