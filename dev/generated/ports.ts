/** Matches the port of a service in manifests, URLs, bind addresses and port mappings. */
export function portsOf(service: 'policy' | 'executor'): RegExp {
  const { prefix, paths } = {
    policy: { prefix: 'POLICY', paths: 'policy/|healthz|orders' },
    executor: { prefix: 'HTTP_EXECUTOR', paths: 'execute|sandbox' },
  }[service];
  const hostPort = `${service.toUpperCase()}_PORT`;
  const before = [
    `http://(?:gatehouse-)?${service}:`,
    `tasks\\.${service}:`,
    `targets: \\[${service}:`,
    `frontend ${service}\\n {2}bind :`,
    `\\$\\{${hostPort}:-(?:\\d+\\}:)?`,
    `${hostPort}=`,
    `${prefix}_BIND_ADDR, value: "0\\.0\\.0\\.0:`,
    `${prefix}_BIND_ADDR=(?:0\\.0\\.0\\.0:|.*\\nEXPOSE )`,
    `${service} on `,
    `name: gatehouse-${service}\\n(?:.*\\n)*?.*(?:containerPort: |io/port: "|name: http, port: )`,
  ];
  const between = `(?<=target: |published: )\\d+(?=.*# ${service})`;
  const url = `(?<=localhost:)\\d+(?=/(?:${paths}))`;
  return new RegExp(`(?<=${before.join('|')})\\d+|${between}|${url}`, 'g');
}
