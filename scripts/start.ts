// `npm start`: gets what is missing, each once, and serves the example agents on this machine.
// Words after it go to `service serve` and win over those given here.
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { exampleSteps } from './example-steps.ts';
import { preparePython } from './python-env.ts';
import { buildStudio, isStudioFresh } from './studio.ts';

const root = path.resolve(import.meta.dirname, '..');
const examples = path.join(root, 'examples');

// Halves the time that loading our own modules takes, from the second start on: so they are imported after it.
enableCompileCache(path.join(root, '.cache/compile'));
const { main } = await import('../server/src/cli/main.ts');
const { communityKey } = await import('../server/src/license/verify-license.ts');

/** npm ends on a signal without waiting for what it started: then the service must not stay behind. */
function stopWithParent(): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}

/** `npm start` never asks for a key (decisions: licence key). */
function withLicenseKey(): NodeJS.ProcessEnv {
  const { SERVICE_LICENSE_KEY, SERVICE_LICENSE_KEY_FILE } = process.env;
  const hasKey = SERVICE_LICENSE_KEY !== undefined || SERVICE_LICENSE_KEY_FILE !== undefined;
  return hasKey ? process.env : { ...process.env, SERVICE_LICENSE_KEY: communityKey() };
}

/** As in the desktop: enough to go back and fork. */
const history = { SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: '50' };

stopWithParent();
// The folder where the service looks for an agent folder's interpreter.
preparePython({
  folder: path.join(examples, '.venv'),
  requirements: [path.join(examples, 'requirements.txt')],
});
if (!isStudioFresh()) {
  console.log('The studio: building it, which takes some seconds');
  // Without it everything else works: GET /studio/ then responds with what is missing.
  if (!buildStudio())
    console.error('The studio could not be built; the service starts all the same.');
}
if (!process.argv.some((word) => word.startsWith('--sandbox')))
  console.log('The agents are plain processes; in containers: npm start -- --sandbox docker');
const flags = ['--sandbox', 'none', '--api-addr', '127.0.0.1:8090', ...process.argv.slice(2)];
// Handles of libraries must not keep a finished command alive.
process.exit(
  await main(['serve', examples, ...flags], {
    environment: { ...history, ...withLicenseKey() },
    nextSteps: exampleSteps,
  }),
);
