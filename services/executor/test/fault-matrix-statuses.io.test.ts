import { describe } from 'vitest';
import { describeFaults } from './support/fault-matrix.ts';
import { STATUS_FAULTS } from './support/status-faults.ts';

describe('the status', () =>
  describeFaults(STATUS_FAULTS, { titleOf: ({ name }) => name.replace(/,.*/, '') }));
