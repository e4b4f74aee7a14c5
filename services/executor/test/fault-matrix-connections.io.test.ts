import { afterAll, describe, expect, it } from 'vitest';
import { CONNECTION_FAULTS } from './support/connection-faults.ts';
import { describeFaults } from './support/fault-matrix.ts';
import { startStuckListener } from './support/stuck-listener.ts';

const stuck = await startStuckListener();
afterAll(() => stuck?.[Symbol.asyncDispose]());

describe('before a request arrives', () => {
  describeFaults(
    CONNECTION_FAULTS.filter(({ leads }) => leads !== 'stuck' || stuck !== undefined),
    { stuck },
  );

  // Elsewhere a backlog does not fill up, and the report says that this fault was not
  // tried.
  it.skipIf(process.platform !== 'linux')('a full backlog is among the faults', () =>
    expect(stuck).toBeDefined(),
  );
});
