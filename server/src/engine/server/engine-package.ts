import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { executableName } from './engine-binary.ts';

/** A platform as Node and npm name it. */
export interface Platform {
  /** As `process.platform` and the `os` field of a package. */
  os: string;
  /** As `process.arch` and the `cpu` field of a package. */
  cpu: string;
}

/** The npm package that holds the engine for a platform; the server package depends on it optionally. */
export function enginePackageName({ os, cpu }: Platform): string {
  return `@agent-runtime/engine-${os}-${cpu}`;
}

/** Where the program lies in its package. */
export function engineFileIn(packageFolder: string, { os }: Pick<Platform, 'os'>): string {
  return path.join(packageFolder, 'bin', executableName('engine', os));
}

/** The engine of this platform's package, as a file of ours finds it; undefined: it is not installed. */
export function installedEngine(requiredFrom: string): string | undefined {
  const platform: Platform = { os: process.platform, cpu: process.arch };
  let manifest: string;
  try {
    manifest = createRequire(requiredFrom).resolve(`${enginePackageName(platform)}/package.json`);
  } catch {
    return undefined;
  }
  const file = engineFileIn(path.dirname(manifest), platform);
  return existsSync(file) ? file : undefined;
}
