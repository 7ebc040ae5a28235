import { existsSync } from 'node:fs';
import path from 'node:path';

/** Paths of the parts that are not bundled: in a checkout, or next to the packaged application. */
export interface Installation {
  /** The entry of the compiled server package. */
  readonly serverEntry: string;
  /** Absent where none was built: then the server finds one. */
  readonly engine?: string;
  /** The example agents, which are read from here only to be copied. */
  readonly examples: string;
}

/** Finds the server package and the engine; `built` is the folder that Vite builds into. */
export function findInstallation(options: {
  isPackaged: boolean;
  resources: string;
  built: string;
}): Installation {
  const { isPackaged, resources, built } = options;
  // `npm run build:desktop` lays a checkout out like a package.
  const base = isPackaged ? resources : path.resolve(built, '../../.cache/desktop');
  const program = process.platform === 'win32' ? 'engine.exe' : 'engine';
  const engine = path.join(base, 'engine', `${process.platform}-${process.arch}`, program);
  return {
    serverEntry: path.join(base, 'server/dist/index.js'),
    examples: path.join(base, 'examples'),
    ...(isPackaged || existsSync(engine) ? { engine } : {}),
  };
}
