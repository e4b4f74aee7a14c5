import { describe, expect, it } from 'vitest';
import { hasUnreleased, versionFaults, withVersion } from '../release/changelog.ts';
import { faultsOf } from '../release/faults.ts';
import type { Manifest } from '../release/packages.ts';

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-02)\n\n- First.\n';

describe('what stands against a release', () => {
  const own = { file: '/repo/package.json', name: 'root', version: '0.1.0', private: true };
  const hidden = { ...own, file: '/repo/packages/b/package.json', name: 'b' };
  const shown = {
    ...{ file: '/repo/packages/a/package.json', name: 'a', version: '0.1.0' },
    devDependencies: { b: 'workspace:*' },
  };

  it.each<[what: string, manifest: Manifest, changelog: string, faults: RegExp[]]>([
    ['nothing', shown, CHANGELOG, []],
    [
      'a version of its own',
      { ...shown, version: '0.1.1' },
      CHANGELOG,
      [/^packages\/a\/package\.json has version 0\.1\.1, the repository 0\.1\.0: run/],
    ],
    [
      'no heading, but for another version',
      shown,
      '## 0.1.0-rc.1\n\n## 10.1.0\n\n## 0.1.01\n',
      [/^CHANGELOG\.md has no heading `## 0\.1\.0`\.$/],
    ],
    ...(['dependencies', 'peerDependencies', 'optionalDependencies'] as const).map(
      (kind): [string, Manifest, string, RegExp[]] => [
        `one of its ${kind} is private`,
        { ...shown, [kind]: { b: 'workspace:*' } },
        CHANGELOG,
        [/^a depends on b, which is private\.$/],
      ],
    ),
  ])('%s', (_what, manifest, changelog, faults) => {
    expect(faultsOf('/repo', [own, manifest, hidden], changelog)).toEqual(
      faults.map((fault) => expect.stringMatching(fault)),
    );
  });
});

describe('moving the version', () => {
  it('makes what is unreleased a version, and leaves room for what comes', () => {
    expect(versionFaults(CHANGELOG, '0.2.0')).toEqual([]);
    const moved = withVersion(CHANGELOG, '0.2.0', '2026-03-04');
    expect(moved).toBe(
      CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 (2026-03-04)\n'),
    );
    expect([hasUnreleased(CHANGELOG), hasUnreleased(moved)]).toEqual([true, false]);
  });

  it.each([
    ['no version', '0.2', /`0\.2` is no version/],
    ['a version with a v', 'v0.2.0', /is no version/],
    ['a leading zero', '0.02.0', /is no version/],
    ['a version that has an entry', '0.1.0', /has 0\.1\.0 already/],
  ])('not to %s', (_what, version, fault) => {
    expect(versionFaults(CHANGELOG, version)).toEqual([expect.stringMatching(fault)]);
  });

  it.each(['0.2.0-rc.1', '1.0.0', '10.20.30'])('to %s', (version) => {
    expect(versionFaults(CHANGELOG, version)).toEqual([]);
  });

  it('not without a word about it', () => {
    const moved = withVersion(CHANGELOG, '0.2.0', '2026-03-04');
    expect(versionFaults(moved, '0.3.0')).toEqual([
      expect.stringMatching(/^CHANGELOG\.md lists nothing below `Unreleased`/),
    ]);
  });
});
