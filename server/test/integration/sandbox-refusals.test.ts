/**
 * `service serve` where its sandbox is unavailable: exit code 2, and one sentence on what to do. Each is a process of
 * its own, because that is what a person sees.
 * @module-tag release
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

import { communityKey } from '../../src/license/verify-license.ts';
import {
  type DaemonResponse,
  type DaemonResponses,
  startFakeDaemon,
} from '../fixtures/fake-daemon.ts';

const launcher = fileURLToPath(new URL('../../bin/service.js', import.meta.url));
const agents = fileURLToPath(new URL('../fixtures/thread-agents', import.meta.url));
const isRoot = process.getuid?.() === 0;
const UNPRIVILEGED_ID = 65_534;

let scratch = '';
let folder = '';
beforeAll(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'refusals-'));
  chmodSync(scratch, 0o755);
  folder = path.join(scratch, 'agents');
  cpSync(agents, folder, { recursive: true });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Refused {
  code: number | null;
  /** All errors on stderr. */
  errors: string[];
}

/** Tries to serve, as this user or as one without any rights. */
function serve(
  flags: readonly string[],
  environment: Record<string, string>,
  uid?: number,
): Promise<Refused> {
  const home = mkdtempSync(path.join(scratch, 'home-'));
  if (uid !== undefined) chownSync(home, uid, uid);
  const words = ['serve', folder, `--data-dir=${home}/data`, ...flags];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [launcher, ...words],
      {
        env: {
          ...{ PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home },
          ...{ SERVICE_LICENSE_KEY: communityKey(), SERVICE_CACHE_DIR: `${home}/cache` },
          ...environment,
        },
        ...(uid !== undefined && { uid, gid: uid }),
        ...{ timeout: 120_000, killSignal: 'SIGKILL' },
      },
      (_error, _stdout, stderr) =>
        resolve({
          code: child.exitCode,
          errors: stderr
            .split('\n')
            .filter((line) => line.startsWith('Error: '))
            .map((line) => line.replace(ANOTHER_WAY, '')),
        }),
    );
  });
}

/** What the command line adds where a sandbox is unavailable. */
const ANOTHER_WAY =
  ' Or pass --sandbox none, which runs the agents as plain processes of this user.';

/** One sentence: what is wrong, and behind a semicolon or colon what to do. */
const one = (sentence: string | RegExp): Refused => ({
  code: 2,
  errors: [typeof sentence === 'string' ? sentence : (expect.stringMatching(sentence) as string)],
});

const failure = (message: string) => ({ message });
const image = (architecture: string): DaemonResponse => [
  200,
  { ...{ Id: 'sha256:1', Os: 'linux', Architecture: architecture }, Config: {} },
];

it.each<[string, DaemonResponses, string[], string | RegExp]>([
  [
    'its disk is full when it pulls',
    { pull: [500, failure('write /var/lib/docker/tmp/x: no space left on device')] },
    [],
    'Error: The image py:1 cannot be pulled: the disk of the Docker daemon is full (docker system df).',
  ],
  [
    'its disk is full when it looks for the image',
    { image: [500, failure('mkdir /var/lib/docker/x: no space left on device')] },
    [],
    'Error: The image py:1 cannot be used: the disk of the Docker daemon is full (docker system df).',
  ],
  [
    'the registry refuses it',
    { pull: [404, failure('pull access denied for py, repository does not exist')] },
    [],
    /^Error: The image py:1 is missing and cannot be pulled: there is no such image, or the registry wants other credentials \(docker login\); make it with `service image build`/,
  ],
  [
    'the image is nowhere',
    {},
    [],
    /^Error: The image py:1 is missing and cannot be pulled: the registry has no such image; make it/,
  ],
  [
    'the image is for another platform',
    { image: image('s390x') },
    [],
    /^Error: The image py:1 is for linux\/s390x, and this machine runs linux\/amd64; name another/,
  ],
  [
    'its error is unknown',
    { image: [500, failure('open /home/ada/x: stale NFS file handle')] },
    [],
    "Error: The image py:1 cannot be used: the Docker daemon refused it, and its own words are in the service's log (SERVICE_LOG_LEVEL=debug).",
  ],
  [
    'it is in another machine',
    { info: { OperatingSystem: 'Docker Desktop' } },
    [],
    /^Error: The Docker daemon at \S+ runs Docker Desktop in a machine of its own, .*; use a Docker Engine of this machine\.$/,
  ],
  [
    'it filters no system calls',
    { info: { SecurityOptions: [] } },
    [],
    /^Error: The Docker daemon filters no system calls \(seccomp\), .*pass --sandbox gvisor\.$/,
  ],
  [
    'it has too few processors',
    {},
    ['--cpu=64'],
    'Error: --cpu 64 (guest.cpu_limit) is more than this machine has, which is 2 processors.',
  ],
  [
    'it has too little memory',
    {},
    ['--memory=8Gi'],
    'Error: --memory 8Gi (guest.memory_limit) is more than this machine has, which is 4096Mi of memory.',
  ],
])('does not start with Docker when %s', async (_, responses, flags, sentence) => {
  const folder = mkdtempSync(path.join(scratch, 'daemon-'));
  const socketPath = path.join(folder, 'docker.sock');
  onTestFinished(await startFakeDaemon(socketPath, responses));
  const refused = await serve(['--sandbox=docker', '--guest-image=py:1', ...flags], {
    DOCKER_HOST: `unix://${socketPath}`,
  });
  expect(refused).toEqual(one(sentence));
});

