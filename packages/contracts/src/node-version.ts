// Fails on a version of Node that is too old. Every entry point of this package imports this file
// first, so that an old Node fails with this message instead of the name of something it lacks.

/** Version of Node, or undefined in other environments, such as a browser. */
const node: string | undefined = globalThis.process?.versions?.node;
const [major = 0, minor = 0] = node?.split('.').map(Number) ?? [];
if (node !== undefined && (major < 22 || (major === 22 && minor < 19)))
  throw new Error(`Gatehouse needs Node 22.19 or newer, but this is Node ${node}.`);
