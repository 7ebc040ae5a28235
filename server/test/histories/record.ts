/** Plays every scenario on a real engine and writes its history: `node server/test/histories/record.ts <version>`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { workflowIdOf } from '../../src/engine/thread-client.ts';
import { startThreadWorker } from '../../src/engine/thread-worker.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import { openEngineLab } from '../fixtures/engine-lab.ts';
import { scenarios, scriptedAgent } from './scenarios.ts';

const version = process.argv[2];
if (version === undefined) throw new Error('Name the version: record.ts <version>');
const folder = join(import.meta.dirname, version);
await mkdir(folder, { recursive: true });

const lab = await openEngineLab();
for (const { name, script, play } of scenarios) {
  const worker = await startThreadWorker({
    ...lab,
    activities: { runAgent: scriptedAgent(script) },
    onRunSettled: () => undefined,
    maxConcurrentRuns: 10,
  });
  const thread = name as ThreadId; // names of scenarios are valid ids
  await play(lab, thread);
  const history = await lab.connection.client.workflow
    .getHandle(workflowIdOf(thread))
    .fetchHistory();
  await writeFile(join(folder, `${name}.json`), historyToJSON(history));
  process.stdout.write(`${name}: ${history.events?.length ?? 0} events\n`);
  await worker.close();
}
await lab.close();
