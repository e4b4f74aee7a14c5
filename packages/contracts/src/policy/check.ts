import { type Static, type TOptional, type TUnsafe, Type } from '@sinclair/typebox';
import { Nullish, StrictTitled } from '../schema.ts';
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
});
export type CheckRequest = Static<typeof CheckRequest>;
