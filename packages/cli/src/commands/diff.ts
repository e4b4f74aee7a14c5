import { InvalidFile } from '@gatehouse/config-file';
import { DECISIONS, type Decision, RULES, type RuleName } from '@gatehouse/contracts';
import {
  type Check,
  type Currency,
  evaluate,
  findCurrency,
  formatMoney,
  type Profile,
} from '@gatehouse/policy';
import { profileFor } from '@gatehouse/policy/files';
import { checkCaller, loadProfiles } from '../input.ts';
import { EXIT, painted, strong, table, type Write } from '../output.ts';
import { readRecorded } from '../recorded.ts';

const NOTHING_REPLAYED =
  'contains no request that can be replayed; use NDJSON, or a log that was recorded with POLICY_LOG_AMOUNTS=true';

/** Runs `gatehouse diff`. @throws {InvalidFile} if no request could be replayed */
export async function diff(
  write: Write,
  oldFile: string,
  newFile: string,
  requests: string,
  /** `caller` is used for each request that was recorded without a caller. */
  options: { readonly caller?: string },
): Promise<number> {
  const [before, after] = [loadProfiles(oldFile), loadProfiles(newFile)];
  checkCaller(options.caller, [before, after]);
  const found = new Differences();
  for await (const recorded of readRecorded(requests)) {
    if ('unreadable' in recorded) found.countUnreadable(recorded.unreadable);
    else {
      const { request, caller = options.caller } = recorded;
      found.replay(request, profileFor(before, caller), profileFor(after, caller));
    }
  }
  write(found.document(), () => found.text());
  if (found.replayed === 0) throw new InvalidFile(requests, NOTHING_REPLAYED);

  return found.looser > 0 ? EXIT.found : EXIT.fine;
}

/** Requests whose decision changed in the same way, because of the same rules. */
interface Group {
  readonly change: 'looser' | 'tighter';
  readonly from: Decision;
  readonly to: Decision;
  /** Names of the rules whose outcome changed, joined by `, `. */
  readonly rules: string;
  requests: number;
  /** Total for each currency, in minor units. A total can exceed `Number.MAX_SAFE_INTEGER`. */
  readonly amounts: Map<Currency, bigint>;
}

class Differences {
  replayed = 0;
  looser = 0;
  tighter = 0;
  readonly unreadable = new Map<string, number>();
  readonly #groups = new Map<string, Group>();

  countUnreadable(why: string): void {
    this.unreadable.set(why, (this.unreadable.get(why) ?? 0) + 1);
  }

  replay(request: Check, before: Profile, after: Profile): void {
    this.replayed += 1;
    const [old, now] = [evaluate(request, before), evaluate(request, after)];
    if (old.decision === now.decision) return;

    const change =
      DECISIONS.indexOf(now.decision) < DECISIONS.indexOf(old.decision) ? 'looser' : 'tighter';
    this[change] += 1;
    const outcomeIn = ({ rules }: typeof old, name: RuleName) =>
      rules.find(({ rule }) => rule === name)?.outcome;
    const rules = RULES.filter((name) => outcomeIn(old, name) !== outcomeIn(now, name)).join(', ');
    const key = { change, from: old.decision, to: now.decision, rules } as const;
    const text = Object.values(key).join('|');
    const group: Group = this.#groups.get(text) ?? { ...key, requests: 0, amounts: new Map() };
    this.#groups.set(text, group);
    group.requests += 1;
    if (request.spend != null) addAmount(group.amounts, request.spend);
  }

  document() {
    const groups = [...this.#groups.values()].map(({ amounts, ...group }) => ({
      ...group,
      amounts_minor_units: Object.fromEntries(
        [...amounts].map(([{ code }, sum]) => [code, String(sum)]),
      ),
    }));
    const { replayed, looser, tighter } = this;
    const unreadable = [...this.unreadable].map(([reason, requests]) => ({ reason, requests }));
    return { replayed, not_replayed: unreadable, looser, tighter, groups };
  }

  text(): string {
    const all = [...this.unreadable.values()].reduce((sum, count) => sum + count, this.replayed);
    const lines = [
      `${this.replayed} of ${all} recorded requests could be replayed.`,
      ...[...this.unreadable].map(([reason, count]) => `  ${count} could not: ${reason}`),
      '',
      `Decisions: ${strong(String(this.looser))} looser, ${strong(String(this.tighter))} tighter.`,
    ];
    const rows = [...this.#groups.values()]
      .sort((a, b) => a.change.localeCompare(b.change) || b.requests - a.requests)
      .map(({ change, from, to, rules, requests, amounts }) => [
        change,
        `${painted(from)} → ${painted(to)}`,
        String(requests),
        rules,
        [...amounts].map(([currency, sum]) => formatMoney(sum, currency)).join(', ') || '–',
      ]);
    const head = ['change', 'decision', 'requests', 'rules', 'total amounts'];
    if (rows.length > 0) lines.push('', table(head, rows));
    return lines.join('\n');
  }
}

function addAmount(amounts: Group['amounts'], spend: NonNullable<Check['spend']>): void {
  const currency = findCurrency(spend.currency);
  if (currency === undefined) return;
  amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(spend.amount_minor_units));
}
