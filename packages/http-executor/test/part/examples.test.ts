import { expect, it } from 'vitest';
import { parseFields } from '../../src/guard/fields.ts';
import { partOf } from '../../src/part/part.ts';
import { parsed } from '../support/json-texts.ts';
import { missing, pick } from '../support/reference.ts';
import branchProtection from './examples/branch-protection.json' with { type: 'json' };
import gist from './examples/gist.json' with { type: 'json' };
import issueSearch from './examples/issue-search.json' with { type: 'json' };
import issues from './examples/issues.json' with { type: 'json' };
import repository from './examples/repository.json' with { type: 'json' };
import workflowRuns from './examples/workflow-runs.json' with { type: 'json' };

const LIMITS = [64, 200, 1_000, 4_000, 20_000];

it.each<[name: string, answer: unknown, mask: string]>([
  [
    'a page of issues',
    Array(30).fill(issues).flat(),
    'number,title,user/login,labels/name,pull_request/url',
  ],
  ['a repository', repository, 'full_name,owner/login,permissions,organization/*,license/none'],
  ['found issues', issueSearch, 'total_count,items/id,items/score,items/user/login'],
  ['runs of a workflow', workflowRuns, 'workflow_runs/head_commit/author,workflow_runs/*/owner'],
  ['a gist', gist, 'files/*/filename,files/*/size,forks,history/*'],
  ['a branch protection', branchProtection, '*/url,restrictions/users/login,*/apps/*'],
])('%s: selects and shortens as a reference does', async (_name, answer, mask) => {
  const fields = parseFields(mask);
  if (!fields.ok) throw new Error(fields.reason);
  const paths = mask.split(',').map((path) => path.split('/'));
  for (const text of [JSON.stringify(answer), JSON.stringify(answer, null, 2)]) {
    const document = Buffer.from(text);
    const selected = await partOf(document, { fields: fields.value, maxBytes: undefined });
    const picked = pick(parsed(text), paths);
    expect(parsed(`${selected.json}`)).toEqual(picked);
    expect(selected.json.length).toBeLessThan(document.length / 2);

    for (const maxBytes of [...LIMITS, document.length - 1, document.length]) {
      const whole = await partOf(document, { fields: undefined, maxBytes });
      const part = await partOf(document, { fields: fields.value, maxBytes });
      expect(Math.max(whole.json.length, part.json.length)).toBeLessThanOrEqual(maxBytes);
      expect(whole.omitted.slice(0, 20)).toEqual(
        missing(parsed(text), parsed(`${whole.json}`)).slice(0, 20),
      );
      expect(part.omitted.slice(0, 20)).toEqual(
        missing(picked, parsed(`${part.json}`)).slice(0, 20),
      );
    }
  }
});
