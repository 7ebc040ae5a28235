// The Node that comes with the package, for commands that an older one starts: of a global installation, the machine's.
// Plain JavaScript that any Node understands.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const POLL_MS = 500;

/** Runs this command again on the Node that npm installed beside the package; false: there is none. */
export function runOnBroughtNode() {
  const node = broughtNode();
  if (node === undefined) return false;
  const args = ['--max-semi-space-size=4', ...process.argv.slice(1)];
  const child = spawn(node, args, {
    stdio: 'inherit',
    env: { ...process.env, SERVICE_STARTED_BY: String(process.pid) },
  });
  // Of a terminal both get Ctrl+C; the command takes what comes twice within a moment for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('error', (error) => {
    process.stderr.write(`Error: ${node} cannot be started: ${error.message}.\n`);
    process.exit(2);
  });
  child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 137)));
  return true;
}

/** Stops this command in order when the one that started it is gone, killed ones included. */
export function endWithStarter() {
  const starter = Number(process.env['SERVICE_STARTED_BY']);
  delete process.env['SERVICE_STARTED_BY'];
  const watch = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  watch.unref();
}

function broughtNode() {
  const os = process.platform === 'win32' ? 'win' : process.platform;
  const { resolve } = createRequire(import.meta.url);
  try {
    const manifest = resolve(`node-${os}-${process.arch}/package.json`);
    return join(dirname(manifest), 'bin', os === 'win' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
}
