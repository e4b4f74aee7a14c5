const UNRELEASED = 'Unreleased';

/** From the heading of a version to the next; the heading may go on, as with a date. */
const sectionOf = (changelog: string, version: string) =>
  changelog.split(/^(?=## )/m).find((section) => /^## (\S+)/.exec(section)?.[1] === version);

export const hasEntry = (changelog: string, version: string): boolean =>
  sectionOf(changelog, version) !== undefined;

/** Whether a change is listed that no version has yet. */
export const hasUnreleased = (changelog: string): boolean =>
  /^- /m.test(sectionOf(changelog, UNRELEASED) ?? '');

const VERSION = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[\da-z]+(?:\.[\da-z]+)*)?$/;

/** Why what is unreleased cannot become this version. */
export function versionFaults(changelog: string, version: string): string[] {
  if (!VERSION.test(version))
    return [`\`${version}\` is no version: write it as 1.2.3, or 1.2.3-rc.1 before that.`];
  if (hasEntry(changelog, version)) return [`CHANGELOG.md has ${version} already: choose another.`];
  if (!hasUnreleased(changelog))
    return [`CHANGELOG.md lists nothing below \`${UNRELEASED}\`: say what ${version} changes.`];
  return [];
}

/** The changelog with what is unreleased as this version. */
export const withVersion = (changelog: string, version: string, day: string): string =>
  changelog.replace(`## ${UNRELEASED}\n`, `## ${UNRELEASED}\n\n## ${version} (${day})\n`);
