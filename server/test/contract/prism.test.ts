import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, inject, it } from 'vitest';
import { waitUntil } from '../fixtures/wait-until.ts';
import type {} from '../spec/global-setup.ts';
import { startJudgingFront } from './judging-front.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const bin = (name: string): string => `${root}node_modules/${name}`;
/** The suite takes a minute on a machine of its own, and on one that is busy whatever it takes. */
const LIMIT_MS = 1_800_000;
/** A suite that has no test end for so long hangs: longer than a test and its service's start may take. */
const SILENCE_LIMIT_MS = 400_000;
const FEWEST_EXCHANGES = 500;

const closings: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

it(
  'keeps its document throughout the suite of the specification',
  { timeout: LIMIT_MS },
  async ({ onTestFailed }) => {
    const service = inject('serviceUrl');
    const front = await startJudgingFront(await startProxy(service), service);
    closings.push(() => front.close());
    // Verbose: every test says when it is done.
    const words = ['run', '--project', 'spec', '--reporter', 'verbose'];
    const suite = run([bin('vitest/vitest.mjs'), ...words], { SERVICE_URL: front.url });
    onTestFailed(() => void process.stdout.write(`The suite wrote:\n${suite.output()}\n`));
    const silence = setTimeout(() => suite.child.kill(), SILENCE_LIMIT_MS);
    suite.child.stdout.on('data', () => silence.refresh());
    closings.push(() => {
      clearTimeout(silence);
      suite.child.kill();
    });
    const [code] = await once(suite.child, 'close');
    if (code !== 0) throw new Error('The suite failed behind the proxy, or fell silent.');
    expect(front.violations()).toEqual([]);
    expect(front.judged()).toBeGreaterThan(FEWEST_EXCHANGES);
  },
);

/** The validating proxy before the service; answers its address. */
async function startProxy(service: string): Promise<string> {
  const document = `${root}server/openapi.json`;
  const program = bin('@stoplight/prism-cli/dist/index.js');
  const words = ['proxy', document, service, '--port', '0', '--host', '127.0.0.1', '--no-cors'];
  const proxy = run([program, ...words], {});
  closings.push(async () => {
    proxy.child.kill();
    if (proxy.child.exitCode === null) await once(proxy.child, 'close');
  });
  const listening = /listening on (http:\/\/127\.0\.0\.1:\d+)/;
  await waitUntil('the proxy listens', 60_000, () => listening.test(proxy.output()));
  const [, address = ''] = listening.exec(proxy.output()) ?? [];
  return address;
}

function run(words: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      text = `${text}${String(bytes)}`.slice(-1_000_000);
    });
  }
  return { child, output: () => text };
}
