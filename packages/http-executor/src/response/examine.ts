import { JsonFault } from '@gatehouse/json-text';
import { type RedactedJson, type RedactedText, redactJson, redactText } from '../redact/body.ts';
import { type Search, TooManyEchoes } from '../redact/search.ts';
import { decode, mayBeJson, NOT_JSON, reasonOf } from './decode.ts';
import { checkSyntax, type Validate } from './validate.ts';

export interface ExamineOptions {
  /** Absent when the request has no secrets. */
  readonly search: Search | undefined;
  /** Absent when no schema applies. */
  readonly validate: Validate | undefined;
  /** Characters shown of a body that is not JSON. */
  readonly textChars: number;
  /** Reading stopped before the end of the body. */
  readonly cut: boolean;
}

/** A body after decode, validate and redact. */
export type Examined = RedactedJson | RedactedText | Withheld;

interface Withheld {
  readonly kind: 'withheld';
  /** Completes "its body …". */
  readonly reason: string;
}

export const withheld = (reason: string): Withheld => ({ kind: 'withheld', reason });

/**
 * decode → validate → redact, whatever the content type says. JSON comes back byte for
 * byte without its secrets; of anything else the beginning is shown. Pure, in time and
 * memory linear in the body.
 */
export function examineBody(bytes: Buffer, options: ExamineOptions): Examined {
  try {
    return examine(bytes, options);
  } catch (error) {
    if (!(error instanceof TooManyEchoes)) throw error;
    return withheld('repeats the credentials of the request too often');
  }
}

function examine(bytes: Buffer, options: ExamineOptions): Examined {
  const { validate = checkSyntax, search, cut } = options;
  const document = decode(bytes);
  if (!mayBeJson(document, cut)) return redactText(document, NOT_JSON, options);
  try {
    const violations = validate(document);
    return redactJson(document, violations, search);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return redactText(document, reasonOf(error), options);
  }
}
