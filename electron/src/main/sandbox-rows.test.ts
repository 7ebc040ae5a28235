// The findings are those of the server's own code, with a PATH and a DOCKER_HOST of the test.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { examineSandboxes } from '../../../server/src/index.ts';
import type { DesktopSettings, ServiceView } from '../ipc/contract.ts';
import { explainFailure } from './failure-help.ts';
import { sandboxRows, unexamined } from './sandbox-rows.ts';

const stopped: ServiceView = { state: 'stopped', steps: [], warnings: [] };
const noDocker = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
const present = 'agent-runtime-guest-python:1';
const missing = 'agent-runtime-guest-node:1';
const docker = { version: 'Docker Engine 28' };
const gvisor = { version: 'runsc, release-20260801.0 (/usr/bin/runsc)' };

/** A PATH with one `runsc`, which prints this version and these flags. */
function pathWith(version: string, platforms: string): { PATH: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'runsc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const flags = `  -host-uds value\n    \tValues: none|open|create|all\n  -platform string\n    \t${platforms}\n`;
  const script = `#!/bin/sh\nif [ "$1" = flags ]; then printf '%s' '${flags}'; else printf '%s' '${version}'; fi\n`;
  writeFileSync(path.join(folder, 'runsc'), script);
  chmodSync(path.join(folder, 'runsc'), 0o755);
  return { PATH: `${folder}:/usr/bin:/bin` };
}

/** State, detail and fix of each row. */
async function rowsOn(environment: Record<string, string>, sandbox: DesktopSettings['sandbox']) {
  const found = await examineSandboxes({ ...noDocker, ...environment });
  const rows = sandboxRows(found, { sandbox, view: stopped });
  return Object.fromEntries(rows.map(({ id, state, detail, fix }) => [id, [state, detail, fix]]));
}

const chooseAnother = 'Or choose another sandbox in the settings.';
const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

it('reports a runsc that is too old as a start would, with where a newer one is', async () => {
  const old = pathWith('runsc version 0.0~20221219.0\n', 'ptrace (default), kvm');
  const sentence = /runsc \(0\.0~20221219\.0\) is too old: .*go install gvisor\.dev.*https:/;
  expect((await rowsOn(old, 'gvisor'))['gvisor']).toEqual([
    'fail',
    matching(sentence),
    chooseAnother,
  ]);
  expect((await rowsOn(old, 'none'))['gvisor']).toEqual(['absent', matching(sentence), '']);
});

it('names the date of the sources of a runsc that was built with Go', async () => {
  const built = 'mod\tgvisor.dev/gvisor\tv0.0.0-20260905035102-160fafc42237\n';
  const current = pathWith(`runsc version VERSION_MISSING\n${built}`, 'systrap (default), ptrace');
  expect((await rowsOn(current, 'gvisor'))['gvisor']).toEqual([
    'ok',
    matching(/^runsc, sources of 2026-09-05 \(/),
    '',
  ]);
});

it('names the socket where Docker was expected, and no flag of the command line', async () => {
  const rows = await rowsOn({ PATH: '/nowhere' }, 'docker');
  expect(rows).toEqual({
    docker: [
      'fail',
      'There is no Docker daemon at /nowhere/docker.sock; start it or install Docker.',
      chooseAnother,
    ],
    gvisor: [
      'absent',
      matching(/^Not needed by the sandbox of the settings\. runsc is not on/),
      '',
    ],
    images: ['absent', 'They are checked when the sandbox is available.', ''],
  });
});

/** The row of the images alone. */
function imagesRow(images: { there: string[]; missing: string[] }, view = stopped) {
  const rows = sandboxRows({ docker, gvisor, images }, { sandbox: 'docker', view });
  return rows.find(({ id }) => id === 'images');
}

it('needs images only of the languages that agents have: one image is enough', () => {
  expect(imagesRow({ there: [present], missing: [missing] })).toMatchObject({
    state: 'ok',
    detail: present,
  });
  expect(imagesRow({ there: [], missing: [missing] })).toMatchObject({
    state: 'warn',
    detail: `Missing: ${missing}.`,
    fix: 'Open a folder of agents: its start offers to build what they need.',
  });
});

it('has the button to build where a start has failed because images are missing', () => {
  const message = `Images are missing: ${missing}.`;
  const failure = explainFailure({ code: 'images_missing', message, step: 'images' });
  const view: ServiceView = { ...stopped, state: 'failed', folder: '/agents', failure };
  expect(imagesRow({ there: [], missing: [missing] }, view)).toMatchObject({
    state: 'fail',
    detail: message,
    action: 'build',
  });
});

it('reports that nothing could be examined', () => {
  expect(unexamined(new Error('Its process ended with code 1.'))).toMatchObject({
    state: 'warn',
    detail: 'Docker and gVisor could not be examined: Its process ended with code 1.',
  });
});
