// `npm start`: gets what is missing, each once, and serves the example agents on this machine.
// Words after it go to `service serve` and win over those given here.
import { fileURLToPath } from 'node:url';
import { main } from '../server/src/cli/main.ts';
import { ensurePythonEnvironment } from '../server/src/guest/python-env.ts';
import { communityKey } from '../server/src/license/verify-license.ts';
import { exampleSteps } from './example-steps.ts';

const examples = fileURLToPath(new URL('../examples', import.meta.url));
const installerNoise = /^\s|^(?:Collecting|Requirement already|Using cached|\[notice\])/;

function userEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry) => entry[1] !== undefined);
  // The filter above leaves strings.
  return Object.fromEntries(entries) as Record<string, string>;
}

function showProgress(line: string): void {
  if (!installerNoise.test(line)) console.error(line.length > 100 ? `${line.slice(0, 99)}…` : line);
}

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

async function prepareExamples(): Promise<void> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    await ensurePythonEnvironment(examples, {
      environment: userEnvironment(),
      signal: stop.signal,
      onProgress: showProgress,
    });
  } catch (error) {
    if (stop.signal.aborted) process.exit(130);
    console.error(`Error: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

stopWithParent();
await prepareExamples();
const { SERVICE_LICENSE_KEY, SERVICE_LICENSE_KEY_FILE } = process.env;
const hasKey = SERVICE_LICENSE_KEY !== undefined || SERVICE_LICENSE_KEY_FILE !== undefined;
const flags = ['--sandbox', 'none', '--api-addr', '127.0.0.1:8090', ...process.argv.slice(2)];
process.exit(
  await main(['serve', examples, ...flags], {
    environment: hasKey ? process.env : { ...process.env, SERVICE_LICENSE_KEY: communityKey() },
    nextSteps: exampleSteps,
  }),
);
