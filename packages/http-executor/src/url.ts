import type { Violation } from '@gatehouse/contracts';
import { Refusal } from './refusal.ts';
import type { Sandbox } from './sandbox.ts';

const MAX_URL_LENGTH = 8 * 1024;

/** The parsed URL, or what is malformed about it (contract section 3). The fragment is never sent and dropped. */
export function readUrl(text: string): { url: URL } | { violation: Violation } {
  const reject = (message: string) => ({ violation: { pointer: '/url', message } });
  if (text.length > MAX_URL_LENGTH) return reject(`must be at most ${MAX_URL_LENGTH} characters`);
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return reject('must be an absolute http or https URL');
  if (url.username !== '' || url.password !== '') return reject('must not hold credentials; send them as a header');
  url.hash = '';
  return { url };
}

/** Throws a `HostNotAllowed` refusal unless the allowlist admits the URL. */
export function admitUrl(url: URL, { allowlist }: Sandbox): void {
  if (allowlist.admits(url)) return;
  throw new Refusal(
    'HostNotAllowed',
    `The host \`${url.host}\` is not on the allowlist. Another spelling will not help: an operator has to add it to HTTP_EXECUTOR_ALLOWED_HOSTS.`,
  );
}
