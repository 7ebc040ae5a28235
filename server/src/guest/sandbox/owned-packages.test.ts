import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { folderSize } from './folder-size.ts';
import { removeMade } from './owned-packages.ts';

/** Root may enter every folder. */
const UNPRIVILEGED_UID = 65_534;
const isRoot = process.geteuid?.() === 0;

let scratch = '';
let made = '';
beforeEach(() => {
  if (isRoot) process.seteuid?.(UNPRIVILEGED_UID);
  scratch = mkdtempSync(path.join(tmpdir(), 'remove-made-'));
  made = path.join(scratch, 'made');
  mkdirSync(path.join(made, 'closed/inner'), { recursive: true });
});
afterEach(() => {
  if (isRoot) process.seteuid?.(0);
  rmSync(scratch, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('a folder that its maker has closed', () => {
  it.each([0o000, 0o300, 0o500])('with the mode %i is removed', async (mode) => {
    chmodSync(path.join(made, 'closed'), mode);
    await removeMade(made);
    expect(existsSync(made)).toBe(false);
  });

  it('is removed without what its links lead to', async () => {
    const other = path.join(scratch, 'other');
    mkdirSync(other, { mode: 0o500 });
    symlinkSync(other, path.join(made, 'link'));
    chmodSync(path.join(made, 'closed'), 0o300);
    await removeMade(made);
    expect(existsSync(made)).toBe(false);
    expect(statSync(other).mode & 0o777).toBe(0o500);
  });

  it('is in no bounds', async () => {
    chmodSync(path.join(made, 'closed'), 0o300);
    expect(await folderSize(made, 1_000_000)).toBe(Infinity);
    chmodSync(path.join(made, 'closed'), 0o700);
    expect(await folderSize(made, 1_000_000)).toBeLessThan(1_000_000);
  });
});
