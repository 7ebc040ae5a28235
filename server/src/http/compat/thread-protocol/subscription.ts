import { z } from 'zod';
import { optional } from '../compat-route.ts';
import { channelOf, type Frame } from './frame.ts';

const names = [
  ...(['values', 'updates', 'messages', 'tools', 'lifecycle', 'input'] as const),
  ...(['checkpoints', 'tasks', 'custom'] as const),
];
const channel = z.union([z.enum(names), z.templateLiteral(['custom:', z.string().min(1)])], {
  error: `must be one of ${names.join(', ')}, or custom:<name>`,
});
const namespace = z.array(z.string());

/** What a reader wants (EventStreamRequest and SubscribeParams of the protocol). */
export const subscription = z.object({
  channels: z.array(channel).min(1, { error: 'must name at least one channel' }),
  /** Events of these and below; absent: of all. */
  namespaces: optional(z.array(namespace)),
  /** How far below. */
  depth: optional(z.int().min(0)),
  /** The last `seq` that the reader has. */
  since: optional(z.int().min(0)),
});

export type Subscription = z.infer<typeof subscription>;

/** Whether the subscription has only channels that describe the present of a run, and nothing of its course. */
export function isOfStatusAlone({ channels }: Subscription): boolean {
  return channels.every((one) => one === 'lifecycle' || one === 'input');
}

/** Whether a reader wants an event. */
export function isWanted(frame: Frame, { channels, since, ...where }: Subscription): boolean {
  if (since !== undefined && frame.seq <= since) return false;
  const own = channelOf(frame);
  const asked: readonly string[] = channels;
  const isNamed = asked.includes(own) || (frame.method === 'custom' && asked.includes('custom'));
  return isNamed && isBelow(frame.namespace, where);
}

function isBelow(
  path: readonly string[],
  { namespaces = [], depth = Number.POSITIVE_INFINITY }: Pick<Subscription, 'namespaces' | 'depth'>,
): boolean {
  if (namespaces.length === 0) return true;
  return namespaces.some(
    (prefix) => isPrefix(prefix, path) && path.length - prefix.length <= depth,
  );
}

/** A segment is `node:task`; a prefix may leave out the task. */
function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return (
    prefix.length <= path.length &&
    prefix.every((segment, at) => {
      const candidate = path[at] ?? '';
      return candidate === segment || (!segment.includes(':') && nodeOf(candidate) === segment);
    })
  );
}

/** The node of a segment `node:task`. */
export function nodeOf(segment: string): string {
  return segment.replace(/:.*$/s, '');
}
