/** The limits of reported decisions: log lines, the remembered latest ones, the principals of policy tests. */
import { constant, type LimitRow } from './limit-row.ts';

const MIB = 1_024 * 1_024;

/** Decisions that are remembered. */
export const DECISIONS_KEPT = 5_000;

/** Approximate total bytes of the remembered decisions. */
export const DECISIONS_KEPT_BYTES = 16 * MIB;

/** Access records that wait to be written. */
export const ACCESS_LOG_QUEUE = 10_000;

/** Approximate total bytes of the waiting access records. */
export const ACCESS_LOG_QUEUE_BYTES = 16 * MIB;

/** Records that are written in one turn of the event loop: about a millisecond. */
export const ACCESS_LOG_BATCH = 20;

/** Policies that an access record names in one phase: a principal may have thousands of roles. */
export const ACCESS_RECORD_OUTCOMES = 20;

/** Characters of one text of an access record. */
export const ACCESS_RECORD_CHARACTERS = 2_000;

/** Files of policy tests that are read for their principals. */
export const TEST_SUITES = 100;

/** Characters of all these files together. */
export const TEST_SUITE_CHARACTERS = MIB;

/** Principals that are read from them. */
export const TEST_PRINCIPALS = 200;

/** The rows of the table of limits (limits.ts) about reported decisions. */
export const accessLogLimitRows = {
  decisionsKept: constant(DECISIONS_KEPT, {
    what: 'decisions of policies that are remembered',
    unit: 'requests',
    where: 'host',
    outcome: 'the oldest is forgotten',
  }),
  decisionsKeptBytes: constant(DECISIONS_KEPT_BYTES, {
    what: 'about what they take',
    unit: 'bytes',
    where: 'host',
    outcome: 'the oldest is forgotten',
  }),
  accessLogQueue: constant(ACCESS_LOG_QUEUE, {
    what: 'access records that wait to be written',
    unit: 'requests',
    where: 'host',
    outcome: 'not written; counted in `service_access_records_lost_total`',
  }),
  accessLogQueueBytes: constant(ACCESS_LOG_QUEUE_BYTES, {
    what: 'about what they take',
    unit: 'bytes',
    where: 'host',
    outcome: 'not written; counted in `service_access_records_lost_total`',
  }),
  accessRecordOutcomes: constant(ACCESS_RECORD_OUTCOMES, {
    what: 'policies that an access record names in one phase',
    unit: 'policies',
    where: 'host',
    outcome: 'the others are left out, first those that deny',
  }),
  accessRecordText: constant(ACCESS_RECORD_CHARACTERS, {
    what: 'one text of an access record',
    unit: 'characters',
    where: 'host',
    outcome: 'its end is cut off',
  }),
  testSuites: constant(TEST_SUITES, {
    what: 'files of policy tests that are read for `principals` of GET /policy',
    unit: 'values',
    where: 'host',
    outcome: 'the others are not read',
  }),
  testSuiteBytes: constant(TEST_SUITE_CHARACTERS, {
    what: 'all of them together',
    unit: 'characters',
    where: 'host',
    outcome: 'the others are not read',
  }),
  testPrincipals: constant(TEST_PRINCIPALS, {
    what: 'principals that are taken of them',
    unit: 'values',
    where: 'host',
    outcome: 'the others are left out',
  }),
} satisfies Record<string, LimitRow>;
