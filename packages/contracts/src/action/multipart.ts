import { JsonTree } from '../json/tree.ts';
import { failure, type Result, success } from '../result.ts';
import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS, pointerToken, type Violation } from '../violation.ts';
import { decodeBase64 } from './base64.ts';
import { HALF_CHARACTER, shorten } from './text.ts';

interface Multipart {
  readonly content: Buffer;
  readonly contentType: string;
}

/** A part's content, and what follows its name in `content-disposition` and the next header. */
interface Content {
  readonly bytes: Buffer;
  readonly headers: string;
}

/**
 * Encodes a JSON object as `multipart/form-data` (RFC 7578). A member is a scalar, a file or an
 * array of these, and `null` is left out (docs/contract.md, "Request body"). Names are escaped as
 * in browsers. Stops at `maxBytes`, because each part repeats its name, and at 20 violations.
 */
export function encodeMultipart(json: Buffer, maxBytes: number): Result<Multipart, Violation[]> {
  const boundary = `gatehouse-${crypto.randomUUID()}`;
  const parts: Buffer[] = [];
  const violations: Violation[] = [];
  let size = 0;
  for (const { name, pointer, text } of membersOf(json)) {
    const content = contentOf(text, pointer);
    if (!content.ok) violations.push(...content.reason);
    if (!name.isWellFormed()) violations.push({ pointer, message: HALF_CHARACTER });
    if (violations.length >= MAX_VIOLATIONS) break;
    if (!content.ok) continue;

    const { bytes, headers } = content.value;
    const head = Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"${headers}\r\n\r\n`,
    );
    parts.push(head, bytes, CRLF);
    size += head.length + bytes.length + CRLF.length;
    if (size > maxBytes) {
      const message = `is longer than ${maxBytes} bytes when encoded as multipart/form-data; send fewer or smaller fields`;
      violations.push({ pointer: '/body', message });
      break;
    }
  }
  if (violations.length > 0) return failure(violations);
  if (parts.length === 0) return refuse('/body', 'must have at least one field that is not null');

  const end = Buffer.from(`--${boundary}--\r\n`);
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return success({ content: Buffer.concat([...parts, end]), contentType });
}

const CRLF = Buffer.from('\r\n');

const refuse = (pointer: string, message: string) => failure([{ pointer, message }]);

interface Field {
  readonly name: string;
  readonly pointer: string;
  /** The value as written in the JSON text. */
  readonly text: string;
}

/** Lists the members of an object, and the items of a member that is an array one by one. */
function* membersOf(json: Buffer): Generator<Field> {
  const tree = new JsonTree(json);
  tree.read();
  for (let member = 1; member < tree.next(0); member = tree.next(member)) {
    const name = tree.nameOf(member);
    const pointer = shorten(`/body/${pointerToken(name)}`, MAX_VIOLATION_CHARS);
    const text = json.toString('utf8', tree.start(member), tree.end(member));
    if (text === 'null') continue;

    if (!text.startsWith('[')) yield { name, pointer, text };
    else
      for (let item = member + 1, index = 0; item < tree.next(member); item = tree.next(item))
        yield {
          ...{ name, pointer: `${pointer}/${index++}` },
          text: json.toString('utf8', tree.begin(item), tree.end(item)),
        };
  }
}

const FORM =
  'must be a string, a number, a boolean, a file `{ "filename", "content_type", "base64" }` (or `text` instead of `base64`), or a list of those';

function contentOf(text: string, pointer: string): Result<Content, Violation[]> {
  if (text.startsWith('{')) return fileOf(JSON.parse(text), pointer);
  if (text.startsWith('[') || text === 'null') return refuse(pointer, FORM);
  const value = readText(text.startsWith('"') ? JSON.parse(text) : text);
  if (!value.ok) return refuse(pointer, value.reason);
  return success({ bytes: Buffer.from(value.value), headers: '' });
}

function fileOf(file: Record<string, unknown>, pointer: string): Result<Content, Violation[]> {
  const violations: Violation[] = [];
  const read = <Value>(member: string, value: Result<Value>): Value | undefined => {
    if (value.ok) return value.value;
    const place = shorten(`${pointer}/${pointerToken(member)}`, MAX_VIOLATION_CHARS);
    violations.push({ pointer: place, message: value.reason });
    return undefined;
  };
  const { filename, content_type, base64, text, ...unknown } = file;
  for (const member of Object.keys(unknown).slice(0, MAX_VIOLATIONS)) read(member, failure(FORM));
  if (violations.length > 0) return failure(violations);

  if (filename == null) return refuse(pointer, FORM);

  if ((base64 == null) === (text == null))
    return refuse(pointer, 'must have either `base64` or `text`');

  const usual = text == null ? 'application/octet-stream' : 'text/plain; charset=utf-8';
  const name = read('filename', readText(filename));
  const type = read('content_type', readMediaType(content_type ?? usual));
  const bytes = text == null ? read('base64', decodeBase64(base64)) : read('text', readText(text));
  if (name === undefined || type === undefined || bytes === undefined) return failure(violations);

  const headers = `; filename="${escapeText(name)}"\r\ncontent-type: ${type}`;
  return success({ bytes: Buffer.from(bytes), headers });
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: ?;[ -~]{0,255})?$/;

function readMediaType(type: unknown): Result<string> {
  if (typeof type === 'string' && MEDIA_TYPE.test(type)) return success(type);
  return failure('must be a media type, such as `image/png`');
}

function readText(text: unknown): Result<string> {
  if (typeof text !== 'string') return failure('must be a string');
  return text.isWellFormed() ? success(text) : failure(HALF_CHARACTER);
}

/** Escapes a name in `content-disposition`, with the line ends that browsers send. */
const escapeName = (name: string): string => escapeText(name.replace(/\r\n?|\n/g, '\r\n'));

const escapeText = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
