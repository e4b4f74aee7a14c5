import type { Format } from 'ajv';
import addFormats from 'ajv-formats';

const formatNamed = addFormats.default.get;

/** Formats that accept more than ajv-formats does, because ordinary servers send it. */
export const FORMATS: Readonly<Record<string, Format>> = {
  // The time zone is optional: Python, Java and .NET leave it out.
  'date-time': formatNamed('iso-date-time'),
  time: formatNamed('iso-time'),
  // Java and .NET write fractions and negative durations.
  duration:
    /^-?P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=[\d-])(-?\d+H)?(-?\d+M)?(-?\d+(\.\d+)?S)?)?)$/,
  // GitHub has addresses such as `1+dependabot[bot]@users.noreply.github.com`.
  email: /^[^\s@]+@[^\s@]+$/,
  // GitHub sends an empty text for a missing link, and JSON:API writes `?page[size]=2`.
  uri: /^(?:[a-z][a-z\d+.-]*:[^\s"<>\\]*)?$/i,
  // Google writes base64url without padding, and Python adds line breaks.
  byte: /^[\w+/\r\n-]*={0,2}[\r\n]*$/,
  // The `url` of ajv-formats refuses private hosts.
  url: true,
};
