import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readLedger } from '../fixtures/ledger.ts';
import { awaitRun, createRun, createThread, send } from '../fixtures/service-client.ts';
import { ROUND_LIMIT_MS, type Language } from './rounds.ts';
import type { Stage } from './stage.ts';

/** Every step of the agent takes so long. */
export const PAUSE_MS = 40;

/** One run of a thread of the agent `sub_graphs`: what it starts with, and whether something is killed meanwhile. */
export interface Turn {
  start: (ledger: string) => Record<string, unknown>;
  mayBeKilled: boolean;
}

const labelled =
  (label: string, asks = false): Turn['start'] =>
  (ledger) => ({ input: { ledger, label, asks, pause_ms: PAUSE_MS } });

/** The sub-graphs with a memory are called before what is killed, and after it. */
export const PLAIN: Turn[] = [
  { start: labelled('first'), mayBeKilled: false },
  { start: labelled('second'), mayBeKilled: true },
  { start: labelled('third'), mayBeKilled: false },
];

/** The same, with a question of the deepest sub-graph and its answer. */
export const ASKING: Turn[] = [
  { start: labelled('first'), mayBeKilled: false },
  { start: labelled('second', true), mayBeKilled: true },
  { start: () => ({ command: { resume: 'yes' } }), mayBeKilled: true },
  { start: labelled('third'), mayBeKilled: false },
];

/** What a turn left. */
export interface Outcome {
  status: string;
  /** Without what is another in every thread: the path of the ledger, and the ids of questions. */
  output: unknown;
  state: unknown;
}

/** A thread of the agent. */
export interface SubGraphThread {
  /** The steps that were begun, in that order; `since`: without so many of the first. */
  steps(since?: number): string[];
  /** Plays a turn; `amid` may kill something while its run is at work. */
  play(turn: Turn, options?: PlayOptions): Promise<Outcome>;
  /** How each run ended, for the message of a failure. */
  readonly trail: readonly string[];
}

export interface PlayOptions {
  durability?: 'sync' | 'async';
  amid?: () => Promise<void>;
}

/** A new thread of the agent, made with its first turn. */
export function openThread(stage: Stage, language: Language): SubGraphThread {
  const ledger = join(stage.folder, randomUUID());
  const trail: string[] = [];
  let threadId = '';
  return {
    trail,
    steps: (since = 0) =>
      readLedger(ledger)
        .slice(since)
        .map(({ label, step }) => `${label} ${step}`),
    async play({ start }, { durability = 'sync', amid } = {}) {
      threadId ||= await createThread(stage.url);
      const body = { agent_id: `sub_graphs_${language}`, durability, ...start(ledger) };
      const { run_id: runId } = await createRun(stage.url, body, threadId);
      await amid?.();
      const run = await awaitRun(stage.url, runId, ROUND_LIMIT_MS);
      const { status, output = {}, attempt = 1, last_failure: failure = 'none', error } = run;
      trail.push(`${status} ${attempt} ${failure} ${error?.message ?? ''}`);
      const path = `/threads/${threadId}/state`;
      const { values } = await send<{ values: Record<string, unknown> }>(stage.url, 'GET', path);
      return { status, output: comparable(output), state: comparable(values) };
    },
  };
}

function comparable({
  ledger: _,
  __interrupt__: asked,
  ...values
}: Record<string, unknown>): unknown {
  const questions = (asked ?? []) as { value: unknown }[]; // absent without a question
  return { ...values, questions: questions.map(({ value }) => value) };
}

/** What the turns leave on a thread that nothing happens to, and the steps of each. */
export type Undisturbed = { outcome: Outcome; steps: string[] }[];

/** Plays the turns once for each language. */
export function undisturbed(
  stage: Stage,
  turns: readonly Turn[],
): (language: Language) => Promise<Undisturbed> {
  const known = new Map<Language, Promise<Undisturbed>>();
  const play = async (language: Language): Promise<Undisturbed> => {
    const thread = openThread(stage, language);
    const all: Undisturbed = [];
    for (const turn of turns) {
      const before = thread.steps().length;
      const outcome = await thread.play(turn);
      all.push({ outcome, steps: thread.steps(before) });
    }
    return all;
  };
  return (language) => {
    const all = known.get(language) ?? play(language);
    known.set(language, all);
    return all;
  };
}
