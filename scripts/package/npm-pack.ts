import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** Packs a folder with npm; returns the tarball. */
export function npmPack(folder: string, out: string): string {
  const { status, stdout, stderr } = npm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', out],
    folder,
  );
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const [packed] = JSON.parse(stdout) as { filename: string }[]; // what npm prints with --json
  if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`);
  return path.join(out, packed.filename);
}

/** npm itself, as a script of the Node that runs this one where npm's environment names it. */
function npm(args: readonly string[], cwd: string) {
  const script = process.env['npm_execpath'];
  const options = { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  if (script?.endsWith('.js') === true) {
    return spawnSync(process.execPath, [script, ...args], options);
  }
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}
