import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { agentsDir } from './guest-process.ts';

const cache = fileURLToPath(new URL('../../../../.cache/agent-environments', import.meta.url));
const installMs = 240_000;

/** A folder with the tests' agents beside packages of these releases (`name@release`), kept in .cache. */
export async function agentFolder(packages: readonly string[]): Promise<string> {
  const about = [process.version, ...packages.toSorted()].join('\n');
  const hash = createHash('sha256').update(about).digest('hex').slice(0, 16);
  const folder = join(cache, `js-${hash}`);
  const stamp = join(folder, '.made');
  if (!existsSync(stamp)) {
    await rm(folder, { recursive: true, force: true }); // a half-made one
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
    await promisify(execFile)('npm', install, { cwd: folder, timeout: installMs });
    await writeFile(stamp, '');
  }
  const agents = join(folder, 'agents');
  await rm(agents, { recursive: true, force: true });
  await cp(agentsDir, agents, { recursive: true });
  return agents;
}
