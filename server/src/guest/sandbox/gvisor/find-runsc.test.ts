// The output of runsc was recorded: each test starts a small shell script.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { findRunsc } from './find-runsc.ts';

/** A PATH with one `runsc`, which prints this. */
function pathWith(version: string, flags = ''): { PATH: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'runsc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'runsc');
  // The help on flags goes to stderr, as theirs does.
  const script = `#!/bin/sh\nif [ "$1" = flags ]; then printf '%s' '${flags}' >&2; else echo '${version}'; fi\n`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return { PATH: `${folder}:/usr/bin:/bin` };
}

const uds = `  -host-uds value
    	controls permission to access host Unix-domain sockets. Values: none|open|create|all, default: none
`;
const flagsOf2022 = `${uds}  -platform string
    	specifies which platform to use: ptrace (default), kvm. (default "ptrace")
`;
const current = `  -gofer-network-namespace value
    	which network namespace gofers have.
${uds}  -platform string
    	specifies which platform to use: systrap (default), ptrace, kvm. (default "systrap")
`;

it('finds the one on PATH, with its version and what it can do', async () => {
  const environment = pathWith('runsc version release-20260801.0', current);
  expect(await findRunsc(environment)).toEqual({
    runsc: {
      command: path.join(environment.PATH.split(':')[0] ?? '', 'runsc'),
      version: 'release-20260801.0',
      hasGoferNamespaces: true,
    },
  });
});

it('names the day of the sources where Go built it', async () => {
  const built = 'mod\tgvisor.dev/gvisor\tv0.0.0-20260905035102-160fafc42237';
  const environment = pathWith(`runsc version VERSION_MISSING\n${built}`, current);
  expect(await findRunsc(environment)).toMatchObject({
    runsc: { version: 'sources of 2026-09-05' },
  });
});

it.each([
  [
    "Debian's of 2022",
    pathWith.bind(null, 'runsc version 0.0~20221219.0', flagsOf2022),
    /too old.*go install/,
  ],
  ['another program', pathWith.bind(null, 'busybox'), /is not gVisor's runsc/],
  ['none', () => ({ PATH: '/nowhere' }), /^runsc is not on PATH; .*go install/],
])('reports the remedy for %s', async (_, environment, sentence) => {
  expect(await findRunsc(environment())).toEqual({
    problem: expect.stringMatching(sentence) as string,
    ...(sentence.source.includes('too old') && { version: '0.0~20221219.0' }),
  });
});

it('reports that the one that was named does not exist', async () => {
  const { problem } = (await findRunsc({ PATH: '' }, '/opt/runsc')) as { problem: string };
  expect(problem).toMatch(/^There is no program \/opt\/runsc; /);
});
