import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  enginePackageName,
  type Platform,
  programFileIn,
} from '../../server/src/native/platform-package.ts';

export interface EngineStage {
  root: string;
  folder: string;
  platform: Platform;
  /** The built programs, by their names. */
  programs: Readonly<Record<string, string>>;
  /** The file with the licences of what is linked into them. */
  licences: string;
}

/** Lays out the package with our programs for one platform: npm installs it on that platform only. */
export function stageEnginePackage({
  root,
  folder,
  platform,
  programs,
  licences,
}: EngineStage): void {
  for (const [name, file] of Object.entries(programs)) {
    const target = programFileIn(folder, name, platform);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(file, target);
    chmodSync(target, 0o755);
  }
  copyFileSync(licences, path.join(folder, path.basename(licences)));
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  const server = readFileSync(path.join(root, 'server/package.json'), 'utf8');
  const { version, license } = JSON.parse(server) as { version: string; license: string }; // our own file
  const { os, cpu } = platform;
  const name = enginePackageName(platform);
  const description = `The embedded engine of Agent Runtime and its program for images, for ${os}-${cpu}`;
  const manifest = {
    name,
    version,
    description,
    license,
    os: [os],
    cpu: [cpu],
    files: ['bin', 'LICENSES-*.txt'],
  };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
