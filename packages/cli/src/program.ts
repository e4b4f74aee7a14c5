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

// Not an `import`: the manifest is outside of what TypeScript builds.
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const EXIT_CODES = `
Exit code: 0 fine, 1 found something (not allowed, a mistake, a failed case, a looser decision), 2 cannot do it`;

const CALLER = ['-c, --caller <name>', 'name of the token that asks'] as const;

interface Usage {
  readonly usage: string;
  readonly description: string;
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, about: string])[];
  /** Takes the arguments and options of the usage; gives the exit code. */
  run(write: Write, ...given: unknown[]): number | Promise<number>;
}

const COMMANDS: readonly Usage[] = [
  {
    usage: 'check <request>',
    description: 'Decide one request: a JSON or YAML file, `-`, or the JSON itself.',
    example: 'gatehouse check request.json --profile policy.yaml',
    options: [['-p, --profile <file>', 'profile file; without it, the default'], CALLER],
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
    description: 'Show the effective profile, defaults included.',
    example: 'gatehouse show policy.yaml --caller bot',
    options: [CALLER],
    run: show,
  },
  {
    usage: 'test <profile> <cases>',
    description: 'Check that cases are decided as they expect.',
    example: 'gatehouse test policy.yaml cases.yaml --junit report.xml',
    options: [['--junit <file>', 'write a JUnit report, too']],
    run: test,
  },
  {
    usage: 'diff <old> <new> <requests>',
    description:
      'Replay requests under two profiles: NDJSON of requests, or a log of the policy service; `-` for standard input.',
    example: 'gatehouse diff policy.yaml next.yaml policy.log',
    options: [CALLER],
    run: diff,
  },
];

/** Runs one command; its exit code. */
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
      .option('--json', 'one JSON document, for programs')
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
