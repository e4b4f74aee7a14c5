import { MAX_JSON_DEPTH } from '@gatehouse/contracts';
import { JsonScanner, JsonToken } from '@gatehouse/contracts/json';
import type { Fields } from '../guard/fields.ts';
import { JsonWriter } from './json-writer.ts';
import { MemberNames } from './member-names.ts';

/**
 * Copies the selected members of a JSON document, in the order of the document. All bytes of a
 * value that is selected as a whole stay as they are (docs/contract.md, "Answers for models").
 */
export function selectFields(document: Buffer, fields: Fields): Buffer {
  return new Selector(document).select(fields);
}

class Selector {
  readonly #scanner: JsonScanner;
  readonly #output: JsonWriter;
  readonly #names = new MemberNames();

  constructor(document: Buffer) {
    this.#scanner = new JsonScanner(document, MAX_JSON_DEPTH);
    // Each scalar in an array, which takes at least one byte and a comma, becomes `{}`.
    this.#output = new JsonWriter(document, 2 * document.length + NULL.length);
  }

  select(fields: Fields): Buffer {
    const token = this.#scanner.next();
    if (isContainer(token)) this.#selectIn(token, fields);
    else this.#output.write(NULL);
    this.#scanner.next();
    return this.#output.bytes;
  }

  /** Selects from the value that begins with a token. From an array, selects from each item. */
  #selectIn(token: JsonToken, fields: Fields): void {
    // From a scalar, nothing can be selected, which leaves an empty object.
    const isArray = token === JsonToken.BeginArray;
    this.#output.open(isArray);
    if (isArray) this.#selectItems(fields);
    else if (token === JsonToken.BeginObject) this.#selectMembers(fields);
    this.#output.close(isArray);
  }

  #selectItems(fields: Fields): void {
    const scanner = this.#scanner;
    for (let token = scanner.next(); token !== JsonToken.EndArray; token = scanner.next()) {
      this.#output.separate();
      this.#selectIn(token, fields);
    }
  }

  #selectMembers(fields: Fields): void {
    const scanner = this.#scanner;
    while (scanner.next() !== JsonToken.EndObject) {
      const nameStart = scanner.start;
      const selection = fields.select(this.#names.read(scanner));
      const token = scanner.next();
      // A scalar has no members to select.
      if (selection === undefined || (selection !== 'all' && !isContainer(token))) {
        scanner.skipValue(token);
        continue;
      }

      this.#output.separate();
      if (selection === 'all') {
        scanner.skipValue(token);
        this.#output.copy(nameStart, scanner.end);
      } else {
        this.#output.copy(nameStart, scanner.start);
        this.#selectIn(token, selection);
      }
    }
  }
}

const NULL = 'null';

const isContainer = (token: JsonToken): boolean =>
  token === JsonToken.BeginObject || token === JsonToken.BeginArray;
