import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** How a user says which other folders the manifest of a sandboxed agent may name. */
export const REACH_SETTING = 'guest.source_folders';

/**
 * The folders of this machine that an agent folder may name for its sandbox: itself, the repository around it, and those
 * that the user allows. What is outside would be opened to the agents by nobody but their own author.
 */
export function reachOf(agentFolder: string, allowed: readonly string[]): readonly string[] {
  const real = realpathSync(agentFolder);
  const repository = repositoryAround(real);
  const others = allowed.filter((folder) => existsSync(folder)).map((one) => realpathSync(one));
  return [real, ...(repository === undefined ? [] : [repository]), ...others];
}

/** True for a real path in or below one of the folders. */
export function isReached(real: string, reach: readonly string[]): boolean {
  return reach.some((folder) => {
    const relative = path.relative(folder, real);
    return !/^\.\.([\\/]|$)/.test(relative) && !path.isAbsolute(relative);
  });
}

/** Behind the name of what is outside. */
export function outsideReach(named: string): string {
  return `${named} is outside of the agent folder and of its git repository, which a sandbox does not open; allow its folder with ${REACH_SETTING}, or use --sandbox none.`;
}

/** The nearest folder with `.git`; none where that is the home folder (dotfiles) or one above it. */
function repositoryAround(folder: string): string | undefined {
  const home = existsSync(homedir()) ? realpathSync(homedir()) : undefined;
  for (let place = folder; path.dirname(place) !== place; place = path.dirname(place)) {
    if (home !== undefined && isReached(home, [place])) return undefined;
    if (existsSync(path.join(place, '.git'))) return place;
  }
  return undefined;
}
