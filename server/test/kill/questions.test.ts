/**
 * Whatever is killed between the answers to an agent's questions, or while it takes one: its values are those of a run
 * that nothing happened to. Takes seconds because the service, its engine and its guests are real processes.
 * @module-tag release
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { converse, wholeValues, answersOf, type AskingAgent } from '../fixtures/conversation.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createThread, send, type RunResponse } from '../fixtures/service-client.ts';
import { serviceAgents } from '../fixtures/shared-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { killOne, prepareKill, type Victim } from './kill-one.ts';
import {
  limitOf,
  playRounds,
  requireInterrupted,
  ROUND_LIMIT_MS,
  rounds,
  type Round,
} from './rounds.ts';
import { setStage } from './stage.ts';

/** A node takes so long over an answer; a kill comes anywhere in and beside it. */
const PAUSE_MS = 60;
const SPREAD_MS = 4 * PAUSE_MS;
/** A round that has hit nothing by then kills something during each of the later answers, until it hits. */
const FREE_ANSWERS = 2;
/** Every answer of a round may wait for a service that starts again. */
const CONVERSATION_LIMIT_MS = 4 * ROUND_LIMIT_MS;

const stage = setStage({
  startService: (options) => startDurableService({ agents: serviceAgents, ...options }),
});

const victims: (Victim | 'none')[] = ['guest', 'server', 'engine', 'none'];

/**
 * A server that starts takes in the end of the run before together with this request, and may refuse it once as long as
 * it has not: as a client would, it is sent again. The key lets it make no second run.
 */
async function createOnce(body: object, threadId: string, key: string): Promise<RunResponse> {
  const path = `${stage.url}/threads/${threadId}/runs`;
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  return waitUntil('a run of the answer', ROUND_LIMIT_MS, async () => {
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.ok) return (await response.json()) as RunResponse;
    const text = await response.text();
    if (response.status === 409 && text.includes('the thread is busy')) return undefined;
    throw new Error(`${response.status} ${text}`);
  });
}

interface Answer {
  body: object;
  threadId: string;
  /** From 1 on. */
  count: number;
  /** Whether something is killed while it is taken. */
  mustHit: boolean;
}

/** Kills before the answer, or while it is taken; `isHit` is whether its run ended after a kill that came meanwhile. */
async function answerAmidKills(
  { random }: Round,
  { body, threadId, count, mustHit }: Answer,
): Promise<{ victim: string; isHit: boolean; run: RunResponse }> {
  const drawn = victims.filter((victim) => !mustHit || victim !== 'none');
  const victim = drawn[Math.floor(random() * drawn.length)] ?? 'none';
  const isBefore = random() < 0.4 && !mustHit;
  if (isBefore && victim !== 'none') await killOne(stage, victim);
  // Finding the victims takes a while, in which the run might end.
  const prepared = isBefore || victim === 'none' ? undefined : prepareKill(stage, victim);
  const { run_id: runId } = await createOnce(body, threadId, `${threadId}-${count}`);
  let killedAt = Infinity;
  if (prepared) {
    await pause(random() * SPREAD_MS);
    killedAt = Date.now();
    await prepared.kill();
    await whenHealthy(stage.url);
  }
  const run = await awaitRun(stage.url, runId, ROUND_LIMIT_MS);
  const isHit = Date.parse(String(run['updated_at'])) > killedAt;
  return { victim: `${victim} killed ${isBefore ? 'before' : 'during'}`, isHit, run };
}

async function play(agent: AskingAgent, round: Round): Promise<number> {
  const began = performance.now();
  const agentId = `${agent}_${round.language}`;
  const trail: string[] = [];
  let hits = 0;
  const threadId = await createThread(stage.url);
  // Not both in one conversation: LangGraph takes an answer without an id once more where one with an id follows it.
  const isByName = agent === 'until_valid' && round.random() < 0.5;
  const { run, asked } = await converse(stage.url, threadId, agentId, {
    input: { pause_ms: PAUSE_MS },
    byName: () => isByName,
    async answer(body, count) {
      const mustHit = hits === 0 && count > FREE_ANSWERS;
      const given = { body, threadId, count, mustHit };
      const { victim, isHit, run } = await answerAmidKills(round, given);
      if (isHit) hits += 1;
      trail.push(
        `${victim}: ${JSON.stringify(body)} ${run.status} ${run.attempt} ${run.last_failure}`,
      );
      return run;
    },
  });
  const { status, error, output } = run;
  // As text: a difference of objects is not in the message of a round's failure.
  const story = `${status} ${asked.join(', ')} ${error?.message ?? ''}\n${trail.join('\n')}`;
  if (status !== 'completed' || asked.length !== answersOf(agent)) throw new Error(story);
  expect(output).toMatchObject(wholeValues[agent]);
  const state = await send(stage.url, 'GET', `/threads/${threadId}/state`);
  expect(state).toMatchObject({ values: wholeValues[agent] });
  requireInterrupted(hits > 0, 'nothing was killed while an answer was taken');
  return performance.now() - began;
}

/** How many rounds kept every answer. */
async function roundsOf(
  what: string,
  agent: AskingAgent,
  options?: Parameters<typeof playRounds>[2],
): Promise<number> {
  let kept = 0;
  const playOne = async (round: Round): Promise<number> => {
    const took = await play(agent, round);
    kept += 1;
    return took;
  };
  await playRounds(what, playOne, options);
  return kept;
}

const timeout = limitOf() + rounds * CONVERSATION_LIMIT_MS;

test(
  'a node that asks five times has five answers, whatever is killed between them',
  { timeout },
  async () => {
    expect(await roundsOf('five questions', 'until_valid')).toBe(rounds);
  },
);

test(
  'parallel questions that are answered one by one keep their answers',
  { timeout },
  async () => {
    expect(await roundsOf('parallel questions', 'side_by_side', { first: 'ts' })).toBe(rounds);
  },
);

test('nested questions keep their answers', { timeout }, async () => {
  expect(await roundsOf('nested questions', 'nested')).toBe(rounds);
});
