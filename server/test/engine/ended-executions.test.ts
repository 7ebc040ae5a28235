/** @module-tag release */
/**
 * A query may reach an execution just as its thread continues in the next one: the worker no longer has it and replays
 * it to its end. `npm test` replays recorded histories of the same; here all scenarios are played on a real engine, which takes
 * seconds.
 */
import { expect, inject, it } from 'vitest';
import { workflowIdOf } from '../../src/engine/client/thread-client.ts';
import { startThreadWorker } from '../../src/engine/worker/thread-worker.ts';
import { unpackFrame } from '../../src/model/frame.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import type { ThreadReport } from '../../src/model/thread/thread-wire.ts';
import { openEngineLab } from '../fixtures/engine-lab.ts';
import { scriptedAgent } from '../histories/scenario.ts';
import { scenarios } from '../histories/scenarios.ts';

const names = [
  'continues-after-a-cancelled-run',
  'continues-between-refused-requests',
  'short-runs-change-executions',
  'short-run-outlasts-its-execution',
];

it.each(scenarios.filter(({ name }) => names.includes(name)))(
  'every execution of a thread responds to queries: $name',
  async ({ name, script, shortScript = script, marks, play }) => {
    const lab = await openEngineLab(inject('engine'), name, marks);
    const worker = await startThreadWorker({
      ...lab,
      activities: { runAgent: scriptedAgent(script), runShort: scriptedAgent(shortScript) },
      onRunSettled: () => undefined,
      maxConcurrentRuns: 10,
    });
    const thread = name as ThreadId; // names of scenarios are valid ids
    await play(lab, thread);
    const { workflow } = lab.connection.client;
    const { raw } = await workflow.getHandle(workflowIdOf(thread)).describe();
    let execution = raw.workflowExecutionInfo?.firstRunId ?? undefined;
    let executions = 0;
    while (execution) {
      const handle = workflow.getHandle(workflowIdOf(thread), execution);
      const report = unpackFrame<ThreadReport>(await handle.query<Uint8Array>('thread'));
      expect(report.threadId).toBe(thread);
      executions += 1;
      const { events } = await handle.fetchHistory();
      const last = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
      execution = last?.newExecutionRunId ?? undefined;
    }
    expect(executions).toBeGreaterThan(1);
    await worker.close();
    await lab.close();
  },
);
