export interface Result {
  readonly name: string;
  readonly failures: readonly string[];
}

export function junit(suite: string, results: readonly Result[]): string {
  const name = escapeAttribute(suite);
  const failed = results.filter(({ failures }) => failures.length > 0);
  const lines = results.map(({ name: each, failures }) => {
    const failure = `<failure message="${escapeAttribute(failures.join('; '))}"/>`;
    const end = failures.length === 0 ? '/>' : `>${failure}</testcase>`;
    return `    <testcase classname="${name}" name="${escapeAttribute(each)}"${end}`;
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

/** Escapes an attribute value, and replaces control characters that XML cannot represent. */
function escapeAttribute(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[<>&"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}
