import { fromBytes, packFrame, toBytes, unpackFrame } from '../model/frame.ts';
import type { TypedPayload } from '../model/checkpoint/payload.ts';
import type { StoredWrite } from '../model/checkpoint/stored.ts';
import type { MovedRun, MovedThread, ThreadPart } from '../model/thread/thread-part.ts';
import type { BundleRecord, CheckedRecord } from './bundle-record.ts';
import type { RequestRecord } from './request-record.ts';

type RecordOf<Kind extends BundleRecord['kind']> = Extract<BundleRecord, { kind: Kind }>;
type CheckedOf<Kind extends CheckedRecord['kind']> = Extract<CheckedRecord, { kind: Kind }>;
type TypedText = RecordOf<'blob'>['value'];

/** The line of a part. Bytes become base64; JSON stays text, so that no number in it changes. */
export function toRecord(part: ThreadPart): BundleRecord {
  if (part.kind === 'thread') return threadRecord(part.thread);
  if (part.kind === 'run') return runRecord(part.run);
  if (part.kind === 'blob') {
    const { ns, channel, version, value, json } = part.blob;
    return { kind: 'blob', ns, channel, version, value: encode(value), ...text('json', json) };
  }
  const { checkpoint } = part;
  return {
    kind: 'checkpoint',
    ns: checkpoint.ns,
    checkpoint_id: checkpoint.id,
    ...(checkpoint.parentId !== undefined && { parent_id: checkpoint.parentId }),
    ts: checkpoint.ts,
    run_uuid: checkpoint.run,
    skeleton: encode(checkpoint.skeleton),
    metadata: encode(checkpoint.metadata),
    metadata_json: fromBytes(checkpoint.metadataJson),
    versions: checkpoint.versions,
    writes: checkpoint.writes.map(({ taskId, taskPath, index, channel, value, json }) => ({
      task_id: taskId,
      task_path: taskPath,
      index,
      channel,
      value: encode(value),
      ...text('json', json),
    })),
  };
}

/** The part of a line; undefined for lines that are not part of a thread. */
export function toPart(record: CheckedRecord): ThreadPart | undefined {
  switch (record.kind) {
    case 'thread':
      return { kind: 'thread', thread: movedThread(record) };
    case 'run':
      return { kind: 'run', run: movedRun(record) };
    case 'blob': {
      const { ns, channel, version, value, json } = record;
      const blob = { ns, channel, version, value: decode(value), ...bytes('json', json) };
      return { kind: 'blob', blob };
    }
    case 'checkpoint':
      return { kind: 'checkpoint', checkpoint: storedCheckpoint(record) };
    case 'agent':
    case 'event':
    case 'gap':
    case 'log':
      return undefined;
  }
}

function threadRecord(thread: MovedThread): RecordOf<'thread'> {
  const { threadId, createdAt, updatedAt, metadata, isEphemeral, revision } = thread;
  const { queue, active, stopped, agentId, owner, keys, left, isWithdrawn } = thread;
  const more = {
    ...(agentId !== undefined && { agentId }),
    ...(owner !== undefined && { owner }),
    ...(keys && { keys }),
    ...(left && { left }),
    ...(isWithdrawn !== undefined && { isWithdrawn }),
  };
  return {
    kind: 'thread',
    thread_id: threadId,
    created_at: createdAt,
    updated_at: updatedAt,
    metadata,
    is_ephemeral: isEphemeral,
    revision,
    queue,
    ...(active !== undefined && { active }),
    ...(stopped && { stopped: { ...stopped } }),
    ...text('questions', thread.questions),
    ...text('context', thread.context),
    ...(Object.keys(more).length > 0 && { more }),
  };
}

function movedThread(record: CheckedOf<'thread'>): MovedThread {
  const { active, stopped, more } = record;
  return {
    ...more,
    threadId: record.thread_id,
    isEphemeral: record.is_ephemeral,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    metadata: record.metadata,
    queue: record.queue,
    revision: record.revision,
    ...(active !== undefined && { active }),
    ...(stopped && { stopped }),
    ...bytes('questions', record.questions),
    ...bytes('context', record.context),
  };
}

