const REFUSED: readonly (readonly [reason: string, names: RegExp])[] = [
  [
    'the header describes the connection, which the executor controls',
    /^(?:connection|keep-alive|upgrade|http2-settings|te|trailer|expect)$/,
  ],
  [
    'the header describes how the body is sent, which the executor controls',
    /^(?:content-length|transfer-encoding|content-encoding)$/,
  ],
  ['the header could name a different host than the URL', /^host$/],
  ['the header is reserved for proxies', /^(?:proxy|proxy-.*|via|max-forwards)$/],
  [
    'the header could deceive the upstream about the sender or the URL',
    /^(?:forwarded|x-forwarded|x-forwarded-.*|x-real-ip|x-original-url|x-rewrite-url)$/,
  ],
  [
    'the header gives access to cloud metadata services',
    /^(?:metadata|metadata-flavor|x-aws-ec2-metadata-.*|x-google-metadata-request)$/,
  ],
  [
    'the header could override the method that the executor checked',
    /^x-(?:http-method|http-method-override|method-override)$/,
  ],
];

const SET_BY_EXECUTOR = /^(?:accept|accept-encoding|content-.*|traceparent|tracestate|user-agent)$/;

/** Returns the reason why an action must not set a header, or undefined. */
export function reasonToRefuse(name: string): string | undefined {
  const key = headerKey(name);
  return REFUSED.find(([, names]) => names.test(key))?.[0];
}

/** True if a header cannot carry a credential, because the executor sets or refuses that header. */
export function isReserved(name: string): boolean {
  return reasonToRefuse(name) !== undefined || SET_BY_EXECUTOR.test(headerKey(name));
}

/** Returns a lower-case name with `-` in place of `_`, because CGI programs treat both alike. */
export const headerKey = (name: string): string => name.toLowerCase().replaceAll('_', '-');
