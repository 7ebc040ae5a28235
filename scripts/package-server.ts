// `npm run package:server`: packs the headless server and its programs into release/, as tarballs that npm installs.
// `--platform linux-arm64` (repeatable) packs those of other platforms too; `--out <folder>` puts all elsewhere.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildEngine } from '../server/src/engine/server/build-engine.ts';
import { buildImages, imagesLicences } from '../server/src/images/find-program.ts';
import { stageEnginePackage } from './package/engine-package.ts';
import { npmPack } from './package/npm-pack.ts';
import { ownPlatform, parsePlatform } from './package/platforms.ts';
import { stageServerPackage } from './package/server-package.ts';

const root = path.resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true, default: [] },
    out: { type: 'string', default: 'release' },
  },
});
const named = values.platform.map(parsePlatform);
const platforms = named.length > 0 ? named : [ownPlatform()];
const out = path.resolve(values.out);
const staging = path.join(root, '.cache/package', String(process.pid));
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

function report(file: string): void {
  const megabytes = statSync(file).size / 1e6;
  console.log(`${path.relative(process.cwd(), file)}  ${megabytes.toFixed(1)} MB`);
}

try {
  mkdirSync(out, { recursive: true });
  for (const platform of platforms) {
    const options = {
      checkout: root,
      platform,
      signal: interrupted.signal,
      onProgress: (message: string) => console.error(`package:server: ${message}`),
    };
    const engine = await buildEngine(options);
    const images = await buildImages(options);
    const folder = path.join(staging, `engine-${platform.os}-${platform.cpu}`);
    const licences = path.join(path.dirname(images), imagesLicences);
    stageEnginePackage({ root, folder, platform, programs: { engine, images }, licences });
    report(npmPack(folder, out));
  }
  const folder = path.join(staging, 'server');
  await stageServerPackage({ root, folder, platforms });
  report(npmPack(folder, out));
} finally {
  rmSync(staging, { recursive: true, force: true });
}
