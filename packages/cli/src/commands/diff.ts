import { profileFor } from '@gatehouse/policy-profile';
import { Differences } from '../differences.ts';
import { EXIT } from '../exit.ts';
import { checkCaller, profilesIn } from '../input.ts';
import type { Output } from '../output.ts';
import { recordedIn } from '../recorded.ts';

/** `gatehouse diff`: what another profile would have decided. */
export async function diff(
  output: Output,
  oldFile: string,
  newFile: string,
  requests: string,
  /** Of requests without a caller of their own. */
  options: { readonly caller?: string },
): Promise<number> {
  const [before, after] = [profilesIn(oldFile), profilesIn(newFile)];
  checkCaller(options.caller, before, after);
  const found = new Differences();
  for await (const recorded of recordedIn(requests)) {
    if (recorded.kind === 'lost') found.lose(recorded.reason);
    else {
      const caller = recorded.caller ?? options.caller;
      found.replay(recorded.request, profileFor(before, caller), profileFor(after, caller));
    }
  }
  output.write(found.document(), () => found.text(output));
  return found.looser > 0 ? EXIT.found : EXIT.fine;
}
