import { expect, it } from 'vitest';
import { result } from '../../test/fixtures/thread-builder.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import { attemptResult, remainingInlineBytes } from './attempt-result.ts';

const limits = deriveLimits({ maxCheckpointBytes: 0 });

it('leaves the last writes what output, interrupts and error do not take', () => {
  expect(remainingInlineBytes(result('completed'), limits)).toBe(limits.inlineSave);
  const taken = { output: new Uint8Array(700_000), interrupts: new Uint8Array(600_000) };
  expect(remainingInlineBytes(result('interrupted', taken), limits)).toBe(
    limits.inlineSave - 1_300_000,
  );
  const error = { code: 'agent_error', message: 'm'.repeat(16_000), traceback: 'ü'.repeat(30_000) };
  expect(remainingInlineBytes(result('error', { error }), limits)).toBeLessThan(
    limits.inlineSave - 76_000,
  );
});

it('reports of a lost attempt whether its guest gave no sign of life', () => {
  const rejections = { inc: () => undefined };
  const lost = { kind: 'infra', message: 'm' } as const;
  const flags = [lost, { ...lost, wasStuck: true } as const].map(
    (end) => attemptResult(end, limits, rejections).wasStuck,
  );
  expect(flags).toEqual([undefined, true]);
});
