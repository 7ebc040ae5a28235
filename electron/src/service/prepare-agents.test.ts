import { expect, it } from 'vitest';
import type { MissingImages, ServiceConfig } from '../../../server/src/index.ts';
import type { FromService } from './messages.ts';
import { prepareAgents } from './prepare-agents.ts';

const inDocker = { guest: { sandbox: 'docker' } } as ServiceConfig; // what is read of it
const pulling = 'the image guest-python:1 cannot be pulled: not found';

interface Situation {
  isInstalling?: boolean;
  build?: MissingImages['build'];
  cancelled?: AbortController;
  /** Instead of the lookup that misses one image. */
  lookUp?: () => Promise<undefined>;
}

/** The messages to the desktop of a start whose image is missing, and the error of the preparation. */
async function prepared({ isInstalling = false, cancelled, ...situation }: Situation) {
  const posted: FromService[] = [];
  const builds: Promise<void>[] = [];
  const { build = () => Promise.resolve(), lookUp } = situation;
  const server: Parameters<typeof prepareAgents>[0] = {
    missingAgentPackages: () => Promise.reject(new Error('A sandbox has them.')),
    missingAgentImages(_, { onSandbox, onProgress }) {
      if (lookUp) return lookUp();
      onSandbox?.();
      onProgress(pulling);
      return Promise.resolve({ references: ['guest-python:1'], build });
    },
  };
  const failed = await prepareAgents(server, inDocker, {
    isInstalling,
    channel: { post: (message) => void posted.push(message), onMessage: () => undefined },
    signal: new AbortController().signal,
    buildSignal: (cancelled ?? new AbortController()).signal,
    onBuild: (begun) => void builds.push(begun),
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { posted, failed, builds };
}

const step = (name: string): object => ({ type: 'step', name });
const progress = (message: string): object => ({ type: 'progress', message });
const lookedFor = [step('sandbox'), progress('Docker'), step('images'), progress(pulling)];
const missing = { code: 'images_missing', message: 'Images are missing: guest-python:1.' };

it('starts nothing while images are missing', async () => {
  const { posted, failed } = await prepared({});
  expect(posted).toEqual(lookedFor);
  expect(failed).toMatchObject(missing);
});

it('builds them as a separate step', async () => {
  const { posted, failed } = await prepared({
    isInstalling: true,
    build({ onProgress }) {
      onProgress('packing: 100 %');
      return Promise.resolve();
    },
  });
  expect(posted).toEqual([
    ...lookedFor,
    progress('to be built: guest-python:1'),
    step('build'),
    progress('packing: 100 %'),
  ]);
  expect(failed).toBeUndefined();
});

it('reports them as missing at once when the build is cancelled', async () => {
  const cancelled = new AbortController();
  const stillBuilding = new Promise<void>(() => undefined);
  const { failed, builds } = await prepared({
    isInstalling: true,
    cancelled,
    build() {
      cancelled.abort();
      return stillBuilding;
    },
  });
  expect(failed).toMatchObject(missing);
  // The process waits for it when it is stopped.
  expect(builds).toHaveLength(1);
  expect(builds[0]).toBe(stillBuilding);
});

it('fails with the reason of a build that fails, and of an unavailable sandbox', async () => {
  const offline = new Error('Docker Hub cannot be reached.');
  const build = () => Promise.reject(offline);
  expect((await prepared({ isInstalling: true, build })).failed).toBe(offline);
  const noDocker = new Error('There is no Docker daemon.');
  const { posted, failed } = await prepared({ lookUp: () => Promise.reject(noDocker) });
  expect(posted).toEqual([step('sandbox')]);
  expect(failed).toBe(noDocker);
});
