/**
 * Limit for `max_bytes`. MCP hosts read lines of at most 10 MiB, and a body can take 4.4 times as
 * many bytes in a tool result: `1e20` becomes 21 digits, and a quote in a string needs an escape.
 */
export const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
