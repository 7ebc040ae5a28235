import { expect, it } from 'vitest';
import type { ServiceConfig } from '../config/service-config.ts';
import { ServiceError } from '../errors/service-error.ts';
import { offerImages, type FindImages } from './offer-images.ts';

const config = { guest: { sandbox: 'docker' } } as ServiceConfig; // what is read of it
const because = 'Images are missing: guest-python:1.';
const command = 'service image build --sandbox docker';

interface Situation {
  isWanted?: boolean;
  answer?: string | undefined;
  find?: FindImages;
  buildError?: Error;
}

/** What a person sees whose Python image is missing, whether it was built, and with what the offer failed. */
async function offered(situation: Situation) {
  const { isWanted = false, find, buildError } = situation;
  const shown: string[] = [];
  let isBuilt = false;
  const terminal = {
    ask: (question: string) => {
      shown.push(question);
      return Promise.resolve(situation.answer);
    },
    say: (sentence: string) => void shown.push(sentence),
  };
  const missing: FindImages = (_, { onSandbox, onProgress }) => {
    onSandbox?.();
    onProgress('the image guest-python:1 cannot be pulled: it is nowhere');
    return Promise.resolve({
      references: ['guest-python:1'],
      build({ onProgress: report }) {
        report('packing the image guest-python:1: 100 %');
        isBuilt = buildError === undefined;
        return buildError ? Promise.reject(buildError) : Promise.resolve();
      },
    });
  };
  const failed = await offerImages(config, find ?? missing, {
    isWanted,
    output: { out: () => undefined, progress: (line) => void shown.push(line) },
    signal: new AbortController().signal,
    ...('answer' in situation && { terminal }),
  }).then(
    () => undefined,
    (error: ServiceError) => [error.code, error.message],
  );
  return { shown: shown.slice(1), isBuilt, failed };
}

it('ends a headless start with how images are had', async () => {
  expect(await offered({})).toEqual({
    shown: [],
    isBuilt: false,
    failed: ['config_invalid', `${because} Start with --install, or build them: ${command}`],
  });
});

it('builds without a question when requested', async () => {
  expect(await offered({ isWanted: true })).toEqual({
    shown: [`${because} Building: ${command}`, '  packing the image guest-python:1: 100 %'],
    isBuilt: true,
    failed: undefined,
  });
});

it.each([
  ['', true],
  ['Yes', true],
  ['n', false],
])('asks on a terminal: %j', async (answer, isBuilt) => {
  const seen = await offered({ answer });
  expect(seen.shown.slice(0, 2)).toEqual([
    `${because} This builds them:\n  ${command}`,
    'Build them now? [Y/n] ',
  ]);
  expect(seen.isBuilt).toBe(isBuilt);
  expect(seen.failed === undefined).toBe(isBuilt);
});

it('ends with a sentence when the question is closed', async () => {
  const { failed } = await offered({ answer: undefined });
  expect(failed).toEqual(['config_invalid', 'The question about the images was not answered.']);
});

it('reports for a failed build what else can be built of', async () => {
  const buildError = new ServiceError('config_invalid', 'Docker Hub cannot be reached.');
  const { failed } = await offered({ isWanted: true, buildError });
  expect(failed?.[1]).toBe(
    'Docker Hub cannot be reached. `service image build --base` takes another image or a folder.',
  );
});

it('reports for a missing sandbox how to do without, but not for an image that is named', async () => {
  const noDocker = new ServiceError('config_invalid', 'There is no Docker daemon.');
  const { failed } = await offered({ find: () => Promise.reject(noDocker) });
  expect(failed?.[1]).toMatch(/^There is no Docker daemon\. Or pass --sandbox none, which/);
  const noImage: FindImages = (_, { onSandbox }) => {
    onSandbox?.();
    return Promise.reject(new ServiceError('config_invalid', 'There is no image x.'));
  };
  expect((await offered({ find: noImage })).failed?.[1]).toBe('There is no image x.');
});
