import { expect, it } from 'vitest';
import { jsonText } from '../../../model/json.ts';
import { createNumbering, type Frame, frameText, seqAt } from './frame.ts';
import { isOfStatusAlone, isWanted, subscription } from './subscription.ts';

const frame = (more: Partial<Frame> = {}): Frame => ({
  eventId: 'e',
  seq: 7,
  method: 'values',
  namespace: [],
  at: 0,
  data: jsonText('{}'),
  ...more,
});
const wants = (given: object, one: Frame): boolean =>
  isWanted(one, subscription.parse({ channels: ['values'], ...given }));

it('has the events of its channels', () => {
  expect(wants({}, frame())).toBe(true);
  expect(wants({}, frame({ method: 'updates' }))).toBe(false);
  expect(wants({ channels: ['input'] }, frame({ method: 'input.requested' }))).toBe(true);
  const named = frame({ method: 'custom', name: 'progress' });
  expect(wants({ channels: ['custom'] }, named)).toBe(true);
  expect(wants({ channels: ['custom:progress'] }, named)).toBe(true);
  expect(wants({ channels: ['custom:other'] }, named)).toBe(false);
  expect(wants({ channels: ['custom:progress'] }, frame({ method: 'custom' }))).toBe(false);
});

it('has those after the last event that the reader has', () => {
  expect([6, 7, 8].map((since) => wants({ since }, frame()))).toEqual([true, false, false]);
});

it('has those of its namespaces, as far below as it wants', () => {
  const below = frame({ namespace: ['tools:1', 'agent:2'] });
  expect(wants({ namespaces: [['tools']] }, below)).toBe(true);
  expect(wants({ namespaces: [['tools:1']] }, below)).toBe(true);
  expect(wants({ namespaces: [['tools:3']] }, below)).toBe(false);
  expect(wants({ namespaces: [['tools']], depth: 0 }, below)).toBe(false);
  expect(wants({ namespaces: [['tools']], depth: 1 }, below)).toBe(true);
  expect(wants({ namespaces: [[]], depth: 1 }, below)).toBe(false);
  expect(wants({ namespaces: [[]], depth: 0 }, frame())).toBe(true);
  expect(wants({ namespaces: [['other'], ['tools', 'agent']] }, below)).toBe(true);
});

it('must name channels that exist', () => {
  for (const channels of [[], ['nothing'], ['custom:'], 'values']) {
    expect(subscription.safeParse({ channels }).success).toBe(false);
  }
});

it('describes the present alone, or what happens, too', () => {
  const of = (...channels: string[]) => isOfStatusAlone(subscription.parse({ channels }));
  expect([of('lifecycle', 'input'), of('lifecycle', 'values')]).toEqual([true, false]);
});

it('numbers events so that later ones have higher numbers on every stream', () => {
  const at = Date.UTC(2026, 0, 1);
  const numbered = createNumbering();
  const seqs = [at, at, at + 1, at - 50].map((time) => numbered(frame({ at: time })).seq);
  expect(seqs).toEqual([seqAt(at), seqAt(at) + 1, seqAt(at + 1), seqAt(at + 1) + 1]);
  expect(Number.isSafeInteger(seqAt(Date.UTC(2041, 0, 1)))).toBe(true);
});

it('is sent as the protocol has it', () => {
  const shown: unknown = JSON.parse(frameText(frame({ namespace: ['a'], node: 'n', at: 5 })));
  expect(shown).toEqual({
    type: 'event',
    event_id: 'e',
    seq: 7,
    method: 'values',
    params: { namespace: ['a'], timestamp: 5, node: 'n', data: {} },
  });
});
