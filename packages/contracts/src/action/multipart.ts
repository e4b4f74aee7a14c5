import { JsonTree } from '../json/tree.ts';
import { failure, type Result, success } from '../result.ts';
import { pointerToken, type Violation } from '../violation.ts';
import { decodeBase64 } from './base64.ts';
import { HALF_CHARACTER } from './text.ts';

interface Multipart {
  readonly content: Buffer;
  readonly contentType: string;
}

/** A part's content, and what follows its name in `content-disposition` and the next header. */
interface Content {
  readonly bytes: Buffer;
  readonly headers: string;
}

type Refused = Result<never, Violation>;

/**
 * Encodes a JSON object as `multipart/form-data` (RFC 7578). A member is a scalar, a file or an
 * array of these, and `null` is left out (docs/contract.md, "Request body"). Names are escaped as
 * in browsers. Stops at `maxBytes`, because each part repeats its name.
 */
export function encodeMultipart(json: Buffer, maxBytes: number): Result<Multipart, Violation> {
  const boundary = `gatehouse-${crypto.randomUUID()}`;
  const parts: Buffer[] = [];
  let size = 0;
  for (const { name, pointer, text } of membersOf(json)) {
    const content = contentOf(text, pointer);
    if (!content.ok) return content;

    if (!name.isWellFormed()) return refuse(pointer, HALF_CHARACTER);

    const { bytes, headers } = content.value;
    const head = Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"${headers}\r\n\r\n`,
    );
    parts.push(head, bytes, CRLF);
    size += head.length + bytes.length + CRLF.length;
    if (size > maxBytes)
      return refuse(
        '/body',
        `is longer than ${maxBytes} bytes when encoded as multipart/form-data; send fewer or smaller fields`,
      );
  }
  if (parts.length === 0) return refuse('/body', 'must have at least one field that is not null');

  const end = Buffer.from(`--${boundary}--\r\n`);
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return success({ content: Buffer.concat([...parts, end]), contentType });
}

const CRLF = Buffer.from('\r\n');

const refuse = (pointer: string, message: string): Refused => failure({ pointer, message });

interface Field {
  readonly name: string;
  readonly pointer: string;
  /** The value as written in the JSON text. */
  readonly text: string;
}

/** Lists the members of an object, and the items of a member that is an array one by one. */
function* membersOf(json: Buffer): Generator<Field> {
  const tree = new JsonTree(json);
  for (let member = 1; member < tree.next(0); member = tree.next(member)) {
    const name = tree.nameOf(member);
    const pointer = `/body/${pointerToken(name)}`;
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

function contentOf(text: string, pointer: string): Result<Content, Violation> {
  if (text.startsWith('{')) return fileOf(JSON.parse(text), pointer);
  if (text.startsWith('[') || text === 'null') return refuse(pointer, FORM);
  const value = text.startsWith('"') ? String(JSON.parse(text)) : text;
  if (!value.isWellFormed()) return refuse(pointer, HALF_CHARACTER);
  return success({ bytes: Buffer.from(value), headers: '' });
}

const MEMBERS: ReadonlySet<string> = new Set(['filename', 'content_type', 'base64', 'text']);

function fileOf(file: Record<string, unknown>, pointer: string): Result<Content, Violation> {
  const unknown = Object.keys(file).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) return refuse(`${pointer}/${pointerToken(unknown)}`, FORM);

  const { filename, content_type: type, base64, text } = file;
  if (filename == null) return refuse(pointer, FORM);

  if (typeof filename !== 'string') return refuse(`${pointer}/filename`, 'must be a string');

  if (!filename.isWellFormed()) return refuse(`${pointer}/filename`, HALF_CHARACTER);

  if (type != null && !(typeof type === 'string' && MEDIA_TYPE.test(type)))
    return refuse(`${pointer}/content_type`, 'must be a media type, such as `image/png`');

  if ((base64 == null) === (text == null))
    return refuse(pointer, 'must have either `base64` or `text`');

  const content = text == null ? decodeBase64(base64) : textBytes(text);
  if (!content.ok) return refuse(`${pointer}/${text == null ? 'base64' : 'text'}`, content.reason);

  const usual = text == null ? 'application/octet-stream' : 'text/plain; charset=utf-8';
  const headers = `; filename="${escapeText(filename)}"\r\ncontent-type: ${type ?? usual}`;
  return success({ bytes: content.value, headers });
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: ?;[ -~]{0,255})?$/;

function textBytes(text: unknown): Result<Buffer> {
  if (typeof text !== 'string') return failure('must be a string');
  return text.isWellFormed() ? success(Buffer.from(text)) : failure(HALF_CHARACTER);
}

/** Escapes a name in `content-disposition`, with the line ends that browsers send. */
const escapeName = (name: string): string => escapeText(name.replace(/\r\n?|\n/g, '\r\n'));

const escapeText = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
