import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

import { makeMark } from './guest-mark.ts';
import { forAbandonedFolders, makeOwnedFolder } from './owned-folder.ts';

it('is removed for a process that is gone, and for no other', async () => {
  const prefix = `owned-${process.pid}-`;
  const living = await makeOwnedFolder(prefix);
  // A service that is just starting.
  const young = mkdtempSync(path.join(tmpdir(), prefix));
  const lost = await makeOwnedFolder(prefix);
  // No process has this number.
  writeFileSync(path.join(lost, 'owner'), makeMark().replace(/^\d+\/[^/]+/, '4194304/1'));
  await forAbandonedFolders(prefix, (folder) => rm(folder, { recursive: true }));
  expect([living, young, lost].map((folder) => existsSync(folder))).toEqual([true, true, false]);
  for (const folder of [living, young]) rmSync(folder, { recursive: true });
});
