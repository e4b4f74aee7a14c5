/** Replaces every occurrence of any of the literals, and tells how many. */
export type LiteralMatcher = (text: string, replacement: string) => { readonly text: string; readonly count: number };

/** Literals are header values, which are ASCII. */
const CODES = 128;

/**
 * Finds many literals in one pass, in time linear in the text whatever both are (Aho-Corasick): a caller chooses the
 * literals and an upstream the text, and together they could make a search that goes back stall the process.
 * Occurrences that overlap or touch inside each other are replaced as one.
 */
export function literalMatcher(literals: readonly string[]): LiteralMatcher {
  const { next, fallback, longest } = buildAutomaton(literals);
  return (text, replacement) => {
    const spans: [start: number, end: number][] = [];
    let state = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= CODES) {
        state = 0;
        continue;
      }
      let target = next.get(state * CODES + code);
      while (target === undefined && state !== 0) {
        state = fallback[state] ?? 0;
        target = next.get(state * CODES + code);
      }
      state = target ?? 0;
      const length = longest[state] ?? 0;
      if (length > 0) addSpan(spans, index + 1 - length, index + 1);
    }
    return { text: replaceSpans(text, spans, replacement), count: spans.length };
  };
}

/** Ends come in ascending order; a span that reaches into earlier ones swallows them. */
function addSpan(spans: [number, number][], start: number, end: number): void {
  let from = start;
  for (let last = spans.at(-1); last !== undefined && last[1] > from; last = spans.at(-1)) {
    from = Math.min(from, last[0]);
    spans.pop();
  }
  spans.push([from, end]);
}

function replaceSpans(text: string, spans: readonly [number, number][], replacement: string): string {
  if (spans.length === 0) return text;
  let replaced = '';
  let position = 0;
  for (const [start, end] of spans) {
    replaced += text.slice(position, start) + replacement;
    position = end;
  }
  return replaced + text.slice(position);
}

/** States are numbers, 0 the start; `longest` is the length of the longest literal that ends in a state. */
interface Automaton {
  readonly next: Map<number, number>;
  readonly fallback: number[];
  readonly longest: number[];
}

function buildAutomaton(literals: readonly string[]): Automaton {
  const automaton: Automaton = { next: new Map(), fallback: [0], longest: [0] };
  /** For each state, in breadth-first order below: from which state and by which code it is reached. */
  const levels: [state: number, parent: number, code: number][][] = [];
  for (const literal of literals) addLiteral(literal, automaton, levels);
  const { next, fallback, longest } = automaton;
  for (const [state, parent, code] of levels.flat()) {
    let candidate = fallback[parent] ?? 0;
    while (candidate !== 0 && !next.has(candidate * CODES + code)) candidate = fallback[candidate] ?? 0;
    const target = parent === 0 ? 0 : (next.get(candidate * CODES + code) ?? 0);
    fallback[state] = target;
    longest[state] = Math.max(longest[state] ?? 0, longest[target] ?? 0);
  }
  return automaton;
}

function addLiteral(
  literal: string,
  { next, fallback, longest }: Automaton,
  levels: [state: number, parent: number, code: number][][],
): void {
  let state = 0;
  for (let index = 0; index < literal.length; index++) {
    const code = literal.charCodeAt(index) % CODES;
    let target = next.get(state * CODES + code);
    if (target === undefined) {
      target = fallback.push(0) - 1;
      longest.push(0);
      next.set(state * CODES + code, target);
      levels[index] ??= [];
      levels[index]?.push([target, state, code]);
    }
    state = target;
  }
  longest[state] = literal.length;
}
