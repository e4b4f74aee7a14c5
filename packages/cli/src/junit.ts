/** A case of a report; without failures it passed. */
export interface Result {
  readonly name: string;
  /** What is not as expected, one sentence each. */
  readonly failures: readonly string[];
}

/** A report as CI servers read it. */
export function junit(suite: string, results: readonly Result[]): string {
  const name = escaped(suite);
  const failed = results.filter(({ failures }) => failures.length > 0);
  const lines = results.map(({ name: each, failures }) => {
    const failure = `<failure message="${escaped(failures.join('; '))}"/>`;
    const end = failures.length === 0 ? '/>' : `>${failure}</testcase>`;
    return `    <testcase classname="${name}" name="${escaped(each)}"${end}`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${name}" tests="${results.length}" failures="${failed.length}">`,
    ...lines,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** For an attribute; XML has no way to write most control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[<>&"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}
