import { readings, readingsOfCut } from './escapes.ts';

/** What became of a text. */
export interface Replaced {
  readonly text: string;
  readonly count: number;
}

export interface LiteralMatcher {
  /** Replaces every occurrence of any of the literals, and tells how many. */
  replace(text: string, replacement: string): Replaced;
  /** The same for a text that was cut off somewhere: what may be the beginning of a literal at its end goes. */
  replaceInCut(text: string, replacement: string): Replaced;
}

type Span = readonly [start: number, end: number];

/** How many codes the automaton knows. */
const CODES = 256;

/**
 * Finds many literals in one pass, in time linear in the text whatever both are (Aho-Corasick): a caller chooses the
 * literals and an upstream the text, and together they could make a search that goes back stall the process. A text
 * is searched as it stands and as each kind of escape in it reads, and without regard to case, as names of hosts and
 * headers lose it. Occurrences that overlap or touch inside each other are replaced as one.
 */
export function literalMatcher(literals: readonly string[]): LiteralMatcher {
  const automaton = buildAutomaton(literals);
  const shortest = Math.min(...literals.map(({ length }) => length));
  const searchAll = (text: string, inOther: typeof readings) => {
    const found = search(automaton, text);
    let { cutAt } = found;
    const spans: Span[] = [...found.spans];
    for (const { text: read, origin } of inOther(text)) {
      const other = search(automaton, read);
      for (const [start, end] of other.spans) spans.push([origin(start), origin(end)]);
      cutAt = Math.min(cutAt, origin(other.cutAt));
    }
    return { spans: spans.length === found.spans.length ? spans : merged(spans), cutAt };
  };
  return {
    replace: (text, replacement) => {
      // Escapes make a text longer, never shorter.
      if (text.length < shortest) return { text, count: 0 };
      const { spans } = searchAll(text, readings);
      return { text: replaceSpans(text, spans, replacement), count: spans.length };
    },
    replaceInCut: (text, replacement) => {
      const { spans, cutAt } = searchAll(text, readingsOfCut);
      const before = spans.filter(([start]) => start < cutAt);
      return { text: replaceSpans(text, before, replacement, cutAt), count: before.length };
    },
  };
}

/** Where the literals are, and from where on the text may be the beginning of one. */
function search(automaton: Automaton, text: string): { spans: Span[]; cutAt: number } {
  const { fallback, longest, depth } = automaton;
  const spans: [start: number, end: number][] = [];
  let state = 0;
  for (let index = 0; index < text.length; index++) {
    const code = folded(text.charCodeAt(index));
    let target = follow(automaton, state, code);
    while (target === undefined && state !== 0) {
      state = fallback[state] ?? 0;
      target = follow(automaton, state, code);
    }
    state = target ?? 0;
    const length = longest[state] ?? 0;
    if (length > 0) addSpan(spans, index + 1 - length, index + 1);
  }
  const begun = depth[state] ?? 0;
  return { spans, cutAt: text.length - (begun === longest[state] ? 0 : begun) };
}

/**
 * Small letters count as capitals, and the two characters in which base64url differs as those of base64. What is not
 * ASCII shares codes of its own: few credentials hold any, and their place among others tells them well enough apart.
 */
function folded(code: number): number {
  if (code >= 0x80) return 0x80 + (code % 0x80);
  if (code >= 0x61 && code <= 0x7a) return code - 0x20;
  if (code === MINUS) return PLUS;
  return code === UNDERSCORE ? SLASH : code;
}

const [MINUS, PLUS, UNDERSCORE, SLASH] = [0x2d, 0x2b, 0x5f, 0x2f];

function merged(spans: readonly Span[]): Span[] {
  const merged: [start: number, end: number][] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
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

function replaceSpans(text: string, spans: readonly Span[], replacement: string, until = text.length): string {
  let replaced = '';
  let position = 0;
  for (const [start, end] of spans) {
    replaced += text.slice(position, start) + replacement;
    position = end;
  }
  return replaced + text.slice(position, Math.max(position, until));
}

/**
 * States are numbers, 0 the start, and the index into each of these lists. Most states of long literals lead on to
 * one other alone, so that a map of all would cost more than the rest of a request.
 */
interface Automaton {
  /** The first code that leads on from a state, and where to; further ones are in `branches`. */
  readonly code: number[];
  readonly target: number[];
  readonly branches: Map<number, number>;
  /** Where each code leads from the start, in which a search is most of the time. */
  readonly first: (number | undefined)[];
  readonly fallback: number[];
  /** The length of the longest literal that ends in a state. */
  readonly longest: number[];
  /** How many characters of a literal lead to a state. */
  readonly depth: number[];
}

function follow({ code, target, first, branches }: Automaton, state: number, wanted: number): number | undefined {
  if (state === 0) return first[wanted];
  return code[state] === wanted ? target[state] : branches.get(state * CODES + wanted);
}

function buildAutomaton(literals: readonly string[]): Automaton {
  const start = { code: [-1], target: [0], fallback: [0], longest: [0], depth: [0] };
  const automaton: Automaton = { ...start, first: new Array(CODES), branches: new Map() };
  /** From which state each was reached first, and by which code. */
  const origins: Origins = { parent: [0], by: [-1], levels: [] };
  for (const literal of literals) addLiteral(literal, automaton, origins);
  const { fallback, longest } = automaton;
  // Breadth first, since the fallback of a state is nearer to the start.
  for (const state of origins.levels.flat()) {
    const parent = origins.parent[state] ?? 0;
    const code = origins.by[state] ?? 0;
    if (parent === 0) continue;
    let candidate = fallback[parent] ?? 0;
    let target = follow(automaton, candidate, code);
    while (target === undefined && candidate !== 0) {
      candidate = fallback[candidate] ?? 0;
      target = follow(automaton, candidate, code);
    }
    fallback[state] = target ?? 0;
    longest[state] = Math.max(longest[state] ?? 0, longest[target ?? 0] ?? 0);
  }
  return automaton;
}

interface Origins {
  readonly parent: number[];
  readonly by: number[];
  /** The states at each depth. */
  readonly levels: number[][];
}

function addLiteral(literal: string, automaton: Automaton, origins: Origins): void {
  let state = 0;
  for (let index = 0; index < literal.length; index++) {
    const code = folded(literal.charCodeAt(index));
    state = follow(automaton, state, code) ?? addState(automaton, origins, { parent: state, code, index });
  }
  automaton.longest[state] = literal.length;
}

function addState(
  { code: codes, target, first, branches, fallback, longest, depth }: Automaton,
  { parent: parents, by, levels }: Origins,
  { parent, code, index }: { parent: number; code: number; index: number },
): number {
  const state = fallback.push(0) - 1;
  codes.push(-1);
  target.push(0);
  longest.push(0);
  depth.push(index + 1);
  parents.push(parent);
  by.push(code);
  levels[index] ??= [];
  levels[index].push(state);
  if (parent === 0) first[code] = state;
  else if (codes[parent] === -1) {
    codes[parent] = code;
    target[parent] = state;
  } else branches.set(parent * CODES + code, state);
  return state;
}
