import { readFileSync } from 'node:fs';

const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/**
 * Returns the expressions of the dashboard's panels, with values in place of Grafana's variables.
 */
export function dashboardExpressions(): string[] {
  const found: string[] = [];
  JSON.parse(file('grafana/dashboards/gatehouse.json'), (key, value) => {
    if (key === 'expr') found.push(value);
    return value;
  });
  return found.map((expression) =>
    expression.replaceAll(/\$__(?:rate_interval|range)/g, '1m').replaceAll('$job', '.*'),
  );
}

export function alertExpressions(): string[] {
  const lines = file('prometheus/alerts.yml').split('\n');
  return lines.flatMap((line, index) => {
    const [, written] = /^\s*expr: (.*)$/.exec(line) ?? [];
    if (written === undefined) return [];
    if (written !== '|') return [written];
    const end = lines.findIndex((each, at) => at > index && /^\s*[a-z]+:/.test(each));
    return [lines.slice(index + 1, end).join(' ')];
  });
}

const WORDS = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'bool',
]);

export function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const unquoted = expression.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '');
  const labels = [
    ...[...unquoted.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*""/g)].map(([, name = '']) => name),
    ...[...unquoted.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
      ([, names = '']) => names.split(/,\s*/),
    ),
  ];
  const bare = unquoted
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  const metrics = [...bare.matchAll(/\b([a-z_]\w*)\b(?!\s*\()/g)]
    .map(([, name = '']) => name)
    .filter((name) => !WORDS.has(name));
  return { metrics, labels };
}
