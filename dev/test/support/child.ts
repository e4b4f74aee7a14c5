// A child process for tests; its argument says how it behaves.

const [behaviour] = process.argv.slice(2);
if (behaviour === 'failing') {
  process.stderr.write('no such thing\n');
  process.exit(3);
}
process.on('SIGTERM', () => {
  process.stdout.write('told to stop\n');
  if (behaviour === 'polite') setTimeout(() => process.exit(0), 100);
});
setInterval(() => {}, 1_000);
process.stdout.write(`ready ${process.pid}\n`);
