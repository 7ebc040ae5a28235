import { expect, it } from 'vitest';
import {
  DISK_RESERVE_BYTES,
  LOW_DISK_BYTES,
  MIN_FREE_DISK_BYTES,
} from '../../model/limits/disk-limits.ts';
import { bytesToResume, type DiskState, diskState } from './disk-state.ts';

const [low, min, whole] = [LOW_DISK_BYTES, MIN_FREE_DISK_BYTES, DISK_RESERVE_BYTES];

it.each<[string, number, number, DiskState, DiskState]>([
  ['ample at the limit', low, whole, 'ample', 'ample'],
  ['low below it', low - 1, whole, 'ample', 'low'],
  ['still low until there is a quarter more', 1.25 * low - 1, whole, 'low', 'low'],
  ['ample again from there on', 1.25 * low, whole, 'low', 'ample'],
  ['low at the least that has to be free', min, whole, 'ample', 'low'],
  ['full below it', min - 1, whole, 'low', 'full'],
  ['still full until there is a quarter more', 1.25 * min - 1, whole, 'full', 'full'],
  ['no longer full from there on', 1.25 * min, whole, 'full', 'low'],
  ['full though as much is free, when the reserve was given up', 1.25 * min, 0, 'full', 'full'],
  ['no longer full when the reserve fits as well', 1.25 * min + whole, 0, 'full', 'low'],
  ['full when the reserve was never set aside', min + whole - 1, 0, 'ample', 'full'],
])('is %s', (_what, freeBytes, reserveBytes, before, after) => {
  expect(diskState({ freeBytes, reserveBytes }, before)).toBe(after);
});

it.each([0, whole])(
  'returns how much has to be free for a disk that is no longer full',
  (reserveBytes) => {
    const needed = bytesToResume(reserveBytes);
    expect(diskState({ freeBytes: needed - 1, reserveBytes }, 'full')).toBe('full');
    expect(diskState({ freeBytes: needed, reserveBytes }, 'full')).toBe('low');
  },
);
