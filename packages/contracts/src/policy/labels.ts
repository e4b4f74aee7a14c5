import { Strict } from '../schema.ts';
import { Decision } from './outcome.ts';

export const PII_CATEGORIES = [
  'basic_contact',
  'location',
  'financial',
  'health',
  'biometric',
  'government_id',
  'other',
] as const;

export const LEGAL_FLAGS = [
  'prohibited_content',
  'requires_review',
  'terms_unknown',
  'export_controlled',
  'other',
] as const;

/** Outcome of each label in a profile. */
export const outcomeByLabel = <const L extends string>(known: readonly L[], description: string) =>
  Strict(
    Object.fromEntries(known.map((label) => [label, Decision])) as Record<L, typeof Decision>,
    { description },
  );
