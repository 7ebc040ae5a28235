/** Composition of `service run --bundle`: a run with everything that this process knows about it, in one file. */
import type { BundleRecord } from './bundle-record.ts';
import { madeByUser } from './made-by.ts';
import { toRecord } from './thread-records.ts';
import { writeBundleFile } from './write-bundle.ts';
import type { Mover } from '../engine/move/thread-mover.ts';
import { ServiceError } from '../errors/service-error.ts';
import {
  compositeRunId,
  parseRunId,
  type RunId,
  type RunUuid,
  type ThreadId,
} from '../model/ids.ts';
import type { StreamPort } from '../streams/port.ts';
import { version } from '../version.ts';

/** A run that has ended closes its stream at once; after this limit the events so far are written. */
const EVENTS_LIMIT_MS = 10_000;

/** A line of an agent's output. */
interface OutputLine {
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Sources of the parts of a run. */
export interface RunBundleParts {
  mover: Mover;
  streams: Pick<StreamPort, 'read'>;
  output(runId: RunId): readonly OutputLine[];
  /** Undefined: unknown. */
  agentVersion(): Promise<string | undefined>;
}

/** Writes the thread of a run that has ended, its events and its output; returns the size of the file in bytes. */
export async function writeRunBundle(
  parts: RunBundleParts,
  runId: string,
  file: string,
): Promise<number> {
  const run = parseRunId(runId);
  if (!run) throw new ServiceError('run_not_found', `There is no run ${runId}.`);
  const records = runRecords(parts, run);
  const madeBy = madeByUser();
  return writeBundleFile(file, { contents: 'run', productVersion: version, madeBy, records });
}

/** The thread of a run with the run's events and output. */
export async function* runRecords(
  { mover, streams, output, agentVersion }: RunBundleParts,
  { threadId, runUuid }: { threadId: ThreadId; runUuid: RunUuid },
): AsyncGenerator<BundleRecord> {
  for await (const part of mover.export(threadId)) {
    yield toRecord(part);
    if (part.kind === 'run' && part.run.runUuid === runUuid) {
      const code = await agentVersion();
      const { agentId } = part.run;
      yield { kind: 'agent', agent_id: agentId, ...(code !== undefined && { version: code }) };
    }
  }
  const runId = compositeRunId(threadId, runUuid);
  const limit = AbortSignal.timeout(EVENTS_LIMIT_MS);
  for await (const item of streams.read(runId, 0, limit)) {
    if (item.kind === 'gap') {
      yield { kind: 'gap', run_uuid: runUuid, lost_through: item.lostThrough };
    } else {
      const { id, mode, ns, data } = item.event;
      yield { kind: 'event', run_uuid: runUuid, id, mode, ns, data };
    }
  }
  for (const { at, stream, text } of output(runId)) {
    yield { kind: 'log', run_uuid: runUuid, at, stream, text };
  }
}
