import { MAX_JSON_DEPTH } from '@gatehouse/contracts';
import { JsonScanner, JsonToken } from '@gatehouse/contracts/json';
import type { Fields, Selection } from '../guard/fields.ts';
import { readToEnd } from '../turns.ts';
import { JsonWriter } from './json-writer.ts';
import { MemberNames } from './member-names.ts';

/**
 * Copies the selected members of a JSON document, in the order of the document. All bytes of a
 * value that is selected as a whole stay as they are (docs/contract.md, "Answers for models").
 */
export async function selectFields(document: Buffer, fields: Fields): Promise<Buffer> {
  const selector = new Selector(document, fields);
  await readToEnd(selector);
  return selector.output.bytes;
}

/** Name of a member in the document, and what is selected from the member's value. */
interface Member {
  readonly nameStart: number;
  readonly selection: Selection | undefined;
}

class Selector {
  readonly output: JsonWriter;
  readonly #scanner: JsonScanner;
  readonly #names = new MemberNames();
  /** Selections at each depth: of the document, and of the open arrays and objects. */
  readonly #fields: Fields[];
  /** Member whose value is next. */
  #member: Member | undefined;
  /** Depth outside the array or object that is copied or left out as a whole. */
  #outside = Number.POSITIVE_INFINITY;

  constructor(document: Buffer, fields: Fields) {
    this.#scanner = new JsonScanner(document, MAX_JSON_DEPTH);
    // Each scalar in an array, which takes at least one byte and a comma, becomes `{}`.
    this.output = new JsonWriter(document, 2 * document.length + NULL.length);
    this.#fields = [fields];
  }

  read(tokens: number): boolean {
    for (let count = 0; count < tokens; count++) {
      const token = this.#scanner.next();
      if (token === JsonToken.End) return true;

      this.#select(token);
    }
    return false;
  }

  #select(token: JsonToken): void {
    const { depth } = this.#scanner;
    if (depth > this.#outside) return;

    if (depth === this.#outside) this.#endWhole();
    else if (token === JsonToken.Key) this.#selectMember();
    else if (token === JsonToken.EndArray || token === JsonToken.EndObject) this.#close(token);
    else if (this.#member !== undefined) this.#selectFromMember(token, this.#member);
    else this.#selectFromItem(token);
  }

  #selectMember(): void {
    const fields = this.#fields.at(-1) as Fields;
    const selection = fields.select(this.#names.read(this.#scanner));
    this.#member = { nameStart: this.#scanner.start, selection };
  }

  #selectFromMember(token: JsonToken, { nameStart, selection }: Member): void {
    const { start, depth } = this.#scanner;
    if (selection === undefined || selection === 'all') {
      if (isContainer(token)) this.#outside = depth - 1;
      else this.#endWhole();
    } else if (isContainer(token)) {
      this.output.separate();
      this.output.copy(nameStart, start);
      this.#open(token, selection);
    }
    // A scalar has no members to select.
    else this.#member = undefined;
  }

  /** Ends a member's value that is copied or left out as a whole. */
  #endWhole(): void {
    if (this.#member?.selection === 'all') {
      this.output.separate();
      this.output.copy(this.#member.nameStart, this.#scanner.end);
    }
    this.#outside = Number.POSITIVE_INFINITY;
    this.#member = undefined;
  }

  /** Selects from an item of an array, or from the document, as the mask says. */
  #selectFromItem(token: JsonToken): void {
    const isDocument = this.#fields.length === 1;
    if (!isDocument) this.output.separate();
    if (isContainer(token)) this.#open(token, this.#fields.at(-1) as Fields);
    // From a scalar, nothing can be selected, which leaves an empty object.
    else this.output.write(isDocument ? NULL : '{}');
  }

  #open(token: JsonToken, fields: Fields): void {
    this.output.open(token === JsonToken.BeginArray);
    this.#fields.push(fields);
    this.#member = undefined;
  }

  #close(token: JsonToken): void {
    this.output.close(token === JsonToken.EndArray);
    this.#fields.pop();
  }
}

const NULL = 'null';

const isContainer = (token: JsonToken): boolean =>
  token === JsonToken.BeginObject || token === JsonToken.BeginArray;
