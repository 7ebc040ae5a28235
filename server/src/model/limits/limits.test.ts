import { expect, test } from 'vitest';
import { deriveLimits, limitRows, payloadCeiling } from './limits.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

test('derives every ceiling of a thread from its largest checkpoint', () => {
  const { checkpoint, pendingWrite, pendingWriteBatch, retainedPendingWrites, canPayload } =
    deriveLimits({ maxCheckpointBytes: 100 * KIB });
  expect({
    checkpoint,
    pendingWrite,
    pendingWriteBatch,
    retainedPendingWrites,
    canPayload,
  }).toEqual({
    checkpoint: 100 * KIB,
    pendingWrite: 100 * KIB,
    pendingWriteBatch: 150 * KIB,
    retainedPendingWrites: 400 * KIB,
    canPayload: 190 * KIB + 1_000 * KIB,
  });
});

test('takes 1 MiB inline and 8 MiB with external storage when nothing is set', () => {
  expect(deriveLimits({ maxCheckpointBytes: 0 }).checkpoint).toBe(MIB);
  const external = deriveLimits({ maxCheckpointBytes: 0, isExternal: true });
  expect([external.checkpoint, external.runInput]).toEqual([8 * MIB, 8 * MIB]);
});

test('never lets a thread carry more into its next execution than one payload', () => {
  const wide = { maxCheckpointBytes: 24 * MIB, isExternal: true };
  expect(deriveLimits(wide).canPayload).toBe(payloadCeiling());
  expect(deriveLimits({ ...wide, canPayloadBudgetBytes: 5_000 }).canPayload).toBe(5_000);
});

test('stays below what the engine reports, and never above its usual limit', () => {
  expect([undefined, 0, 256 * KIB, 64 * MIB].map((reported) => payloadCeiling(reported))).toEqual([
    1_992_294, 1_992_294, 249_036, 1_992_294,
  ]);
  const { inlineSave } = deriveLimits({ maxCheckpointBytes: 1, payloadBytes: 64 * KIB });
  expect(inlineSave).toBe(60 * KIB);
});

test('every tag of a rejection belongs to one limit', () => {
  const labels = Object.values(limitRows).flatMap((row) => ('label' in row ? [row.label] : []));
  expect(new Set(labels).size).toBe(labels.length);
});
