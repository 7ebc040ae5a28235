import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

import { withWatchedThreads } from './watched-thread.ts';

const require = createRequire(import.meta.url);

/** Runs code in a context of its own, as the SDK does with workflow code, and posts how it ended. */
function threadRunning(code: string): () => Promise<Worker> {
  const source = `
    const vm = require('node:vm');
    const { parentPort } = require('node:worker_threads');
    const script = new vm.Script(${JSON.stringify(code)});
    parentPort.postMessage(script.runInContext(vm.createContext({}), { timeout: 1 }));`;
  // As the SDK does: the class is looked up when it is used.
  const threads = require('node:worker_threads') as { Worker: typeof Worker };
  return async () => new threads.Worker(source, { eval: true });
}

it('terminates a thread whose workflow code does not return', async () => {
  const watched = await withWatchedThreads(threadRunning('for (;;);'), {
    limitMs: 200,
    lookEveryMs: 20,
  });
  expect(watched.count).toBe(1);
  await once(watched.made, 'exit');
  expect(watched.hasHung()).toBe(true);
});

it('leaves a thread alone that takes longer than the limit in several calls', async () => {
  const code = 'const end = Date.now() + 30; while (Date.now() < end); 42';
  const watched = await withWatchedThreads(threadRunning(code), { limitMs: 5_000, lookEveryMs: 5 });
  // Both events may come at once.
  const [message] = await Promise.all([once(watched.made, 'message'), once(watched.made, 'exit')]);
  // The call has a time limit of 1 ms, which does not apply.
  expect(message).toEqual([42]);
  expect(watched.hasHung()).toBe(false);
  watched.close();
});

it('collects the garbage of a thread when it is asked to', async () => {
  const source = `
    const { parentPort } = require('node:worker_threads');
    const garbage = new WeakRef(new Array(1_000));
    parentPort.on('message', () => parentPort.postMessage(garbage.deref() === undefined));`;
  const threads = require('node:worker_threads') as { Worker: typeof Worker };
  const watched = await withWatchedThreads(async () => new threads.Worker(source, { eval: true }));
  const isCollected = async (): Promise<unknown> => {
    watched.made.postMessage('look');
    const [answer] = (await once(watched.made, 'message')) as unknown[];
    return answer;
  };
  expect(await isCollected()).toBe(false);
  watched.collectGarbage();
  await expect.poll(isCollected).toBe(true);
  await watched.made.terminate();
  watched.close();
});

it.each([
  [
    'threaded-vm.js',
    /new node_worker_threads_1\.Worker\(require\.resolve\('\.\/workflow-worker-thread'\)\)/,
  ],
  ['reusable-vm.js', /\.runInContext\(context, \{\s*timeout: isolateExecutionTimeoutMs,/],
  ['vm-shared.js', /node_v8_1\.default\.promiseHooks\.createHook\(/],
  ['reusable-vm.js', /new node_vm_1\.default\.Script\(`__TEMPORAL_CALL_INTO_SCOPE\(\)`\)/],
  ['reusable-vm.js', /const \[holder, fn, args\] = globalThis\.__temporal_args;/],
  ['reusable-vm.js', /globalThis\.__TEMPORAL_BAG_HOLDER__ = holder;/],
])('the SDK still does what the preload replaces: %s', (file, pattern) => {
  const folder = require.resolve('@temporalio/worker').replace(/index\.js$/, 'workflow/');
  expect(readFileSync(folder + file, 'utf8')).toMatch(pattern);
});

it('the SDK sets no other global variable that differs between workflows', () => {
  const folder = dirname(require.resolve('@temporalio/workflow'));
  const code = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  const names = [...code.matchAll(/\bglobal(?:This)?\.(\w+) = /g)].map(([, name]) => name);
  // The functions find the workflow by its activator; ours do not use the timers.
  const functions = ['Date', 'FinalizationRegistry', 'WeakRef', 'clearTimeout', 'setTimeout'];
  expect(new Set(names)).toEqual(new Set([...functions, '__TEMPORAL_ACTIVATOR__']));
});
