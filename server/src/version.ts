import { readFileSync } from 'node:fs';

/** The version of the server package. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string; // our own file
  }
).version;
