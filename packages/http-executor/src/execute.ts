import type { Admission } from './admission/admission.ts';
import { attempt } from './attempt/attempt.ts';
import { type AttemptResult, addressRefused } from './attempt/result.ts';
import type { Clock } from './clock.ts';
import { Authentication, credentialRefusal } from './credentials/authentication.ts';
import { decode } from './decode.ts';
import { Effect } from './effect.ts';
import type { EffectStore } from './effects/store.ts';
import { addressRefusal } from './errors.ts';
import type { Sender } from './guard/binding.ts';
import { credentialOf, type GuardRules, guard } from './guard/guard.ts';
import type { ExecutionLimits } from './limits.ts';
import { type Outcome, toOutcome } from './outcome/outcome.ts';
import { toReplay } from './outcome/replay.ts';
import { conceal, redact } from './redact.ts';
import { Attempts, type RetryContext } from './retry/attempts.ts';
import type { Turns } from './turns.ts';
import type { Validator } from './validate.ts';
import type { Transport } from './wire.ts';

export interface ExecutionContext extends RetryContext, Sender {
  /** Settles when the caller has received the outcome, which stays in memory until then. */
  readonly delivered?: Promise<unknown> | undefined;
}

/** Long-lived objects that the steps of all executions share. */
export interface Parts {
  readonly rules: GuardRules;
  readonly store: EffectStore;
  readonly admission: Admission;
  readonly turns: Turns;
  readonly transport: Transport;
  readonly validator: Validator;
  readonly limits: ExecutionLimits;
  readonly clock: Clock;
  /** Aborted when the process starts to shut down, so that executions start no more attempts. */
  readonly draining: AbortSignal;
}

const NEVER = new AbortController().signal;

/**
 * Steps: action → guard → admit → [ credential → claim → attempt → retry? ]* → decode → conceal →
 * validate → redact → outcome
 */
export async function execute(
  action: unknown,
  given: ExecutionContext,
  { rules, store, admission, turns, transport, validator, ...settings }: Parts,
): Promise<Outcome> {
  const request = await guard(action, rules, given);
  // With a key, an execution continues when its caller leaves, so that it has an outcome.
  const context = request.key === undefined ? given : { ...given, signal: NEVER };
  await using effect = new Effect(store, request);
  const known = await effect.find(request, settings.clock);
  if (known !== undefined) return toReplay(known, turns);

  const attempts = new Attempts(request, context, settings);
  using slot = await admission.enter(request, context, attempts.timeLeft());

  const { upstreams } = request.route;
  const authentication = new Authentication(credentialOf(request.route), upstreams);
  let result: AttemptResult;
  do {
    const credential = await authentication.next(attempts.timeLeft());
    if (!credential.ok && attempts.count === 0)
      throw slot.refuse(credentialRefusal(credential.reason));

    if (!credential.ok) {
      // The upstream refused a token that cannot be renewed, so the outcome is its 401.
      attempts.note(credential.reason.reason);
      break;
    }

    const replay = await effect.claim(request, settings.clock);
    if (replay !== undefined) return toReplay(replay, turns);

    const options = { ...attempts.begin(slot.memory), onSending: effect.sending };
    result = await attempt(request, credential.value, transport, options);
  } while ((await attempts.again(result, authentication.discard(result))) && effect.isHeld);

  const report = attempts.report();
  const refused = report.attempts === 1 ? addressRefused(report.result) : undefined;
  if (refused !== undefined) throw slot.refuse(addressRefusal(refused));

  const answer = await decode(report, request, turns);
  const concealed = await conceal(answer, authentication.secretsOf(report.result.hosts));
  const violations = await validator.validate(concealed, request.schema, context);
  const redacted = await redact({ ...concealed, violations }, request.secrets, rules.headerRules);
  const outcome = await toOutcome(report, redacted, request.shape, turns);
  await effect.settle(outcome);
  return outcome;
}