function runRecord(run: MovedRun): RecordOf<'run'> {
  const { runUuid, agentId, status, createdAt, updatedAt, metadata, attempt, restart } = run;
  const { lastFailure, error, request, output, interrupts, context } = run;
  const more = moreOfRun(run);
  return {
    kind: 'run',
    run_uuid: runUuid,
    agent_id: agentId,
    status,
    created_at: createdAt,
    updated_at: updatedAt,
    metadata,
    attempt,
    restart: { ...restart },
    ...(lastFailure && { last_failure: lastFailure }),
    ...(error && { error: { ...error } }),
    ...(request && { request: unpackFrame<RequestRecord>(request) }),
    ...text('output', output),
    ...text('interrupts', interrupts),
    ...text('context', context),
    ...(Object.keys(more).length > 0 && { more }),
  };
}

function moreOfRun({
  continuations,
  fence,
  hasCrashed,
  retryAt,
  notBefore,
  agentVersion,
  base,
  isRolledBack,
  continues,
  hasWritten,
  isVoid,
}: MovedRun): NonNullable<RecordOf<'run'>['more']> {
  return {
    ...(continuations !== undefined && { continuations }),
    ...(fence !== undefined && { fence }),
    ...(hasCrashed !== undefined && { hasCrashed }),
    ...(retryAt !== undefined && { retryAt }),
    ...(notBefore !== undefined && { notBefore }),
    ...(agentVersion !== undefined && { agentVersion }),
    ...(base !== undefined && { base }),
    ...(isRolledBack !== undefined && { isRolledBack }),
    ...(continues !== undefined && { continues }),
    ...(hasWritten !== undefined && { hasWritten }),
    ...(isVoid !== undefined && { isVoid }),
  };
}

function movedRun(record: CheckedOf<'run'>): MovedRun {
  const { last_failure: lastFailure, error, request, output, interrupts, context, more } = record;
  return {
    ...more,
    runUuid: record.run_uuid,
    agentId: record.agent_id,
    status: record.status,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    metadata: record.metadata,
    attempt: record.attempt,
    restart: record.restart,
    seq: 0,
    ...(lastFailure && { lastFailure }),
    ...(error && { error }),
    ...(request && { request: packFrame(request) }),
    ...bytes('output', output),
    ...bytes('interrupts', interrupts),
    ...bytes('context', context),
  };
}

function storedCheckpoint(record: CheckedOf<'checkpoint'>) {
  return {
    ns: record.ns,
    id: record.checkpoint_id,
    ...(record.parent_id !== undefined && { parentId: record.parent_id }),
    ts: record.ts,
    skeleton: decode(record.skeleton),
    metadata: decode(record.metadata),
    metadataJson: toBytes(record.metadata_json),
    versions: record.versions,
    run: record.run_uuid,
    writes: record.writes.map((write): StoredWrite<Uint8Array> => ({
      taskId: write.task_id,
      taskPath: write.task_path,
      index: write.index,
      channel: write.channel,
      value: decode(write.value),
      ...bytes('json', write.json),
    })),
  };
}

function encode({ tag, bytes: value }: TypedPayload<Uint8Array>): TypedText {
  const { buffer, byteOffset, byteLength } = value;
  return { tag, base64: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
}

function decode({ tag, base64 }: TypedText): TypedPayload<Uint8Array> {
  return { tag, bytes: new Uint8Array(Buffer.from(base64, 'base64')) };
}

function text<Name extends string>(
  name: Name,
  value: Uint8Array | undefined,
): { [Key in Name]?: string } {
  // A computed key is typed as any string; it is `name`.
  return (value === undefined ? {} : { [name]: fromBytes(value) }) as { [Key in Name]?: string };
}

function bytes<Name extends string>(
  name: Name,
  value: string | undefined,
): { [Key in Name]?: Uint8Array } {
  const member = value === undefined ? {} : { [name]: toBytes(value) };
  return member as { [Key in Name]?: Uint8Array }; // as above
}
