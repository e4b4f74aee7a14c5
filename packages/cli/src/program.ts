import { createRequire } from 'node:module';
import { InvalidFile } from '@gatehouse/policy-profile';
import { Command, CommanderError } from 'commander';
import { check } from './commands/check.ts';
import { diff } from './commands/diff.ts';
import { lint } from './commands/lint.ts';
import { show } from './commands/show.ts';
import { test } from './commands/test.ts';
import { CannotUse } from './input.ts';
import { EXIT, type Terminal, type Write } from './output.ts';

// Not an `import`, because the manifest is outside TypeScript's root folder.
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const EXIT_CODES = `
Exit codes: 0 success; 1 not allowed, mistakes found, cases failed, or looser decisions; 2 wrong usage or an unusable file`;

const CALLER = ['-c, --caller <name>', 'name of the token whose profile applies'] as const;

interface Usage {
  readonly usage: string;
  readonly description: string;
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, about: string])[];
  /** Runs with the arguments and options of the usage, and returns the exit code. */
  run(write: Write, ...given: unknown[]): number | Promise<number>;
}

const COMMANDS: readonly Usage[] = [
  {
    usage: 'check <request>',
    description:
      'Decide one request, which is a JSON or YAML file, `-` for standard input, or JSON.',
    example: 'gatehouse check request.json --profile policy.yaml',
    options: [['-p, --profile <file>', 'profile file (default: the default profile)'], CALLER],
    run: check,
  },
  {
    usage: 'lint <profiles...>',
    description: 'List every mistake in profile files.',
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
      'Replay requests under two profiles and compare the decisions. <requests> is NDJSON, a log of the policy service, or `-` for standard input.',
    example: 'gatehouse diff policy.yaml next.yaml policy.log',
    options: [CALLER],
    run: diff,
  },
];

export async function program(args: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.fine;
  const gatehouse = new Command('gatehouse')
    .description('Checks requests, and lints, shows, tests and compares policy profiles.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .addHelpText('after', EXIT_CODES);
  for (const { usage, description, example, options = [], run } of COMMANDS) {
    const command = gatehouse.command(usage).description(description);
    for (const [flags, about] of options) command.option(flags, about);
    command
      .option('--json', 'print one JSON document, for programs')
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
