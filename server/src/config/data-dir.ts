import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { Environment } from './resolve-settings.ts';

/** A short stable name for an agent folder, from its real path, or for an image. */
export function folderHash(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 12);
}

function userFolder(
  environment: Environment,
  kind: { xdg: string; unix: string; mac: string; windows: string },
): string {
  const home = homedir();
  if (process.platform === 'win32') {
    return environment[kind.windows] ?? join(home, 'AppData', 'Local');
  }
  if (process.platform === 'darwin') return join(home, 'Library', kind.mac);
  const named = environment[kind.xdg];
  // The XDG specification requires that relative paths are ignored.
  return named?.startsWith('/') === true ? named : join(home, kind.unix);
}

/** The service's directory for one agent folder or image (decisions: Service, data). */
export function dataDirOf(identity: string, environment: Environment): string {
  const root = userFolder(environment, {
    xdg: 'XDG_DATA_HOME',
    unix: '.local/share',
    mac: 'Application Support',
    windows: 'LOCALAPPDATA',
  });
  return join(root, 'agent-runtime', `${basename(identity)}-${folderHash(identity)}`);
}

/** The service's directory for user-wide files, such as the licence key. */
export function userConfigDir(environment: Environment): string {
  const root = userFolder(environment, {
    xdg: 'XDG_CONFIG_HOME',
    unix: '.config',
    mac: 'Application Support',
    windows: 'APPDATA',
  });
  return join(root, 'agent-runtime');
}

/** The operating system's cache directory of the user, shared by all programs. */
export function systemCacheDir(environment: Environment): string {
  return userFolder(environment, {
    xdg: 'XDG_CACHE_HOME',
    unix: '.cache',
    mac: 'Caches',
    windows: 'LOCALAPPDATA',
  });
}

/** The service's cache directory, shared by all agent folders of the user. */
export function userCacheDir(environment: Environment): string {
  const root = systemCacheDir(environment);
  // On Windows caches and data share a root directory.
  return join(root, 'agent-runtime', ...(process.platform === 'win32' ? ['cache'] : []));
}
