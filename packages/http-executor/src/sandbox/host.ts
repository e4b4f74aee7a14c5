export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

export function isIpLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Turns `[::1]` into `::1`, and leaves other hosts unchanged. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Turns `::1` into `[::1]`, and leaves other hosts unchanged. */
export function withBrackets(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
}
