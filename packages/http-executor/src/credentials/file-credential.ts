import { type CredentialSource, type Result, success } from '@gatehouse/contracts';
import {
  type Credential,
  type CredentialHeader,
  credentialHeader,
  toLatin1,
  type Unavailable,
} from './credential.ts';
import { readSecret } from './secret-file.ts';

type FileSource = Exclude<CredentialSource, { type: 'oauth2_client_credentials' }>;

/** Credential whose secret file contains what upstreams get. */
export class FileCredential implements Credential {
  readonly name: string;
  readonly headerName: string;
  readonly #source: FileSource;
  readonly #secretPath: string;
  #last: { readonly text: string; readonly header: CredentialHeader } | undefined;

  constructor(name: string, source: FileSource, secretPath: string) {
    this.name = name;
    this.headerName = source.type === 'header' ? source.name.toLowerCase() : 'authorization';
    this.#source = source;
    this.#secretPath = secretPath;
  }

  async header(): Promise<Result<CredentialHeader, Unavailable>> {
    return this.#read();
  }

  discard(): boolean {
    return false;
  }

  /** Returns the last header if the file is unusable now, because upstreams may still know it. */
  current(): readonly CredentialHeader[] {
    this.#read();
    return this.#last === undefined ? [] : [this.#last.header];
  }

  #read(): Result<CredentialHeader, Unavailable> {
    const secret = readSecret(this.#secretPath);
    if (!secret.ok) return secret;
    if (secret.value !== this.#last?.text) {
      const header = encode(this.headerName, this.#source, secret.value);
      this.#last = { text: secret.value, header };
    }
    return success(this.#last.header);
  }
}

function encode(name: string, source: FileSource, text: string): CredentialHeader {
  const secret = toLatin1(text);
  switch (source.type) {
    case 'bearer':
      return credentialHeader(name, `Bearer ${secret}`, secret);

    case 'basic': {
      const login = Buffer.from(`${source.username}:${text}`).toString('base64');
      return credentialHeader(name, `Basic ${login}`, secret);
    }

    case 'header':
      // Servers drop spaces around a header value, so redaction must search for the trimmed value.
      return credentialHeader(name, secret.replace(/^ +| +$/g, ''), secret);
  }
}
