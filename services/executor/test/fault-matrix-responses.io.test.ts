import { describe } from 'vitest';
import { describeFaults } from './support/fault-matrix.ts';
import { RESPONSE_FAULTS } from './support/response-faults.ts';

describe('in the answer', () => describeFaults(RESPONSE_FAULTS));
