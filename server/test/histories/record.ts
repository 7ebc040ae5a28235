/**
 * Plays every scenario on a real engine and writes its history, as the set of the package's version:
 * `node server/test/histories/record.ts`.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { workflowIdOf } from '../../src/engine/client/thread-client.ts';
import { startThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import { openEngineLab } from '../fixtures/engine-lab.ts';
import { startLabEngine } from '../fixtures/lab-engine.ts';
import { restlessBundle } from '../fixtures/restless-bundle.ts';
import { scriptedAgent } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
const { version } = JSON.parse(manifest) as { version: string }; // every package has one
const folder = join(import.meta.dirname, version);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

const engine = await startLabEngine();
const lab = await openEngineLab(engine, 'lab');
for (const { name, script, shortScript = script, marks = {}, play } of scenarios) {
  const worker = await startThreadWorker({
    ...lab,
    bundlePath: await restlessBundle(marks),
    activities: { runAgent: scriptedAgent(script), runShort: scriptedAgent(shortScript) },
    onRunSettled: () => undefined,
    maxConcurrentRuns: 10,
  });
  const thread = name as ThreadId; // names of scenarios are valid ids
  await play(lab, thread);
  // It responds when its last execution has begun.
  await lab.threads.query(thread, 'thread');
  for (const [index, history] of (await histories(thread)).entries()) {
    // A thread that went on in other executions has a history for each.
    const file = index === 0 ? name : `${name}.${index + 1}`;
    await writeFile(join(folder, `${file}.json`), historyToJSON(history));
    process.stdout.write(`${file}: ${history.events?.length ?? 0} events\n`);
  }
  await worker.close();
}
await lab.close();
await engine.close();

async function histories(thread: ThreadId): Promise<History[]> {
  const { workflow } = lab.connection.client;
  const { raw } = await workflow.getHandle(workflowIdOf(thread)).describe();
  const all: History[] = [];
  let runId: string | undefined = raw.workflowExecutionInfo?.firstRunId ?? undefined;
  while (runId) {
    const history = await workflow.getHandle(workflowIdOf(thread), runId).fetchHistory();
    all.push(history);
    const last = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    runId = last?.newExecutionRunId ?? undefined;
  }
  return all;
}
