import { expect, it } from 'vitest';
import { createFolderGrants } from './folder-grants.ts';

const entry = (path: string) => ({ path, name: 'agents', openedAt: 0, exists: true });

it('starts no folder that only the page names', () => {
  const grants = createFolderGrants({ list: () => [entry('/home/me/agents')] });
  expect(() => grants.requireGranted('/home/me')).toThrow(
    'Open /home/me with "Open folder" first.',
  );
  expect(() => grants.requireGranted('/home/me/agents/../..')).toThrow(/first/);
});

it('starts what was chosen or named on the command line, and what is or was in the recent list', () => {
  let list = [entry('/home/me/agents')];
  const grants = createFolderGrants({ list: () => list });
  grants.grant('/srv/agents/');
  expect(grants.requireGranted('/srv/agents')).toBe('/srv/agents');
  expect(grants.requireGranted('/home/me/agents/')).toBe('/home/me/agents');
  list = [];
  expect(grants.requireGranted('/home/me/agents')).toBe('/home/me/agents');
});
