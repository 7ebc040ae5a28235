import { readFileSync } from 'node:fs';

/** One instruction of a Dockerfile, its lines joined. */
export interface Instruction {
  word: string;
  rest: string;
}

/** The instructions of a Dockerfile in their order. */
export function readDockerfile(file: string): Instruction[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, word, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
      return word === undefined || rest === undefined ? [] : [{ word, rest }];
    });
}

/** The words of an instruction in exec form. */
export function execForm(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[]; // Docker asks for a JSON array of texts
}

/** `ENV a=b c=d` as an object. */
export function environmentOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = instructions
    .filter(({ word }) => word === 'ENV')
    .flatMap(({ rest }) => rest.trim().split(/\s+/))
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  return Object.fromEntries(pairs) as Record<string, string>; // made of pairs of texts
}

/** What follows the last instruction of that name. */
export function last(instructions: readonly Instruction[], word: string): string {
  const found = instructions.findLast((one) => one.word === word);
  if (found === undefined) throw new Error(`The Dockerfile has no ${word}.`);
  return found.rest;
}