it.runIf(isRoot)("does not start where the user may not use Docker's socket", async () => {
  const folder = mkdtempSync(path.join(scratch, 'daemon-'));
  chmodSync(folder, 0o755);
  const socketPath = path.join(folder, 'docker.sock');
  onTestFinished(await startFakeDaemon(socketPath, {}));
  const refused = await serve(
    ['--sandbox=docker'],
    { DOCKER_HOST: `unix://${socketPath}` },
    UNPRIVILEGED_ID,
  );
  expect(refused).toEqual(
    one(
      /^Error: Docker is installed, but this user may not use its socket \S+; add the user to the group of the socket \(usermod -aG docker\) and log in again\.$/,
    ),
  );
});

/** A folder for PATH with a `runsc` that has the flags of this one. */
function pathWith(version: string, platforms: string): string {
  const bin = path.join(mkdtempSync(path.join(scratch, 'runsc-')), 'bin');
  mkdirSync(bin);
  const flags = `  -host-uds value
    controls permission to access host Unix-domain sockets. Values: none|open|create|all, default: none
  -platform string
    specifies which platform to use: ${platforms}.`;
  const script = `#!/bin/sh\nif [ "$1" = flags ]; then printf '%s' '${flags}' >&2; else echo 'runsc version ${version}'; fi\n`;
  writeFileSync(path.join(bin, 'runsc'), script);
  chmodSync(path.join(bin, 'runsc'), 0o755);
  chmodSync(path.dirname(bin), 0o755);
  return `${bin}:/usr/bin:/bin`;
}

it.each<[string, () => string, string[], string | RegExp]>([
  [
    'there is no runsc',
    () => '/usr/bin:/bin',
    [],
    /^Error: runsc is not on PATH; install a current one: .*go install gvisor\.dev\/gvisor\/runsc@latest/,
  ],
  [
    "runsc is Debian's, of 2022",
    () => pathWith('0.0~20221219.0', 'ptrace (default), kvm'),
    [],
    /^Error: \S+runsc \(0\.0~20221219\.0\) is too old: it lacks the systrap platform .*; install a current one/,
  ],
  [
    'the machine has too few processors',
    () => pathWith('release-20260801.0', 'systrap (default), ptrace'),
    ['--cpu=4096'],
    /^Error: --cpu 4096 \(guest\.cpu_limit\) is more than this machine has, which is \d+ processors?\.$/,
  ],
])('does not start with gVisor when %s', async (_, pathOf, flags, sentence) => {
  expect(await serve(['--sandbox=gvisor', ...flags], { PATH: pathOf() })).toEqual(one(sentence));
});

it.runIf(isRoot)('does not start with privileged gVisor for a user who is not root', async () => {
  const PATH = pathWith('release-20260801.0', 'systrap (default), ptrace');
  expect(await serve(['--sandbox=gvisor', '--rootless=false'], { PATH }, UNPRIVILEGED_ID)).toEqual(
    one('Error: gVisor with --rootless=false needs a service that runs as root.'),
  );
});
