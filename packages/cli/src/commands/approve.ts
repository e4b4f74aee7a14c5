import { createInterface } from 'node:readline/promises';
import {
  createPolicyClient,
  GatehouseError,
  type PolicyClient,
  ProblemError,
} from '@gatehouse/client';
import { type ApprovalRequestClaims, DEFAULT_ISSUER, requestText } from '@gatehouse/contracts';
import { readSigned } from '@gatehouse/contracts/signed';
import { CannotUse, readText } from '../input.ts';
import { EXIT, painted, strong, type Write } from '../output.ts';

interface Options {
  readonly policyUrl?: string;
  readonly tokenFile?: string;
  readonly validFor?: string;
  readonly issuer?: string;
  readonly yes?: true;
}

/**
 * Runs `gatehouse approve`: shows a person what a signed request would do, asks, and approves it.
 * Everything that it shows comes from the text that the policy service has signed.
 */
export async function approve(write: Write, argument: string, options: Options): Promise<number> {
  const request = requestIn(argument);
  const valid_for_s = secondsIn(options.validFor);
  await using policy = policyAt(tokenIn(options.tokenFile), options.policyUrl);
  try {
    const claims = await verifyRequest(request, policy, options.issuer);
    const isApproved =
      options.yes === true || (await ask(requestText(claims, { strong, painted })));
    if (!isApproved) {
      write({ approved: false }, () => 'Nothing was approved.');
      return EXIT.found;
    }

    const granted = await policy.approve({
      ...{ approval_request: request, ...(valid_for_s !== undefined && { valid_for_s }) },
    });
    const { approved_by, approved_until, approval } = granted;
    write({ approved: true, ...granted }, () =>
      [
        `Approved by ${approved_by} until ${approved_until}. Send this as \`approval\` in the same check:`,
        approval,
      ].join('\n'),
    );
    return EXIT.fine;
  } catch (error) {
    if (error instanceof GatehouseError) throw new CannotUse(adviceOn(error));
    throw error;
  }
}

function adviceOn(error: GatehouseError): string {
  const isUnknown = error instanceof ProblemError && error.problem.code === 'Unauthorized';
  return isUnknown
    ? 'the policy service does not know the token; use the token of an approver, without its name and colon'
    : error.message;
}

/** Matches a JWS, which is the request itself and not the name of a file. */
const JWS = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** @throws {CannotUse} unless the argument, or the file that it names, has the form of a request */
function requestIn(argument: string): string {
  const text = JWS.test(argument) ? argument : readText(argument).trim();
  if (JWS.test(text)) return text;
  throw new CannotUse(
    `\`${argument}\` must contain only the \`approval_request\` of a check: \`eyJ…\`, without quotes`,
  );
}

/** @throws {CannotUse} unless the option is missing or a whole number */
function secondsIn(validFor: string | undefined): number | undefined {
  if (validFor === undefined) return undefined;
  if (/^\d+$/.test(validFor)) return Number(validFor);
  throw new CannotUse('--valid-for must be a whole number of seconds, such as 900');
}

/** @throws {CannotUse} if the URL or the token is malformed */
function policyAt(token: string, url = 'http://localhost:8081'): PolicyClient {
  try {
    return createPolicyClient({ url, token });
  } catch (error) {
    if (error instanceof TypeError)
      throw new CannotUse(`--policy-url or the token cannot be used: ${error.message}`);
    throw error;
  }
}

/** @throws {CannotUse} without a token */
function tokenIn(file: string | undefined): string {
  const token = file === undefined ? process.env.GATEHOUSE_APPROVER_TOKEN : readText(file).trim();
  if (token !== undefined && token !== '') return token;
  throw new CannotUse(
    file === undefined
      ? 'set GATEHOUSE_APPROVER_TOKEN to the token of an approver, without its name, or pass --token-file FILE'
      : `${file}: is empty; write the token of an approver into it, without its name`,
  );
}

const NOT_GENUINE =
  'the request is not one that this policy service has signed; if it sets POLICY_ISSUER, pass the same value as --issuer';

/** @throws {CannotUse} if the policy service has not signed the request, or if it has expired */
async function verifyRequest(
  request: string,
  policy: PolicyClient,
  issuer = DEFAULT_ISSUER,
): Promise<ApprovalRequestClaims> {
  const { keys } = await policy.keys();
  const findKey = async (kid: string) => keys.find((key) => key.kid === kid);
  const claims = await readSigned(request, 'approvalRequest', findKey, issuer);
  if (claims === undefined) throw new CannotUse(NOT_GENUINE);

  if (Date.now() >= claims.exp * 1_000)
    throw new CannotUse('the request has expired; send the check again');
  return claims;
}

/** Asks on the terminal. @throws {CannotUse} if standard input is not one */
async function ask(text: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CannotUse(`${text}\n\nNothing was approved: run this in a terminal, or pass --yes`);

  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${text}\n\nApprove? [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
