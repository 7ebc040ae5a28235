import { constant } from './limit-row.ts';

const MIB = 1024 * 1024;

/** Threads that evaluate policies: one is ready from the start, others are started while questions wait. */
export const REGO_WORKERS = 2;

/** How long a question waits before another thread is started. */
export const REGO_GROW_MS = 20;

/** For all policies of one question. A calm machine takes a third of a millisecond for a policy. */
export const REGO_QUESTION_MS = 1_000;

/** How long a policy that ended its thread never gets the last one. */
export const REGO_SUSPECT_MS = 30_000;

/** Questions that wait for a thread. */
export const REGO_QUEUE = 1_000;

/** How long each of them waits. */
export const REGO_WAIT_MS = 5_000;

/** What one policy results in, as JSON: a decision is a number or a boolean. So short, it cannot be nested too deeply. */
export const REGO_VALUE_CHARACTERS = 4 * 1024;

/** Time to compile every policy when they are loaded: a thousand small ones take 10 s. */
export const REGO_LOAD_MS = 300_000;

/** A thread whose evaluator holds more than this after a question is replaced: WebAssembly gives nothing back. */
export const REGO_MEMORY_BYTES = 384 * MIB;

/** What an evaluator can have at all; the build writes it into the WebAssembly file. */
export const REGO_MEMORY_CEILING_BYTES = 512 * MIB;

/** The rows of the table of limits (limits.ts) that are about the evaluation of policies. */
export const regoLimitRows = {
  regoWorkers: constant(REGO_WORKERS, {
    what: 'threads that evaluate policies; another is started when a question waits 20 ms',
    unit: 'threads',
    where: 'host',
    outcome: 'questions wait',
  }),
  regoQuestion: constant(REGO_QUESTION_MS, {
    what: 'time to evaluate the policies of one decision',
    unit: 'ms',
    where: 'host',
    outcome: 'the thread is ended; the policies without a result have failed, which denies',
  }),
  regoSuspect: constant(REGO_SUSPECT_MS, {
    what: 'how long a policy that ended its thread is asked only while another thread is left',
    unit: 'ms',
    where: 'host',
    outcome: 'it is asked as others are',
  }),
  regoQueue: constant(REGO_QUEUE, {
    what: 'decisions that wait for a thread',
    unit: 'requests',
    where: 'host',
    outcome: 'denied',
  }),
  regoWait: constant(REGO_WAIT_MS, {
    what: 'the wait of a decision for a thread',
    unit: 'ms',
    where: 'host',
    outcome: 'denied',
  }),
  regoValue: constant(REGO_VALUE_CHARACTERS, {
    what: 'what one policy results in, as JSON',
    unit: 'characters',
    where: 'evaluator',
    outcome: 'the policy has failed, which denies',
  }),
  regoLoad: constant(REGO_LOAD_MS, {
    what: 'time to compile all policies',
    unit: 'ms',
    where: 'host, at start and reload',
    outcome: 'they are not taken',
  }),
  regoMemory: constant(REGO_MEMORY_BYTES, {
    what: 'memory of one evaluator after a decision',
    unit: 'bytes',
    where: 'host',
    outcome: 'the thread is replaced',
  }),
  regoMemoryCeiling: constant(REGO_MEMORY_CEILING_BYTES, {
    what: 'memory of one evaluator at any time',
    unit: 'bytes',
    where: 'evaluator',
    outcome: 'the evaluation has failed, which denies; the thread is replaced',
  }),
};
