/*
 * `policy/log/` makes an `AccessRecord` of each decision, of bounded size and without claims, keeps the latest
 * (`decision-memory.ts`) and writes them between requests (`access-log.ts`). Followers have no queue: a reader has the
 * id of the last record it read, and gets the next one from the memory, so a slow reader loses records and is notified
 * by a `gap`.
 */
import {
  ACCESS_LOG_BATCH,
  ACCESS_LOG_QUEUE,
  ACCESS_LOG_QUEUE_BYTES,
} from '../../model/limits/access-log-limits.ts';
import type { Logger } from '../../observability/logger.ts';
import type { PlainCounterPort } from '../../observability/metrics.ts';
import type { OnDecision } from '../domain/question-porc.ts';
import { accessMembers, accessRecordOf, sizeOf, type AccessRecord } from './access-record.ts';
import { DecisionMemory } from './decision-memory.ts';

/** Receives every decision. */
export interface AccessLog {
  /** Takes microseconds: lines are written after the pending responses of the service. */
  onDecision: OnDecision;
  /** The latest decisions, without questions about `service:policy`, so that reading them adds no records. */
  memory: DecisionMemory;
  /** Writes all queued records. */
  close(): void;
}

export interface AccessLogOptions {
  logger: Pick<Logger, 'info' | 'warn' | 'isLevelEnabled'>;
  /** Counts records that were not written. */
  lost: PlainCounterPort;
  now?: () => number;
  limits?: { records: number; bytes: number; batch: number };
}

const usualLimits = {
  records: ACCESS_LOG_QUEUE,
  bytes: ACCESS_LOG_QUEUE_BYTES,
  batch: ACCESS_LOG_BATCH,
};

/**
 * Writes one line for every decision, in order, a few in each turn of the event loop; beyond the limits records are
 * lost.
 */
export function createAccessLog({
  logger,
  lost,
  now = Date.now,
  limits = usualLimits,
}: AccessLogOptions): AccessLog {
  let lastId = now() * 1_000;
  const memory = new DecisionMemory(lastId);
  const queue: AccessRecord[] = [];
  let queuedBytes = 0;
  let next: NodeJS.Immediate | undefined;
  let isLossLogged = false;

  function write(count: number): void {
    for (const record of queue.splice(0, count)) {
      queuedBytes -= sizeOf(record);
      logger.info(accessMembers(record), 'decision');
    }
  }

  function writeSome(): void {
    next = undefined;
    write(limits.batch);
    if (queue.length > 0) next = setImmediate(writeSome);
  }

  function enqueue(record: AccessRecord): void {
    if (!logger.isLevelEnabled('info')) return;
    if (queue.length >= limits.records || queuedBytes >= limits.bytes) {
      lost.inc();
      if (!isLossLogged)
        logger.warn({}, 'access records are lost: they come faster than they are written');
      isLossLogged = true;
      return;
    }
    queue.push(record);
    queuedBytes += sizeOf(record);
    next ??= setImmediate(writeSome);
  }

  return {
    memory,
    onDecision(question, decision) {
      const at = now();
      // Derived from the time, so that ids of an earlier start are smaller; always larger than the last, whatever the
      // clock does.
      lastId = Math.max(lastId + 1, at * 1_000);
      const record = accessRecordOf(question, decision, { id: lastId, at });
      if (!question.operation.startsWith('service:policy:')) memory.add(record);
      enqueue(record);
    },
    close() {
      clearImmediate(next);
      next = undefined;
      write(queue.length);
    },
  };
}
