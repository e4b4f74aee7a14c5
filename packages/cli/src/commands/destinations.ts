import { METHODS, printable } from '@gatehouse/contracts';
import { fragmentViolation, readUrl } from '@gatehouse/contracts/action';
import { chooseDestination, type Destination } from '@gatehouse/http-executor';
import { CannotUse, loadDestinations } from '../input.ts';
import { EXIT, strong, type Write } from '../output.ts';
import { lintFiles } from './lint.ts';

export function lintDestinations(write: Write, files: readonly string[]): number {
  return lintFiles(write, files, (file) => {
    const loaded = loadDestinations(file);
    const destinations = loaded.all.length;
    const credentials = Object.keys(loaded.credentials).length;
    const text = `${counted(destinations, 'destination')}, ${counted(credentials, 'credential')}`;
    return { shown: { destinations, credentials }, text };
  });
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

export function tryDestinations(
  write: Write,
  file: string,
  methodName: string,
  urlText: string,
  { caller }: { readonly caller?: string },
): number {
  const method = METHODS.find((each) => each === methodName.toUpperCase());
  if (method === undefined)
    throw new CannotUse(`\`${printable(methodName)}\` is not one of ${METHODS.join(', ')}`);

  const destinations = loadDestinations(file);
  const refused = (code: string, reason: string) => {
    const text = () => `${strong('refused')} as ${code}\n\n${printable(reason)}`;
    write({ allowed: false, code, reason }, text);
    return EXIT.found;
  };
  const target = readUrl(urlText);
  if (!target.ok) return refused('InvalidAction', `The URL ${target.reason.message}.`);

  const fragment = fragmentViolation(method, urlText);
  if (fragment !== undefined) return refused('InvalidAction', `The URL ${fragment.message}.`);

  const asked = { ...target.value, method, caller, listedIn: file };
  const choice = chooseDestination(destinations, asked);
  if (!choice.ok) return refused('DestinationNotAllowed', choice.reason.text);

  const { index, line, source } = choice.value;
  const text = () => allowedText(choice.value);
  write({ allowed: true, destination: { index, line, ...source } }, text);
  return EXIT.fine;
}

function allowedText({ index, line, source }: Destination): string {
  const { host, credential, per_minute: perMinute, max_executions: maxExecutions } = source;
  const facts = [
    credential === undefined ? 'without a credential' : `with the credential ${strong(credential)}`,
    ...(perMinute === undefined ? [] : [`${perMinute} per minute`]),
    ...(maxExecutions === undefined ? [] : [`${maxExecutions} in flight`]),
  ];
  return `${strong('allowed')} by /destinations/${index} on line ${line}: ${strong(host)}, ${facts.join(', ')}`;
}
