import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** What Ajv asks of a pattern engine. */
export interface Pattern {
  test(text: string): boolean;
}

/**
 * Compiles an ECMAScript pattern for an engine that matches in linear time. The pattern is
 * parsed and written anew in the engine's syntax, so that no construct changes its meaning.
 * @throws {Error} for look-around, back-references and counts above 1000.
 */
export function linearPattern(source: string): Pattern {
  const compiled = RE2JS.compile(alternativesToRe2(parsePattern(source).alternatives));
  return { test: (text) => compiled.test(text), toString: () => source } as Pattern;
}

/** With the `u` flag, as JSON Schema says; else without, for patterns with needless escapes. */
function parsePattern(source: string): AST.Pattern {
  const parser = new RegExpParser();
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true });
  } catch {
    return parser.parsePattern(source);
  }
}

function alternativesToRe2(list: readonly AST.Alternative[]): string {
  return list.map(({ elements }) => elements.map(elementToRe2).join('')).join('|');
}

function elementToRe2(node: AST.Element): string {
  switch (node.type) {
    case 'Assertion':
      return assertionToRe2(node);
    case 'Character':
      return characterToRe2(node.value);
    case 'CharacterSet':
      return characterSetToRe2(node);
    case 'CharacterClass':
      return characterClassToRe2(node);
    case 'Group':
      if (node.modifiers !== null) return unsupportedConstruct('modifiers');
      return `(?:${alternativesToRe2(node.alternatives)})`;
    case 'CapturingGroup':
      return `(?:${alternativesToRe2(node.alternatives)})`;
    case 'Quantifier':
      return `${elementToRe2(node.element)}${quantifierToRe2(node)}`;
    default:
      return unsupportedConstruct(node.type);
  }
}

function assertionToRe2(node: AST.Assertion): string {
  if (node.kind === 'start') return '\\A';
  if (node.kind === 'end') return '\\z';
  if (node.kind === 'word') return node.negate ? '\\B' : '\\b';
  return unsupportedConstruct(node.kind);
}

/** A greedy one matches the same texts as a lazy one. */
function quantifierToRe2({ min, max }: AST.Quantifier): string {
  return `{${min},${max === Number.POSITIVE_INFINITY ? '' : max}}`;
}

function characterToRe2(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}

const LINE_ENDS = '\\n\\r\\x{2028}\\x{2029}';

/** ECMAScript's white space, of which the engine's `\s` is only a part, and the opposite. */
const SPACE =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

function characterSetToRe2(node: AST.CharacterSet): string {
  return node.kind === 'any' ? `[^${LINE_ENDS}]` : `[${classMemberToRe2(node)}]`;
}

function characterClassToRe2({ negate, elements }: AST.CharacterClass): string {
  if (elements.length === 0) return negate ? '[\\x{0}-\\x{10ffff}]' : '[^\\x{0}-\\x{10ffff}]';
  return `[${negate ? '^' : ''}${elements.map(classMemberToRe2).join('')}]`;
}

function classMemberToRe2(node: AST.CharacterClassElement | AST.CharacterSet): string {
  switch (node.type) {
    case 'Character':
      return characterToRe2(node.value);
    case 'CharacterClassRange':
      return `${characterToRe2(node.min.value)}-${characterToRe2(node.max.value)}`;
    case 'CharacterSet':
      return setMemberToRe2(node);
    default:
      return unsupportedConstruct(node.type);
  }
}

function setMemberToRe2(node: AST.CharacterSet): string {
  if (node.kind === 'digit') return node.negate ? '\\D' : '\\d';
  if (node.kind === 'word') return node.negate ? '\\W' : '\\w';
  if (node.kind === 'space') return node.negate ? NOT_SPACE : SPACE;
  if (node.kind !== 'property' || node.strings) return unsupportedConstruct(node.kind);
  // The engine knows a character's one script, not all the scripts that use it.
  if (['Script_Extensions', 'scx'].includes(node.key)) return unsupportedConstruct(node.key);
  return `\\${node.negate ? 'P' : 'p'}{${node.value ?? node.key}}`;
}

function unsupportedConstruct(what: string): never {
  throw new Error(`patterns with ${what} are not supported`);
}
