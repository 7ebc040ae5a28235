import { existsSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { RecentFolder } from '../ipc/contract.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const maxEntries = 12;

const fileSchema = z.array(z.object({ path: z.string(), openedAt: z.number() }));

/** The folders that were opened, newest first. */
export interface RecentFolders {
  list(): RecentFolder[];
  add(folder: string): void;
  forget(folder: string): void;
}

/** Opens the list of a profile; one that cannot be read is empty. */
export function openRecentFolders(profile: string): RecentFolders {
  const file = path.join(profile, 'recent-folders.json');
  let entries = fileSchema.safeParse(readJsonFile(file)).data ?? [];

  function write(next: typeof entries): void {
    entries = next.slice(0, maxEntries);
    writeJsonFile(file, entries);
  }

  return {
    list: () =>
      entries.map((entry) => ({
        ...entry,
        name: path.basename(entry.path),
        exists: existsSync(entry.path),
      })),
    add(folder) {
      const others = entries.filter((entry) => entry.path !== folder);
      write([{ path: folder, openedAt: Date.now() }, ...others]);
    },
    forget: (folder) => write(entries.filter((entry) => entry.path !== folder)),
  };
}
