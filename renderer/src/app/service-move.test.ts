import { expect, test } from 'vitest';
import type { ServiceView } from '../../../electron/src/ipc/contract.ts';
import { serviceMove } from './service-move.ts';

const view = (state: ServiceView['state'], source: Partial<ServiceView> = {}): ServiceView => ({
  state,
  steps: [],
  warnings: [],
  ...source,
});
const mine = { folder: '/a' };
const other = { folder: '/b' };
const remote = { url: 'https://agents.example.org' };

test('the first view changes nothing: the page has just fetched its data', () => {
  expect(serviceMove(undefined, view('ready', mine), '/threads')).toEqual({});
});

test('a start is watched, and a ready service is shown', () => {
  const starting = view('starting', mine);
  expect(serviceMove(view('stopped'), starting, '/threads')).toEqual({
    queries: 'forget',
    to: '/welcome',
  });
  expect(serviceMove(starting, view('ready', mine), '/welcome')).toEqual({
    queries: 'again',
    to: '/threads',
  });
});

test('data of a service that is back is fetched again, on the page that is open', () => {
  for (const state of ['starting', 'failed', 'stopped'] as const) {
    const move = serviceMove(view(state, mine), view('ready', mine), '/threads/a/state');
    expect(move).toEqual({ queries: 'again' });
  }
  expect(serviceMove(view('ready', mine), view('stopping', mine), '/threads/a')).toEqual({});
  expect(serviceMove(view('stopping', mine), view('starting', mine), '/threads/a')).toEqual({});
});

test('nothing of another folder or service is kept', () => {
  expect(serviceMove(view('stopping', mine), view('starting', other), '/threads/a')).toEqual({
    queries: 'forget',
    to: '/welcome',
  });
  expect(serviceMove(view('ready', mine), view('remote', remote), '/welcome')).toEqual({
    queries: 'forget',
    to: '/threads',
  });
  expect(serviceMove(view('remote', remote), view('stopped'), '/threads/a')).toEqual({
    queries: 'forget',
  });
});
