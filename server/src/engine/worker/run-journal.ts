/*
 * A lost process. The engine detects it by the activity's heartbeat (5 s). Faster: every run leaves a small file in the
 * data directory, named by its uuid and a hash of its thread, from when it is accepted until it has settled, or, when it
 * begins within the workflow task that accepts it (`activities/short-run.ts`), from when it outlasts that
 * (`engine/worker/process-runs.ts`, `run-journal.ts`). A starting server queries the engine about each file, fails the
 * attempts that the previous process was given, and has the engine forget which worker cached the thread (it would hold
 * the thread's tasks for the dead worker for a second). The file is written at acceptance, not when an attempt begins:
 * the engine may have handed over an attempt that the process did not live to begin. (A run that still waits when a
 * server starts is noted again when it begins.) Searching for busy threads instead would have cost two visibility
 * writes a run, and would miss runs that began just before.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import {
  compositeRunId,
  parseRunUuid,
  parseThreadId,
  type RunId,
  type RunUuid,
  type ThreadId,
} from '../../model/ids.ts';
import { callWithRetries } from '../client/calls.ts';
import type { EngineConnection } from '../client/connection.ts';
import { isGone } from '../client/failures.ts';
import { workflowIdOf } from '../client/thread-client.ts';

/** The engine would detect a lost worker by its heartbeat; a starting server reports it at once. */
const LOST = 'The server that ran the attempt is gone.';

/** At most this many runs of the previous process are checked concurrently. */
const AT_ONCE = 16;

/** A run's uuid, then a hash of its thread. */
const FILE_NAME = /^([0-9a-f-]{36})-[0-9a-f]{16}$/;

/** A run as its file describes it. */
interface NotedRun {
  runUuid: RunUuid;
  threadId: ThreadId;
  /** Of the process that noted the run. */
  identity: string;
}

/**
 * The runs that were accepted or begun in this process and have not ended (short ones once they outlast their workflow
 * task), one small file each in the data directory. The next process that starts on the directory (and so holds its lock) checks which of them the dead process was
 * working on. They are noted when they are accepted, not when their attempt begins: the engine may have handed over an
 * attempt that the process did not live to begin. No fsync: when the machine itself goes down, the heartbeat decides.
 */
export class RunJournal {
  readonly #directory: string;
  readonly #identity: string;
  /** The files of this process, by run. Most short runs never have one. */
  readonly #files = new Map<RunId, string>();

  constructor(dataDir: string, identity: string) {
    this.#directory = join(dataDir, 'active-runs');
    this.#identity = identity;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  /** Never fails: without a note the heartbeat decides. */
  add(threadId: ThreadId, runUuid: RunUuid): void {
    const runId = compositeRunId(threadId, runUuid);
    if (this.#files.has(runId)) return;
    const file = this.#fileOf(threadId, runUuid);
    if (file === undefined) return;
    try {
      this.#files.set(runId, file);
      writeFileSync(file, `${threadId}\n${this.#identity}`);
    } catch {
      // A full disk is no reason to refuse a run; operations that need the disk report it themselves.
    }
  }

  remove(threadId: ThreadId, runUuid: RunUuid): void {
    const runId = compositeRunId(threadId, runUuid);
    const file = this.#files.get(runId);
    if (file === undefined) return;
    this.#files.delete(runId);
    rmSync(file, { force: true });
  }

  /** Fails every attempt that a previous process left behind; returns their number. */
  async failLost(connection: EngineConnection): Promise<number> {
    let lost = 0;
    const entries = readdirSync(this.#directory, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    await pLimit(AT_ONCE).map(names, async (name) => {
      const run = this.#read(name);
      const wasLost = run !== undefined && (await failLeftBehind(connection, run));
      rmSync(join(this.#directory, name), { force: true });
      if (!wasLost) return;
      lost += 1;
      this.add(run.threadId, run.runUuid); // its next attempt runs in this process
    });
    return lost;
  }

  /** Undefined for an invalid id. Ids read from a file are typed but unchecked, so both are validated again. */
  #fileOf(threadId: ThreadId, runUuid: RunUuid): string | undefined {
    const [uuid, thread] = [parseRunUuid(runUuid), parseThreadId(threadId)];
    if (uuid === undefined || thread === undefined) return undefined;
    const digest = createHash('sha256').update(thread).digest('hex').slice(0, 16);
    return join(this.#directory, `${uuid}-${digest}`);
  }

  /** Undefined for a file that is not a note of a run, or an incomplete one. */
  #read(name: string): NotedRun | undefined {
    const [, uuid = ''] = FILE_NAME.exec(name) ?? [];
    const runUuid = parseRunUuid(uuid);
    if (runUuid === undefined) return undefined;
    const note = readFileSync(join(this.#directory, name), 'utf8');
    const [thread = '', identity = ''] = note.split('\n');
    const threadId = parseThreadId(thread);
    if (threadId === undefined || identity === '') return undefined;
    return { runUuid, threadId, identity };
  }
}

/** True when the process that noted the run had an attempt of it. An attempt of another process continues. */
async function failLeftBehind(connection: EngineConnection, run: NotedRun): Promise<boolean> {
  const { client, namespace } = connection;
  const workflowId = workflowIdOf(run.threadId);
  try {
    const { raw } = await callWithRetries(() => client.workflow.getHandle(workflowId).describe());
    const left = raw.pendingActivities?.find(
      ({ activityId, lastWorkerIdentity: worker }) =>
        activityId?.startsWith(`${run.runUuid}:`) && worker === run.identity,
    );
    if (!left?.activityId) return false;
    const { activityId } = left;
    const execution = { workflowId };
    // The engine would hold the thread's tasks for the dead worker for a second; if this call is refused, it does.
    await client.workflowService
      .resetStickyTaskQueue({ namespace, execution })
      .catch(() => undefined);
    const failure = ApplicationFailure.nonRetryable(LOST, 'INFRA');
    await callWithRetries(() => client.activity.fail({ workflowId, activityId }, failure));
    return true;
  } catch (error) {
    // The run ended before its process did.
    if (isGone(error)) return false;
    throw error;
  }
}
