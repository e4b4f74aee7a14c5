import { type CheckResponse, type Explanation, printable } from '@gatehouse/contracts';
import {
  allowedInstead,
  defaultProfile,
  evaluate,
  readCheck,
  toExplanation,
  toResponse,
} from '@gatehouse/policy';
import { profileFor, profilesOf } from '@gatehouse/policy/files';
import { checkCaller, loadDocument, loadProfiles } from '../input.ts';
import { EXIT, painted, strong, table, type Write } from '../output.ts';

/** Runs `gatehouse check`. `--json` prints the response of `POST /policy/check?explain=true`. */
export function check(
  write: Write,
  file: string,
  options: { readonly profile?: string; readonly caller?: string },
): number {
  const request = loadDocument(file, readCheck);
  const profiles =
    options.profile === undefined ? profilesOf(defaultProfile) : loadProfiles(options.profile);
  checkCaller(options.caller, [profiles]);
  const profile = profileFor(profiles, options.caller);
  const evaluation = evaluate(request, profile);
  const response = toResponse(evaluation);
  const explanation = toExplanation(evaluation);
  write({ ...response, explanation }, () => checkText(response, explanation));
  return response.decision === 'allow' ? EXIT.fine : EXIT.found;
}

function checkText(response: CheckResponse, explanation: Explanation): string {
  const rows = response.rules.map(({ rule, outcome, detail }, index) => {
    const explained = explanation.rules[index];
    const allowed = explained && allowedInstead(explained);
    const remedy = allowed === undefined ? '' : ` The rule would allow ${allowed}.`;
    return [rule, painted(outcome), printable(`${detail}${remedy}`)];
  });
  const by = `by profile ${explanation.profile} (${explanation.digest.slice(0, 12)})`;
  return `${strong(painted(response.decision))} ${by}\n\n${table(['rule', 'outcome', 'why'], rows)}`;
}
