#!/usr/bin/env -S node --max-semi-space-size=4
// The flag: V8's young generation otherwise grows to 50 MB that an idle service never gives back (docs/performance.md).
// Plain JavaScript that any Node understands: it has to say so when this one is too old.
import { existsSync } from 'node:fs';
import * as module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isTooOld = major < 22 || (major === 22 && minor < 12);
const source = new URL('../src/cli/main.ts', import.meta.url);
const built = new URL('../dist/cli/main.js', import.meta.url);
const isCheckout = existsSync(source);

if (isTooOld) {
  const { runOnBroughtNode } = await import('./brought-node.js');
  const isRunning = !isCheckout && runOnBroughtNode();
  if (!isRunning) {
    const remedy = isCheckout ? '; "npx service" brings a newer one' : '';
    process.stderr.write(
      `Error: Agent Runtime needs Node 22.12 or newer, and this is ${process.versions.node}${remedy}.\n`,
    );
    process.exitCode = 2;
  }
} else if (isCheckout && !process.features.typescript) {
  process.stderr.write(
    'Error: From a checkout this needs Node 24; start it with "npx service", which brings it.\n',
  );
  process.exitCode = 2;
} else {
  if (process.env['SERVICE_STARTED_BY'] !== undefined) {
    const { endWithStarter } = await import('./brought-node.js');
    endWithStarter();
  }
  // Halves the time that loading our own modules takes, from the second start on.
  module.enableCompileCache?.();
  const { main } = await import((isCheckout ? source : built).href);
  // Handles of libraries must not keep a finished command alive.
  process.exit(await main(process.argv.slice(2)));
}
