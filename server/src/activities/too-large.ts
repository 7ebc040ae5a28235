import { ServiceError } from '../errors/service-error.ts';
import { contentBytes } from '../model/checkpoint/payload.ts';
import type { StoredOp, StoredWrite } from '../model/checkpoint/stored.ts';

/** How many of the largest parts a message names. */
const NAMED_PARTS = 3;

const SETTING = 'engine.max_checkpoint_bytes';
const HOW_TO_RAISE = `Raise ${SETTING}; it applies to threads that are created afterwards.`;

interface Part {
  name: string;
  size: number;
}

/** Decisions: "oversized checkpoint or pending write": the payload and both sizes are named. */
export function checkpointTooLarge(
  size: number,
  limit: number,
  channels: readonly { channel: string; size: number }[],
): ServiceError {
  const largest = largestOf(
    channels.map(({ channel, size }) => ({ name: channelName(channel), size })),
  );
  return tooLarge(
    'checkpoint',
    { size, limit },
    `The checkpoint is ${size} bytes; the limit is ${limit} bytes. Largest channels: ${listOf(largest)}. ${HOW_TO_RAISE}`,
  );
}

/** The same for pending writes: one value, those of one call, or all that a run retains. */
export function writesTooLarge(
  limitName: 'pending_write' | 'pending_write_batch' | 'retained_pending_writes',
  size: number,
  limit: number,
  writes: readonly StoredWrite[],
): ServiceError {
  const parts = largestOf(
    writes.map(({ channel, value }) => ({
      name: channelName(channel),
      size: contentBytes(value.bytes),
    })),
  );
  const task = writes[0]?.taskId ?? '';
  const [first] = parts;
  const subjects = {
    pending_write: `The write of task ${task} to ${first?.name ?? 'no channel'} is ${size} bytes`,
    pending_write_batch: `The writes of task ${task} are ${size} bytes together`,
    retained_pending_writes: `With the writes of task ${task} the pending writes of the run are ${size} bytes`,
  };
  const rest = limitName === 'pending_write' ? '' : ` Largest of them: ${listOf(parts)}.`;
  return tooLarge(
    limitName,
    { size, limit },
    `${subjects[limitName]}; the limit is ${limit} bytes.${rest} ${HOW_TO_RAISE}`,
  );
}

/** For writes within the ceilings that do not fit into one payload of the engine together with their JSON. */
export function enginePayloadTooLarge(op: StoredOp, size: number, limit: number): ServiceError {
  const parts =
    op.kind === 'save'
      ? op.blobs.map(({ channel, value }) => {
          return { name: channelName(channel), size: contentBytes(value.bytes) };
        })
      : op.writes.map(({ channel, taskId, value }) => {
          const name = `the write of task ${taskId} to ${channelName(channel)}`;
          return { name, size: contentBytes(value.bytes) };
        });
  const what = op.kind === 'save' ? 'checkpoint' : 'batch of pending writes';
  return tooLarge(
    'engine_payload',
    { size, limit },
    `The ${what} takes ${size} bytes in the engine, its JSON included; one payload takes ${limit} bytes. ` +
      `Largest parts: ${listOf(largestOf(parts))}. External checkpoint storage keeps them out of the engine.`,
  );
}

/** Decisions: "oversized checkpoint or pending write": a POST state above the limit is 413. */
export function valuesTooLarge(size: number, limit: number): ServiceError {
  return tooLarge(
    'state_update',
    { size, limit },
    `The values are ${size} bytes as JSON; the limit is ${limit} bytes. ${HOW_TO_RAISE}`,
  );
}

/** One change of the state is one payload of the engine. */
export function changeTooLarge(size: number, limit: number): ServiceError {
  return tooLarge(
    'engine_payload',
    { size, limit },
    `The changed state takes ${size} bytes in the engine, its JSON included; one payload takes ${limit} bytes.`,
  );
}

function tooLarge(
  limitName: string,
  sizes: { size: number; limit: number },
  message: string,
): ServiceError {
  return new ServiceError('checkpoint_too_large', message, {
    details: { ...sizes, limit_name: limitName, setting: SETTING },
  });
}

function largestOf(parts: readonly Part[]): Part[] {
  return [...parts].sort((a, b) => b.size - a.size).slice(0, NAMED_PARTS);
}

function listOf(parts: readonly Part[]): string {
  return parts.map(({ name, size }) => `${name} with ${size} bytes`).join(', ') || 'none';
}

function channelName(channel: string): string {
  return `"${channel.slice(0, 100)}"`;
}
