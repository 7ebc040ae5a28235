import { expect, test } from 'vitest';
import { deriveLimits } from '../../model/limits/limits.ts';
import { threadSettings } from './ceilings.ts';

const MIB = 1_024 ** 2;
const automatic = {
  maxCheckpointHistory: 1,
  maxCheckpointBytes: MIB,
  isCheckpointCeilingAutomatic: true,
  isExternal: false,
};
const chosen = { ...automatic, isCheckpointCeilingAutomatic: false };

test('an engine that reports the usual limit, or none, changes nothing', () => {
  const settings = { maxCheckpointHistory: 1, maxRunHistory: 1_000, maxCheckpointBytes: MIB };
  expect(threadSettings(automatic, 2 * MIB)).toEqual(settings);
  expect(threadSettings(automatic)).toEqual(settings);
});

test('an automatic ceiling follows an engine with a lower limit', () => {
  const settings = threadSettings(automatic, 256 * 1_024);
  expect(settings).toMatchObject({ maxCheckpointBytes: 249_036, payloadBytes: 249_036 });
  expect(deriveLimits(settings).canPayload).toBe(249_036);
});

test('a chosen ceiling above what the engine reports is refused with one sentence', () => {
  expect(() => threadSettings(chosen, 256 * 1_024)).toThrow(
    'engine.max_checkpoint_bytes is 1048576, but this engine takes payloads of 262144 bytes at most.',
  );
  const external = { ...chosen, maxCheckpointBytes: 24 * MIB, isExternal: true };
  expect(threadSettings(external, 2 * MIB).maxCheckpointBytes).toBe(24 * MIB);
});

test('a budget above one payload of the engine is refused', () => {
  expect(() => threadSettings({ ...automatic, canPayloadBudgetBytes: MIB }, 256 * 1_024)).toThrow(
    /engine\.can_payload_budget_bytes is 1048576/,
  );
});
