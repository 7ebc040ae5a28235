import { constant } from './limit-row.ts';

const MIB = 1024 * 1024;

/** Threads that evaluate policies: one is ready from the start, others are started while questions wait. */
export const REGO_WORKERS = 2;

/** How long a question waits before another thread is started. */
export const REGO_GROW_MS = 20;

/** For all policies of one question. An idle machine takes a twentieth of a millisecond for a small policy. */
export const REGO_QUESTION_MS = 1_000;

/**
 * How long a question may take before it yields: it is then evaluated again, alone, where it delays no other question.
 */
export const REGO_SLICE_MS = 50;

/** How long after its time limit a question that the evaluator has not ended is stuck, and its thread is terminated. */
export const REGO_GRACE_MS = 500;

/** The interval at which a thread that evaluates a batch reports its results. */
export const REGO_SIGN_MS = 50;

/** Questions that a thread is sent at once, such as the rows of a list. */
export const REGO_BATCH = 32;

/** Policies of a question in a batch: more of them rarely fit into a slice. */
export const REGO_QUICK_POLICIES = 64;

/** How long a policy that took more than a slice is kept off the last free thread. */
export const REGO_SUSPECT_MS = 30_000;

/** Questions that wait for a thread. */
export const REGO_QUEUE = 1_000;

/** How long each of them waits. */
export const REGO_WAIT_MS = 5_000;

/** The result of one policy as JSON: a decision is a number or a boolean. The limit also bounds its nesting. */
export const REGO_VALUE_CHARACTERS = 4 * 1024;

/** Time to compile every policy when they are loaded: a thousand small ones take 10 s. */
export const REGO_LOAD_MS = 300_000;

/** A thread whose evaluator holds more than this after a question is replaced: WebAssembly never releases memory. */
export const REGO_MEMORY_BYTES = 384 * MIB;

/** The maximum memory of an evaluator; the build writes it into the WebAssembly file. */
export const REGO_MEMORY_CEILING_BYTES = 512 * MIB;

/** The rows of the table of limits (limits.ts) about the evaluation of policies. */
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
    where: 'evaluator, compilation not counted; host, 500 ms later, by ending the thread',
    outcome: 'the policies without a result have failed, which denies',
  }),
  regoSlice: constant(REGO_SLICE_MS, {
    what: 'time to evaluate the policies of one decision while others wait for its thread',
    unit: 'ms',
    where: 'evaluator; up to 150 ms without a processor do not count',
    outcome: 'it is asked again from the beginning, alone, and never in the last thread',
  }),
  regoBatch: constant(REGO_BATCH, {
    what: 'decisions that one thread is asked for at once, 1 MiB together',
    unit: 'requests',
    where: 'host',
    outcome: 'the others are asked next',
  }),
  regoQuickPolicies: constant(REGO_QUICK_POLICIES, {
    what: 'policies of a decision that is asked for among others',
    unit: 'policies',
    where: 'host',
    outcome: 'it is asked alone, and never in the last thread',
  }),
  regoSuspect: constant(REGO_SUSPECT_MS, {
    what: 'how long a policy that took more than those 50 ms is asked only while another thread is left',
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
