// `node scripts/make-icons.ts`: draws resources/icon.png from resources/icon.svg with a Chromium; run when the drawing changes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const side = 1024;
const resources = path.resolve(import.meta.dirname, '../resources');
const chromium = process.env['CHROMIUM'] ?? 'chromium';
const profile = mkdtempSync(path.join(tmpdir(), 'icon-'));
const words = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  `--user-data-dir=${profile}`,
  `--window-size=${side},${side}`,
  '--default-background-color=00000000',
  `--screenshot=${path.join(resources, 'icon.png')}`,
  pathToFileURL(path.join(resources, 'icon.svg')).href,
];
try {
  const { status, stderr } = spawnSync(chromium, words, { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) throw new Error(`${chromium} ended with code ${status}: ${stderr}`);
} finally {
  rmSync(profile, { recursive: true, force: true });
}
