import { expect, it } from 'vitest';
import type { ServiceConfig } from '../config/service-config.ts';
import { offerPackages } from './offer-packages.ts';

const because = 'uv.lock names Python packages, but there is no .venv.';
const config = {} as ServiceConfig; // only handed on

/** What a person sees who has one language's packages missing, and whether they were installed. */
async function offered(options: {
  isWanted?: boolean;
  answer?: string | undefined;
  needs?: string;
}) {
  const shown: string[] = [];
  let isInstalled = false;
  const terminal = {
    ask: (question: string) => {
      shown.push(question);
      return Promise.resolve(options.answer);
    },
    say: (sentence: string) => void shown.push(sentence),
  };
  const find = () =>
    Promise.resolve([
      {
        language: 'python' as const,
        directory: '/agents',
        because,
        ...(options.needs === undefined ? { command: 'uv sync' } : { needs: options.needs }),
        install: (onProgress: (line: string) => void) => {
          onProgress('Resolved 3 packages');
          isInstalled = true;
          return Promise.resolve();
        },
      },
    ]);
  await offerPackages(config, find, {
    isWanted: options.isWanted ?? false,
    output: { out: () => undefined, progress: (line) => void shown.push(line) },
    signal: new AbortController().signal,
    ...('answer' in options && { terminal }),
  });
  return { shown, isInstalled };
}

it('reports in headless use what is missing and how to install it', async () => {
  expect(await offered({})).toEqual({
    shown: [`Warning: ${because} Start with --install to have it done: uv sync`],
    isInstalled: false,
  });
});

it('installs without a question when requested', async () => {
  expect(await offered({ isWanted: true })).toEqual({
    shown: [`${because} Installing: uv sync`, '  Resolved 3 packages'],
    isInstalled: true,
  });
});

it.each([
  ['', true],
  ['Yes', true],
  ['n', false],
  ['what?', false],
])('asks on a terminal: %j', async (answer, isInstalled) => {
  const { shown, isInstalled: was } = await offered({ answer });
  expect(shown.slice(0, 2)).toEqual([
    `${because} This installs them:\n  uv sync`,
    'Install now? [Y/n] ',
  ]);
  expect(was).toBe(isInstalled);
});

it('ends with a sentence when the question is closed', async () => {
  await expect(offered({ answer: undefined })).rejects.toMatchObject({ code: 'config_invalid' });
});

it('names what is needed where nothing can install them', async () => {
  const { shown } = await offered({ isWanted: true, needs: 'pnpm is not on PATH.' });
  expect(shown).toEqual([`Warning: ${because} pnpm is not on PATH.`]);
});
