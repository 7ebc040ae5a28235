import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { GuestError } from './guest-error.ts';
import { checkRelease, missingLangGraph, numbersOf, served } from './served-versions.ts';

describe('the releases of LangGraph.js', () => {
  it.each([
    ['0.4', [0, 4]],
    ['0.10.1', [0, 10, 1]],
    ['1.0.0-alpha.5', [1, 0, 0]],
    ['v2.3 ', [2, 3]],
    ['workspace:*', []],
    ['', []],
  ])('reads the numbers of %j', (release, numbers) => {
    expect(numbersOf(release)).toEqual(numbers);
  });

  it.each(['0.4.0', '0.4.10', '0.10.0', '1.0.0', '1.0.0-alpha.5', '1.7.3', ''])(
    'serves %j',
    (release) => {
      expect(checkRelease(release)).toBeUndefined();
    },
  );

  it.each(['0.2.8', '0.3.12', '0.0.1'])('refuses %j with both releases', (release) => {
    const sentence = `@langchain/langgraph ${release}; 0.4 or newer is needed. `;
    const refused = expect.objectContaining({
      code: 'agent_error',
      message: expect.stringContaining(sentence),
    });
    expect(() => checkRelease(release)).toThrow(refused);
    expect(() => checkRelease(release)).toThrow(GuestError);
  });

  it('serves a newer major release with a warning', () => {
    expect(checkRelease('2.0.0')).toBe(
      '@langchain/langgraph 2.0.0 is newer than what was tested (0.4 to 1.x): the agents are served all the same.',
    );
  });

  it('are those of the documentation', async () => {
    const file = new URL('../../../../docs/compatibility.md', import.meta.url);
    const { package: name, oldest, newestMajor } = served;
    const row = `| \`${name}\` | ${oldest} or newer, to ${newestMajor}.x |`;
    expect(await readFile(file, 'utf8')).toContain(row);
  });

  it('names what to install where there is none', () => {
    expect(missingLangGraph('/agents/a.ts').message).toContain('0.4 or newer is needed. Install');
  });
});
