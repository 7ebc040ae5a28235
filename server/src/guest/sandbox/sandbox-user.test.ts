import { afterEach, expect, it, vi } from 'vitest';
import { SANDBOX_UID } from '../process/owned-folder.ts';
import { isAnotherUser } from './sandbox-user.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  { service: 0, guest: SANDBOX_UID, is: true },
  { service: 0, guest: 0, is: false },
  { service: 1_000, guest: 1_000, is: false },
  // Of a rootless daemon: outside that is its user, and nothing could be handed over.
  { service: 1_000, guest: 0, is: false },
])(
  'guests of $guest with a service of $service are handed files: $is',
  ({ service, guest, is }) => {
    vi.spyOn(process, 'getuid').mockReturnValue(service);
    expect(isAnotherUser({ uid: guest, gid: guest })).toBe(is);
  },
);
