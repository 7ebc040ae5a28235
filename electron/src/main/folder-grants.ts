import path from 'node:path';
import { DesktopFailure } from './desktop-failure.ts';
import type { RecentFolders } from './recent-folders.ts';

/** The folders that a person has named: code in a served folder runs as this user, and a page could name any folder. */
export interface FolderGrants {
  /** It was chosen in the dialog, or named on the command line. */
  grant(folder: string): void;
  /** The absolute path of a folder that the page names; throws when no person has named it. */
  requireGranted(folder: string): string;
}

/** Those of this session, and the recent ones. */
export function createFolderGrants(recent: Pick<RecentFolders, 'list'>): FolderGrants {
  const granted = new Set<string>();
  return {
    grant: (folder) => void granted.add(path.resolve(folder)),
    requireGranted(folder) {
      const absolute = path.resolve(folder);
      if (!granted.has(absolute) && !recent.list().some((one) => one.path === absolute)) {
        throw new DesktopFailure('not_possible', `Open ${absolute} with "Open folder" first.`);
      }
      // Also once it is no longer in the list.
      granted.add(absolute);
      return absolute;
    },
  };
}
