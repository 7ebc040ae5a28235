import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMemoryEngine } from '../../test/fixtures/memory-engine.ts';
import { type AgentId, compositeRunId, type RunUuid, type ThreadId } from '../model/ids.ts';
import { jsonText } from '../model/json.ts';
import { QUESTION_HOLD_MS } from '../model/limits/run-waits.ts';
import type { RunView } from '../model/run/run.ts';
import { createPermissiveDomain } from '../policy/built-in-policies.ts';
import { createMemoryStream } from '../streams/memory-stream.ts';
import { newRunUuid } from './new-ids.ts';
import { RunFollower } from './run-follower.ts';

const engine = createMemoryEngine();
const streams = createMemoryStream();
const follower = new RunFollower({ engine, streams, policy: createPermissiveDomain() });
const threadId = 'asks' as ThreadId;
const runUuid: RunUuid = newRunUuid();
const ends = new AbortController();
let run: RunView;
let items: ReturnType<RunFollower['follow']>;

beforeEach(async () => {
  engine.onRun = () => undefined;
  await engine.threads.create(threadId, {});
  run = await engine.runs.create(threadId, {
    runUuid,
    agentId: 'echo' as AgentId,
    start: { kind: 'proceed' },
    config: {},
    metadata: {},
    principal: {},
    streamModes: ['updates'],
    streamSubgraphs: false,
    interruptBefore: [],
    interruptAfter: [],
    durability: 'async',
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  items = follower.follow(run, 0, ends.signal);
});
afterEach(() => {
  vi.useRealTimers();
  ends.abort();
  streams.shutdown();
});

it('gives a question to a reader once the run is settled, and at the latest after its limit', async () => {
  const seen: string[] = [];
  const reading = (async () => {
    for await (const item of items) {
      const { status } = await engine.runs.read(threadId, runUuid);
      seen.push(`${item.kind === 'event' ? item.event.data : item.kind} ${status}`);
    }
  })();
  const runId = compositeRunId(threadId, runUuid);
  const emit = async (id: number, data: string): Promise<void> => {
    streams.append(runId, { id, mode: 'updates', ns: '', data: jsonText(data), at: Date.now() });
    for (let turns = 0; turns < 20; turns += 1) await turn();
  };
  await emit(1, '{"node":1}');
  await emit(2, '{"__interrupt__":[1]}');
  await emit(3, '{"__interrupt__":[2]}');
  expect(seen).toEqual(['{"node":1} running']);
  await vi.advanceTimersByTimeAsync(QUESTION_HOLD_MS);
  await emit(4, '{"__interrupt__":[3]}');
  const together = ['{"__interrupt__":[1]} running', '{"__interrupt__":[2]} running'];
  expect(seen.slice(1)).toEqual(together);
  engine.endRun(threadId, runUuid, {
    status: 'interrupted',
    output: jsonText('{}'),
    interrupts: [],
  });
  streams.close(runId);
  await reading;
  expect(seen.slice(3)).toEqual(['{"__interrupt__":[3]} interrupted', 'end interrupted']);
});
