import { expect, it } from 'vitest';
import { toJsonText } from '../../model/json.ts';
import { presentState, presentStates } from './present-state.ts';

const state = (id: string, parentId: string | null, step: number) =>
  toJsonText({
    values: { n: step },
    next: [],
    metadata: { step },
    checkpoint: { thread_id: 't', checkpoint_ns: '', checkpoint_id: id },
    parent_checkpoint: parentId === null ? null : { checkpoint_id: parentId },
  });

const parents = (states: string[]) =>
  states.map((text) => {
    const { parent_checkpoint: parent } = JSON.parse(text) as {
      parent_checkpoint: { checkpoint_id: string } | null;
    };
    return parent?.checkpoint_id ?? null;
  });

it('leaves a history without gaps as it is', () => {
  const whole = [state('3', '2', 1), state('2', '1', 0), state('1', null, -1)];
  expect(parents(presentStates(whole))).toEqual(['2', '1', null]);
});

it('bridges what is no longer retained by the nearest older state of a lower step', () => {
  // A run to step 4 and, from the state at step 1, another one to step 4: each keeps its last state.
  const cut = [state('9', '8', 4), state('6', '5', 4), state('3', '2', 1), state('1', null, -1)];
  expect(parents(presentStates(cut))).toEqual(['3', '3', '1', null]);
});

it('leaves a parent that is beyond the page', () => {
  expect(parents(presentStates([state('3', '2', 1)]))).toEqual(['2']);
});

it('names no checkpoint where there is none, and only what is asked for', () => {
  const empty = toJsonText({ values: {}, metadata: null, checkpoint: { checkpoint_ns: '' } });
  expect(JSON.parse(presentState(empty))).toMatchObject({ checkpoint: null, metadata: {} });
  expect(JSON.parse(presentState(state('1', null, 0), ['values']))).toEqual({ values: { n: 0 } });
});
