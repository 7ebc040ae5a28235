import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** A platform as Node and npm name it. */
export interface Platform {
  /** As `process.platform` and the `os` field of a package. */
  os: string;
  /** As `process.arch` and the `cpu` field of a package. */
  cpu: string;
}

/** The platform of this process. */
export function thisPlatform(): Platform {
  return { os: process.platform, cpu: process.arch };
}

/** The file name of a program on a platform, by default on this one. */
export function executableName(name: string, platform: string = process.platform): string {
  return platform === 'win32' ? `${name}.exe` : name;
}

/** The npm package with our programs for a platform; the server package depends on it optionally. */
export function enginePackageName({ os, cpu }: Platform): string {
  return `@agent-runtime/engine-${os}-${cpu}`;
}

/** The path of a program in its package. */
export function programFileIn(
  packageFolder: string,
  name: string,
  { os }: Pick<Platform, 'os'>,
): string {
  return path.join(packageFolder, 'bin', executableName(name, os));
}

/** A program of this platform's package, resolved from `requiredFrom`; undefined: it is not installed. */
export function installedProgram(name: string, requiredFrom: string): string | undefined {
  const platform = thisPlatform();
  let manifest: string;
  try {
    manifest = createRequire(requiredFrom).resolve(`${enginePackageName(platform)}/package.json`);
  } catch {
    return undefined;
  }
  const file = programFileIn(path.dirname(manifest), name, platform);
  return existsSync(file) ? file : undefined;
}
