import { type Static, type TOptional, type TUnsafe, Type } from '@sinclair/typebox';
import { ActionArguments } from '../executor/execution.ts';
import { Nullish, StrictTitled, Text } from '../schema.ts';
import { type Section, type SectionSchemas, sectionsOf } from './rule-parts.ts';

type NullishSections = {
  [S in Section]: TOptional<TUnsafe<Static<SectionSchemas<'check'>[S]> | null>>;
};

export const CHECK_SECTIONS = Object.fromEntries(
  Object.entries(sectionsOf('check')).map(([name, section]) => [name, Nullish(section)]),
) as unknown as NullishSections;

/** Body of `POST /policy/check` (`policy-service.md` section 2). */
export const CheckRequest = StrictTitled('CheckRequest', {
  request_id: Nullish(
    Type.String({
      maxLength: 128,
      description: 'Identifier that the caller chooses, with no effect on the decision.',
    }),
  ),
  ...CHECK_SECTIONS,
  action: Type.Optional(
    // `readAction` checks the action, because its numbers and their order matter.
    Type.Unsafe<ActionArguments | null>({
      'x-shown': Nullish(ActionArguments),
      description:
        'Action that the planner wants the executor to carry out. Put any value in place of those of the headers `authorization`, `cookie` and `x-api-key`, which the policy does not need.',
    }),
  ),
  approval: Nullish(Text("A person's approval of this check, from `POST /policy/approvals`.")),
});
export type CheckRequest = Static<typeof CheckRequest>;
