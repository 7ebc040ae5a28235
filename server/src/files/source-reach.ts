/*
 * What an agent folder may name of this machine, and how its files are read: without following links out of it.
 */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** The setting for further folders that the manifest of a sandboxed agent may refer to. */
export const REACH_SETTING = 'guest.source_folders';

/**
 * The folders of this machine that an agent folder may refer to for its sandbox: itself, the repository around it, and
 * those that the user allows. Otherwise the agents' author could open any folder to them.
 */
export function reachOf(agentFolder: string, allowed: readonly string[]): readonly string[] {
  const real = realpathSync(agentFolder);
  const repository = repositoryAround(real);
  const others = allowed.filter((folder) => existsSync(folder)).map((one) => realpathSync(one));
  return [real, ...(repository === undefined ? [] : [repository]), ...others];
}

/** True for a real path that is one of the folders or below one of them. */
export function isReached(real: string, reach: readonly string[]): boolean {
  return reach.some((folder) => {
    const relative = path.relative(folder, real);
    return !/^\.\.([\\/]|$)/.test(relative) && !path.isAbsolute(relative);
  });
}

/** The end of a message that begins with the name of something outside. */
export function outsideReach(named: string): string {
  return `${named} is outside of the agent folder and of its git repository, which a sandbox does not open; allow its folder with ${REACH_SETTING}, or use --sandbox none.`;
}

/** The nearest folder with `.git`; none if that is the home folder (dotfiles) or a parent of it. */
function repositoryAround(folder: string): string | undefined {
  const home = existsSync(homedir()) ? realpathSync(homedir()) : undefined;
  for (let above = folder; path.dirname(above) !== above; above = path.dirname(above)) {
    if (home !== undefined && isReached(home, [above])) return undefined;
    if (existsSync(path.join(above, '.git'))) return above;
  }
  return undefined;
}
