import type { Violation } from '@gatehouse/contracts';

/** The message has a line for each violation: its JSON Pointer and what is allowed. */
export class InvalidProfile extends Error {
  override readonly name = 'InvalidProfile';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(
      ({ pointer, message }) => `${pointer || 'The profile'} ${message}`,
    );
    super(['Correct the profile.', ...lines].join('\n'));
    this.violations = violations;
  }
}
