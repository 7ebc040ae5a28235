import { pathToFileURL } from 'node:url';

/** Failures of linking, before any module of the agent has run: the import can be tried again by other means. */
const linkFailures = new Set([
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_UNSUPPORTED_DIR_IMPORT',
]);

let registration: Promise<unknown> | undefined;

/**
 * Imports an agent's module. Node strips types by itself; only where that is not enough (enums, path aliases,
 * `./x.js` for `./x.ts`, JSX, an older Node) tsx is registered, which costs a process and a slower start.
 */
export async function importAgentModule(
  file: string,
  tsxPath: string | undefined,
): Promise<Record<string, unknown>> {
  const url = pathToFileURL(file).href;
  if (registration !== undefined) await registration;
  try {
    return (await import(url)) as Record<string, unknown>; // a module namespace
  } catch (error) {
    if (registration !== undefined || !/\.[mc]?tsx?$/.test(file) || !isLinkFailure(error))
      throw error;
  }
  registration = import(tsxPath === undefined ? 'tsx' : pathToFileURL(tsxPath).href);
  await registration;
  return (await import(url)) as Record<string, unknown>; // as above
}

function isLinkFailure(error: unknown): boolean {
  // A named import that is only a type is a SyntaxError of linking without a code.
  if (error instanceof SyntaxError) return true;
  return error instanceof Error && 'code' in error && linkFailures.has(String(error.code));
}
