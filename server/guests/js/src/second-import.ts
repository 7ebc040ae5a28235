/*
 * TypeScript that Node cannot link is tried again under tsx. Node keeps a failed link for good, so what the attempt
 * touched gets a second address (`second-import.ts`); packages and modules that other agents have loaded stay one
 * copy.
 */
import * as nodeModule from 'node:module';

/** Which modules a failed import has touched, and the other address under which they are imported once more. */
export interface SecondImport {
  /** The modules that were imported since the last call are whole: they keep their address. */
  settle(): void;
  /** Those that were imported since are imported anew the next time. */
  giveUp(): void;
  /** Ends the watch, unless a module has another address now. */
  close(): void;
}

/**
 * Node keeps a module whose import could not be linked, and with it the failure: the same address fails the same way
 * for good, also after other loaders are registered. So each module of an agent that the failed attempt touched gets a
 * second address, the same one for every importer. Packages keep theirs, and so do modules that other
 * agents have imported already: of both there must be one copy. Nothing is done where Node has no hooks of this kind
 * (before 22.15): it does not strip types by itself there, so no import fails that late.
 */
export function watchImports(): SecondImport {
  const settled = new Set<string>();
  const touched = new Set<string>();
  const moved = new Set<string>();
  const { registerHooks } = nodeModule as Partial<typeof nodeModule>; // see above
  const hooks = registerHooks?.({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      const { url } = found;
      if (!url.startsWith('file:') || url.includes('/node_modules/')) return found;
      touched.add(url);
      return moved.has(url) ? { ...found, url: secondAddress(url) } : found;
    },
  });
  return {
    settle() {
      for (const url of touched) settled.add(url);
      touched.clear();
    },
    giveUp() {
      for (const url of touched) if (!settled.has(url)) moved.add(url);
      touched.clear();
    },
    close() {
      if (moved.size === 0) hooks?.deregister();
    },
  };
}

function secondAddress(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}again`;
}
