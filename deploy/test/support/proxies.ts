import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, startProcess } from '@gatehouse/testing';
import { vi } from 'vitest';

/** Targets of a proxy: `/policy/` goes to the policy service, all other paths to the executors. */
export interface Upstreams {
  readonly policy: string;
  readonly executors: readonly string[];
}

/** A common reverse proxy in front of the services. */
export interface Proxy {
  readonly name: string;
  /** Possible names of the program on the PATH. The first one that exists is used. */
  readonly programs: readonly string[];
  readonly args: (config: string, folder: string) => readonly string[];
  readonly config: (port: number, upstreams: Upstreams, folder: string) => string;
}

/** Lists upstreams as nginx (`server host;`) or HAProxy (`server name host check`) names them. */
const serverLines = (
  urls: readonly string[],
  line = (host: string, _n: number) => `server ${host};`,
) => urls.map((url, n) => line(new URL(url).host, n)).join('\n');
const checked = (host: string, n: number) => `  server server${n} ${host} check`;

const NGINX: Proxy = {
  name: 'nginx',
  programs: ['nginx'],
  args: (config, folder) => ['-p', folder, '-c', config, '-e', 'stderr', '-g', 'daemon off;'],
  config: (port, { policy, executors }, folder) => `
    worker_processes 1; pid ${folder}/nginx.pid; error_log stderr warn; events {}
    http {
      access_log off; client_max_body_size 0; client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      upstream executors { ${serverLines(executors)} keepalive 16; }
      upstream policy { ${serverLines([policy])} keepalive 16; }
      server {
        listen 127.0.0.1:${port}; proxy_http_version 1.1; proxy_set_header Connection "";
        location / { proxy_pass http://executors; }
        location /policy/ { proxy_pass http://policy; }
      }
    }`,
};

/** nginx without any settings for its connections to the services: each serves one request. */
const CLOSING_NGINX: Proxy = {
  ...NGINX,
  name: 'nginx that closes its connections',
  config: (...args) => NGINX.config(...args).replace(/proxy_http_version 1.1; .*/, ''),
};

const HAPROXY: Proxy = {
  name: 'HAProxy',
  programs: ['haproxy'],
  args: (config) => ['-db', '-f', config],
  config: (port, { policy, executors }) => `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  option httpchk GET /readyz
frontend all
  bind 127.0.0.1:${port}
  use_backend policy if { path_beg /policy/ }
  default_backend executors
backend executors
${serverLines(executors, checked)}
backend policy
${serverLines([policy], checked)}
`,
};

const CADDY: Proxy = {
  name: 'Caddy',
  programs: ['caddy'],
  args: (config) => ['run', '--config', config, '--adapter', 'caddyfile'],
  config: (port, { policy, executors }) => `
{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  handle /policy/* {
    reverse_proxy ${policy} {
      fail_duration 10s
    }
  }
  handle {
    reverse_proxy ${executors.join(' ')} {
      fail_duration 10s
    }
  }
}`,
};

const APACHE_MODULES = [
  '/usr/lib/apache2/modules',
  '/usr/lib64/httpd/modules',
  '/usr/local/apache2/modules',
];
const APACHE_LOADS = [
  ...['mpm_event', 'unixd', 'authz_core', 'proxy', 'proxy_http', 'proxy_balancer'],
  ...['slotmem_shm', 'lbmethod_byrequests'],
];

const APACHE: Proxy = {
  name: 'Apache',
  programs: ['apache2', 'httpd'],
  args: (config) => ['-DFOREGROUND', '-f', config],
  config: (port, { policy, executors }, folder) => {
    const modules = APACHE_MODULES.find((path) => existsSync(path)) ?? 'modules';
    // A module without a file is compiled into Apache, so it needs no `LoadModule`.
    const loads = APACHE_LOADS.filter((name) => existsSync(`${modules}/mod_${name}.so`));
    return `
ServerRoot ${folder}
ServerName 127.0.0.1
DefaultRuntimeDir ${folder}
PidFile ${folder}/httpd.pid
Mutex posixsem
User #65534
Group #65534
Listen 127.0.0.1:${port}
${loads.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
ErrorLog ${folder}/error.log
<Proxy balancer://executors>
${executors.map((url) => `BalancerMember ${url} retry=10`).join('\n')}
</Proxy>
ProxyPass /policy/ ${policy}/policy/ retry=10
ProxyPass / balancer://executors/
`;
  },
};

export const PROXIES: readonly Proxy[] = [NGINX, CLOSING_NGINX, HAPROXY, CADDY, APACHE];

export const programOf = ({ programs }: Proxy) => findProgram(...programs);

export interface RunningProxy extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts the proxy on a free loopback port, and waits until an executor and the policy service
 * answer through it.
 */
export async function startProxy(
  proxy: Proxy,
  program: string,
  upstreams: Upstreams,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'));
  // The folder must be readable, because a proxy started by root runs its workers as a different
  // user.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const config = join(folder, 'config');
  writeFileSync(config, proxy.config(port, upstreams, folder));
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const running = startProcess(program, { args: proxy.args(config, folder), env });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(
    async () => {
      const answers = await Promise.all(
        ['/sandbox', '/policy/check'].map((path) => fetch(url + path)),
      );
      const statuses = answers.map(({ status }) => status).join();
      if (statuses !== '200,405')
        throw new Error(`${proxy.name} answers ${statuses}: ${running.output}`);
    },
    { timeout: 15_000, interval: 50 },
  );
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      // Send SIGTERM instead of SIGKILL, so that the proxy stops its workers.
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
