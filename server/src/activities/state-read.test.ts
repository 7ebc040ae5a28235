import { expect, it } from 'vitest';
import { threadSettings } from '../../test/fixtures/thread-builder.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { ReadStates, StateRead } from '../guest/port.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import { toJsonText } from '../model/json.ts';
import type { ThreadReport } from '../model/thread/thread-wire.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import { AgentStateReader, type ThreadStateQuestion } from './state-read.ts';

const threadId = 't' as ThreadId;
const question: ThreadStateQuestion = {
  threadId,
  defaultAgentId: 'first' as AgentId,
  ns: '',
  principal: { sub: 'me' },
};
const state = (id: string) => toJsonText({ checkpoint: { checkpoint_id: id } });

/** A reader whose guest returns these results, one after the other. */
function readerOf(
  results: (ReadStates | ((read: StateRead) => Promise<never>))[],
  {
    report = {},
    checkpoints = {},
  }: { report?: object; checkpoints?: Partial<CheckpointPort> } = {},
) {
  const asked: StateRead[] = [];
  const settings = threadSettings;
  const whole = { threadId, status: 'idle', metadata: {}, revision: 1, settings, ...report };
  const reader = new AgentStateReader({
    guests: {
      async readStates(read) {
        asked.push(read);
        const result = results[asked.length - 1];
        if (typeof result === 'function') return result(read);
        return result ?? { states: [], isCut: false };
      },
    },
    checkpoints: {
      applyBatch: () => Promise.reject(new Error('nothing is written')),
      offload: () => undefined,
      async *read() {
        yield* [];
      },
      ...checkpoints,
    },
    commits: { report: async () => whole as unknown as ThreadReport }, // what a read uses
    rejections: { inc: () => undefined },
  });
  const ask = async (more: Partial<ThreadStateQuestion> = {}): Promise<string[]> => {
    const found: string[] = [];
    const signal = new AbortController().signal;
    for await (const one of reader.describe({ ...question, ...more }, signal)) found.push(one);
    return found;
  };
  return { asked, ask };
}

it('continues after what fits into a message, until there is enough', async () => {
  const { asked, ask } = readerOf([
    { states: [state('5'), state('4')], isCut: true },
    { states: [state('3')], isCut: false },
  ]);
  expect(await ask({ history: { limit: 10, beforeId: '6' } })).toEqual(['5', '4', '3'].map(state));
  expect(asked.map(({ history }) => history)).toEqual([
    { limit: 10, beforeId: '6' },
    { limit: 8, beforeId: '4' },
  ]);
});

it('asks who wrote to the thread, whom its metadata names, or the default agent', async () => {
  const agentKey = 'graph_id';
  for (const [report, agent] of [
    [{ agentId: 'writer', metadata: { graph_id: 'named' } }, 'writer'],
    [{ metadata: { graph_id: 'named' } }, 'named'],
    [{}, 'first'],
  ] as const) {
    const { asked, ask } = readerOf([], { report });
    await ask({ agentKey });
    expect(asked[0]?.agentId).toBe(agent);
  }
});

it('has the graph made as for the newest run', async () => {
  const configurable = { model: 'small' };
  const { asked, ask } = readerOf([], { report: { configurable } });
  await ask();
  expect(asked[0]?.factoryConfigurable).toEqual(configurable);
  expect(asked[0]?.config).not.toMatchObject({ configurable });
});

it('reports what is wrong with a checkpoint, not what the guest made of it', async () => {
  const damaged = new ServiceError('checkpoint_damaged', 'The blob is gone.');
  const { ask } = readerOf(
    [
      async ({ checkpoints }) => {
        await checkpoints.load('t', '', 'c').catch(() => undefined);
        throw new ServiceError('agent_not_loaded', 'The agent reports: no checkpoint');
      },
    ],
    { checkpoints: { read: () => failing(damaged) } },
  );
  await expect(ask()).rejects.toBe(damaged);
});

async function* failing(error: Error): AsyncGenerator<never> {
  yield* [];
  throw error;
}
