/** One case of a report; without `failure` it passed. */
export interface JunitCase {
  readonly name: string;
  readonly failure?: string;
}

/** A report as CI servers read it. */
export function junit(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const name = escaped(suite);
  const lines = cases.map(({ name: each, failure }) =>
    failure === undefined
      ? `    <testcase classname="${name}" name="${escaped(each)}"/>`
      : `    <testcase classname="${name}" name="${escaped(each)}"><failure message="${escaped(failure)}"/></testcase>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${name}" tests="${cases.length}" failures="${failures}">`,
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
