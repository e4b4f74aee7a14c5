import { EXIT } from './output.ts';
import { program } from './program.ts';

// Programs such as `head` close our output early, which is not a failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.fine);
  process.stderr.write(`cannot write to standard output (${code})\n`);
  process.exit(EXIT.unusable);
});
process.stderr.on('error', () => process.exit(EXIT.unusable));
process.exitCode = await program(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
