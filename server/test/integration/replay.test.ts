/** Every recorded history of every released version replays with today's workflow code. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPayloadCodec } from '../../src/engine/client/codec.ts';
import { installEngineRuntime } from '../../src/engine/worker/thread-worker.ts';
import { writeBundle } from '../../src/engine/worker/workflow-bundle.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { restlessBundle } from '../fixtures/restless-bundle.ts';
import { scenarios } from '../histories/scenarios.ts';

const folder = join(import.meta.dirname, '../histories');
const versions = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
);
const bundlePath = join(tmpdir(), `replay-bundle-${process.pid}.js`);

beforeAll(async () => {
  installEngineRuntime(createLogger({ level: 'silent', format: 'plain' }));
  // Built again: workflow code that reaches for what its sandbox does not have fails here.
  await writeBundle(bundlePath);
});
afterAll(() => rmSync(bundlePath, { force: true }));

function replay(history: unknown, codePath = bundlePath): Promise<void> {
  const options = {
    workflowBundle: { codePath },
    dataConverter: { payloadCodecs: [createPayloadCodec()] },
  };
  return Worker.runReplayHistory(options, historyFromJSON(history), 'thread-recorded');
}

/** The workflow code with the marks that a history was recorded with. */
async function bundleOf(file: string): Promise<string> {
  const [name = ''] = file.split('.');
  const { marks } = scenarios.find((scenario) => scenario.name === name) ?? {};
  return marks ? restlessBundle(marks) : bundlePath;
}

function recorded(version: string, file: string): { events: { eventType: string }[] } {
  const text = readFileSync(join(folder, version, file), 'utf8');
  return JSON.parse(text) as { events: { eventType: string }[] }; // the engine's own JSON form
}

describe.each(versions.map(({ name }) => name))('histories of %s', (version) => {
  it.each(readdirSync(join(folder, version)))('%s', async (file) => {
    const history = recorded(version, file);
    await expect(replay(history, await bundleOf(file))).resolves.toBeUndefined();
  });
});

it('notices a history that today’s code would not have made', async () => {
  const [version] = versions.map(({ name }) => name);
  const history = recorded(version ?? '', 'queue-of-runs.json');
  const scheduled = history.events.findIndex(
    ({ eventType }) => eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
  );
  history.events.splice(scheduled, 1, {
    ...history.events[scheduled],
    eventType: 'EVENT_TYPE_MARKER_RECORDED',
  });
  await expect(replay(history)).rejects.toThrow('Nondeterminism');
});
