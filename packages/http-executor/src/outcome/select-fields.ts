import { JsonTree } from '@gatehouse/contracts/json';
import { ANY, type Fields } from '../guard/fields.ts';
import { isArrayAt, isContainerAt, Output } from './output.ts';

/**
 * Copies the selected members of a JSON document, in the order of the document. All bytes of a
 * value that is selected as a whole stay as they are (docs/contract.md, "fields").
 */
export function selectFields(document: Buffer, fields: Fields): Buffer {
  const tree = new JsonTree(document);
  // Each scalar in an array, which takes at least one byte and a comma, becomes `{}`.
  const output = new Output(document, 2 * document.length + 2);
  selectIn(0, tree.begin(0), fields, { tree, output });
  return output.bytes;
}

interface Copying {
  readonly tree: JsonTree;
  readonly output: Output;
}

/** Selects from the value that starts at `start`. From an array, selects from each item. */
function selectIn(value: number, start: number, fields: Fields, { tree, output }: Copying): void {
  // From a scalar, nothing can be selected, which leaves an empty object.
  const isObject = !isArrayAt(tree.bytes, start);
  output.open(isObject);
  for (let child = value + 1; child < tree.next(value); child = tree.next(child)) {
    if (isObject) selectMember(child, fields, { tree, output });
    else {
      output.separate();
      selectIn(child, tree.begin(child), fields, { tree, output });
    }
  }
  output.close(isObject);
}

function selectMember(member: number, fields: Fields, { tree, output }: Copying): void {
  const selection = fields.get(tree.nameOf(member)) ?? fields.get(ANY);
  if (selection === undefined) return;
  const begin = tree.begin(member);
  if (selection === 'all') {
    output.separate();
    output.copy(begin, tree.end(member));
    return;
  }

  const start = tree.startOf(member);
  // A scalar has no members to select.
  if (!isContainerAt(tree.bytes, start)) return;
  output.separate();
  output.copy(begin, start);
  selectIn(member, start, selection, { tree, output });
}
