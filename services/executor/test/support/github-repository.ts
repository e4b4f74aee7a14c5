/**
 * A GitHub repository as `GET /repos/octocat/Hello-World` shows it, with its parent,
 * source and template.
 */

const API = 'https://api.github.com';

const USER_LINKS = {
  followers_url: 'followers',
  following_url: 'following{/other_user}',
  gists_url: 'gists{/gist_id}',
  starred_url: 'starred{/owner}{/repo}',
  subscriptions_url: 'subscriptions',
  organizations_url: 'orgs',
  repos_url: 'repos',
  events_url: 'events{/privacy}',
  received_events_url: 'received_events',
};

const REPOSITORY_LINKS = [
  'archive{archive_format}{/ref}',
  'assignees{/user}',
  'blobs{/sha}',
  'branches{/branch}',
  'collaborators{/collaborator}',
  'comments{/number}',
  'commits{/sha}',
  'compare{base}...{head}',
  'contents{+path}',
  'contributors',
  'deployments',
  'downloads',
  'events',
  'forks',
  'git_commits{/sha}',
  'git_refs{/sha}',
  'git_tags{/sha}',
  'hooks',
  'issue_comment{/number}',
  'issue_events{/number}',
  'issues{/number}',
  'keys{/key_id}',
  'labels{/name}',
  'languages',
  'merges',
  'milestones{/number}',
  'notifications{?since,all,participating}',
  'pulls{/number}',
  'releases{/id}',
  'stargazers',
  'statuses{sha}',
  'subscribers',
  'subscription',
  'tags',
  'teams',
  'trees{/sha}',
];

function user(login: string, id: number, type = 'User'): object {
  const url = `${API}/users/${login}`;
  const links = Object.entries(USER_LINKS).map(([name, path]) => [name, `${url}/${path}`]);
  return {
    login,
    id,
    node_id: Buffer.from(`04:User${id}`).toString('base64'),
    avatar_url: `https://github.com/images/error/${login}_happy.gif`,
    gravatar_id: '',
    url,
    html_url: `https://github.com/${login}`,
    ...Object.fromEntries(links),
    type,
    site_admin: false,
  };
}

const COUNTS = {
  forks_count: 9,
  forks: 9,
  stargazers_count: 80,
  watchers_count: 80,
  watchers: 80,
  size: 108,
  open_issues_count: 0,
  open_issues: 0,
};
const FLAGS = {
  is_template: true,
  has_issues: true,
  has_projects: true,
  has_wiki: true,
  has_pages: false,
  has_downloads: true,
  has_discussions: false,
  disabled: false,
  allow_forking: true,
  allow_rebase_merge: true,
  allow_squash_merge: true,
  allow_auto_merge: false,
  allow_merge_commit: true,
  delete_branch_on_merge: true,
  web_commit_signoff_required: false,
};
const PERMISSIONS = { admin: false, push: false, pull: true };
const TIMES = {
  pushed_at: '2011-01-26T19:06:43Z',
  created_at: '2011-01-26T19:01:12Z',
  updated_at: '2011-01-26T19:14:43Z',
};

function repository(owner: string, name: string, id: number): object {
  const url = `${API}/repos/${owner}/${name}`;
  const links = REPOSITORY_LINKS.map((path) => [
    `${/^\w+/.exec(path)?.[0]}_url`,
    `${url}/${path.replace('_', '/')}`,
  ]);
  return {
    id,
    node_id: Buffer.from(`010:Repository${id}`).toString('base64'),
    name,
    full_name: `${owner}/${name}`,
    owner: user(owner, 1),
    private: false,
    html_url: `https://github.com/${owner}/${name}`,
    description: `This is ${owner}'s first repo, <a href="https://github.com/${owner}">@${owner}</a>!`,
    fork: false,
    url,
    ...Object.fromEntries(links),
    clone_url: `https://github.com/${owner}/${name}.git`,
    git_url: `git:github.com/${owner}/${name}.git`,
    ssh_url: `git@github.com:${owner}/${name}.git`,
    mirror_url: `git:git.example.com/${owner}/${name}`,
    svn_url: `https://svn.github.com/${owner}/${name}`,
    homepage: `https://${owner}.github.io/?user=${owner}&tab=repositories`,
    language: null,
    default_branch: 'master',
    topics: [owner, 'atom', 'electron', 'api'],
    visibility: 'public',
    archived: false,
    ...COUNTS,
    ...FLAGS,
    ...TIMES,
    permissions: PERMISSIONS,
    license: { key: 'mit', name: 'MIT License', spdx_id: 'MIT', url: `${API}/licenses/mit` },
  };
}

export const GITHUB_REPOSITORY: string = JSON.stringify({
  ...repository('octocat', 'Hello-World', 1_296_269),
  organization: user('octocat', 1, 'Organization'),
  parent: repository('octocat', 'Hello-World', 1_296_270),
  source: repository('octocat', 'Spoon-Knife', 1_296_271),
  template_repository: repository('octocat', 'Hello-World-Template', 1_296_272),
  subscribers_count: 42,
  network_count: 0,
});
