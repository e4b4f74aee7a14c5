import type { Documentation } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };

/** What people read about the executor at `/docs`. */
export const documentation: Documentation = {
  title: 'Gatehouse HTTP executor',
  description:
    "Performs a planner's outbound JSON requests inside a sandbox, with an allowlist, an address guard, retries, response validation and redaction. A refusal before anything was sent is a problem (RFC 9457), whose `type` is a path of this service with a page about it; once a request was attempted, the answer is 200 with an outcome. Unknown paths are answered with `NotFound`, wrong methods with `MethodNotAllowed` and an `Allow` header.",
  version: manifest.version,
  license: manifest.license,
  tags: [{ name: 'executor', description: 'Requests to the world, from within a sandbox.' }],
};
