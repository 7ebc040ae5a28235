import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call } from '../fixtures/call.ts';
import { descendants, engineOf } from '../fixtures/process-tree.ts';
import { awaitRun, send, type RunAnswer } from '../fixtures/service-client.ts';
import { playRounds, ROUND_LIMIT_MS, rounds } from './rounds.ts';
import { setStage } from './stage.ts';

/** Clients that go on creating until the engine has been away. */
const CLIENTS = 4;
const KILL_WITHIN_MS = 800;

const stage = setStage();

interface Client {
  statuses: Set<number>;
  /** Accepted runs, each with what it appends. */
  accepted: { runId: string; threadId: string; label: string }[];
}

/** Creates a thread and a run on it, one after the other, until it is told to stop. */
async function createOnAndOn(isOver: () => boolean, isStateless: boolean): Promise<Client> {
  const client: Client = { statuses: new Set(), accepted: [] };
  const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await call(stage.url + path, 'POST', body);
    client.statuses.add(answer.status);
    return answer.status < 300 ? (answer.body as Record<string, string>) : {}; // ids are texts
  };
  while (!isOver()) {
    const label = randomUUID();
    const body = { agent_id: 'append_ts', input: { ledger: join(stage.folder, label), label } };
    const { thread_id: threadId } = isStateless ? {} : await post('/threads', {});
    if (!isStateless && threadId === undefined) continue;
    const run = await post(isStateless ? '/runs' : `/threads/${threadId}/runs`, body);
    const { run_id: runId, thread_id: place } = run;
    if (runId !== undefined && place !== undefined) {
      client.accepted.push({ runId, threadId: place, label });
    }
  }
  return client;
}

test(
  'what is accepted while the engine is killed is there, once, and no thread exists already',
  async () => {
    await playRounds(
      'created while the engine is killed',
      async ({ random }) => {
        let isOver = false;
        const clients = Array.from({ length: CLIENTS }, (_, index) => {
          return createOnAndOn(() => isOver, index % 2 === 1);
        });
        await pause(random() * KILL_WITHIN_MS);
        process.kill(engineOf(descendants(stage.service.pid)).pid, 'SIGKILL');
        const killedAt = performance.now();
        await pause(random() * KILL_WITHIN_MS);
        isOver = true;
        const all = await Promise.all(clients);
        const answeredAfter = performance.now() - killedAt;
        const statuses = new Set(all.flatMap((client) => [...client.statuses]));
        // 503 only when the engine is away for longer than a call waits.
        expect([...statuses].filter((status) => ![201, 202, 503].includes(status))).toEqual([]);
        for (const { runId, threadId, label } of all.flatMap(({ accepted }) => accepted)) {
          const final = await awaitRun(stage.url, runId, ROUND_LIMIT_MS);
          expect(final).toMatchObject({ status: 'completed', output: { done: [label] } });
          const runs = await send<RunAnswer[]>(stage.url, 'GET', `/threads/${threadId}/runs`);
          expect(runs).toEqual([final]);
        }
        return answeredAfter;
      },
      Math.ceil(rounds / 2),
    );
  },
  rounds * ROUND_LIMIT_MS,
);
