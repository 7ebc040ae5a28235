import { pathToFileURL } from 'node:url';
import { watchImports } from './second-import.ts';

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

export interface AgentImporter {
  /** Imports an agent's module. */
  import(file: string): Promise<Record<string, unknown>>;
  /** After the last agent. */
  close(): void;
}

/**
 * Node strips types by itself; only where that is not enough (enums, path aliases, `./x.js` for `./x.ts`, a type
 * among the imported names, JSX, an older Node) tsx is registered, which costs a process and a slower start.
 */
export function openAgentImporter(tsxPath: string | undefined): AgentImporter {
  const watch = watchImports();
  let isRegistered = false;
  const importModule = async (url: string): Promise<Record<string, unknown>> => {
    const module = (await import(url)) as Record<string, unknown>; // a module namespace
    watch.settle();
    return module;
  };
  return {
    async import(file) {
      const url = pathToFileURL(file).href;
      try {
        return await importModule(url);
      } catch (error) {
        if (isRegistered || !/\.(?:[mc]?ts|[jt]sx)$/.test(file) || !isLinkFailure(error))
          throw error;
      }
      watch.giveUp();
      isRegistered = true;
      await import(tsxPath === undefined ? 'tsx' : pathToFileURL(tsxPath).href);
      return await importModule(url);
    },
    close: () => watch.close(),
  };
}

function isLinkFailure(error: unknown): boolean {
  // A named import that is only a type is a SyntaxError of linking without a code.
  if (error instanceof SyntaxError) return true;
  return error instanceof Error && 'code' in error && linkFailures.has(String(error.code));
}
