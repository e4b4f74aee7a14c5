export class InvalidSchema extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

const MAX_SHOWN = 60;

export function quoteValue(value: unknown): string {
  const text = JSON.stringify(value);
  return `\`${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}\``;
}
