import * as nodeModule from 'node:module';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { served } from './served-versions.ts';

/** A copy of LangGraph in one of its two builds. */
export interface Copy {
  directory: string;
  isCommonJs: boolean;
}

/** Which copies of LangGraph the modules have been given that were imported meanwhile. */
export interface CopyWatch {
  /** Since the last call. */
  take(): Copy[];
  /** Since the watch began. */
  all(): Copy[];
  close(): void;
}

const folder = `/node_modules/${served.package}/`;

/**
 * An agent need not see the copy that made its graph: a package of its workspace may bring another one. Where Node
 * has no hooks of this kind (before 22.15) no copies are known.
 */
export function watchCopies(): CopyWatch {
  const all = new Map<string, Copy>();
  let recent = new Map<string, Copy>();
  const { registerHooks } = nodeModule as Partial<typeof nodeModule>; // see above
  const hooks = registerHooks?.({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const end = resolved.url.startsWith('file:') ? resolved.url.lastIndexOf(folder) : -1;
      // Its own modules ask for each other by relative names: those are not of the agent's modules.
      if (end === -1 || specifier.startsWith('.')) return resolved;
      const directory = fileURLToPath(resolved.url.slice(0, end + folder.length - 1));
      const copy = { directory, isCommonJs: resolved.url.endsWith('.cjs') };
      for (const known of [all, recent]) if (!known.has(directory)) known.set(directory, copy);
      return resolved;
    },
  });
  return {
    take() {
      const taken = [...recent.values()];
      recent = new Map();
      return taken;
    },
    all: () => [...all.values()],
    close: () => hooks?.deregister(),
  };
}

/** The folder of the copy that a module sees: Node's own rule is this walk upwards. Undefined where there is none. */
export function findCopy(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', served.package);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === parse(folder).root) return undefined;
  }
}
