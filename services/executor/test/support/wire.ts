/** Actions and answers as text, so that nothing on the way is read and written anew. */

export interface ActionText {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON as it shall stand in the request. */
  readonly body?: string;
  readonly schema?: object | undefined;
}

/** The text of an action whose body is spliced in as it is. */
export function actionText({ method, url, headers = {}, body, schema }: ActionText): string {
  const known = { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers };
  const members = [JSON.stringify(known).slice(1, -1)];
  if (body !== undefined) members.push(`"body":${body}`);
  if (schema !== undefined) members.push(`"response_schema":${JSON.stringify(schema)}`);
  return `{${members.join(',')}}`;
}

export interface Answer {
  readonly status: number;
  /** One character for each byte. */
  readonly text: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** `POST /execute` with exactly these bytes. */
export async function executeText(
  service: { readonly url: string },
  text: string | Uint8Array,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Promise<Answer> {
  const body = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
  const response = await fetch(`${service.url}/execute`, { method: 'POST', headers, body });
  return {
    status: response.status,
    text: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  };
}

/** The text of an outcome; anything else is thrown, with its beginning. */
export async function outcomeText(
  service: { readonly url: string },
  action: ActionText,
): Promise<string> {
  const { status, text } = await executeText(service, actionText(action));
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 300)}`);
  return text;
}
