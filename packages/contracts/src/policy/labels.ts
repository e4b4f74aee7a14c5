import { Type } from '@sinclair/typebox';
import { OneOf, Strict, StringMap } from '../schema.ts';
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

/** List of labels in a check. */
export const labels = <const L extends readonly string[]>(
  known: L,
  title: string,
  description: string,
) => Type.Array(OneOf(known, undefined, title), { description });

/** Outcome of each label in a profile. */
export const outcomeByLabel = <const L extends string>(known: readonly L[], description: string) =>
  Strict(
    Object.fromEntries(known.map((label) => [label, Decision])) as Record<L, typeof Decision>,
    { description },
  );

/** Outcome of each label of a check in an explanation. */
export const explainedLabels = (description: string) =>
  Type.Optional(StringMap(Decision, description));
