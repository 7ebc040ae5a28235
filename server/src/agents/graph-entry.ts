import { existsSync } from 'node:fs';
import path from 'node:path';

import type { AgentId } from '../model/ids.ts';
import type { AgentLanguage, ManifestAgent } from './agent.ts';
import { isObject, manifestProblem } from './manifest-problem.ts';

/** Where an entry stands, for the sentences about it. */
export interface EntryPlace {
  file: string;
  directory: string;
  warn: (sentence: string) => void;
}

const languages: Readonly<Record<string, AgentLanguage>> = {
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascript',
  '.ts': 'javascript',
  '.mts': 'javascript',
  '.cts': 'javascript',
  '.tsx': 'javascript',
};

const MODULE = /^[\p{ID_Start}_][\p{ID_Continue}]*(\.[\p{ID_Start}_][\p{ID_Continue}]*)*$/u;
const knownKeys = new Set(['path', 'description', 'metadata']);

/** Reads one entry of `graphs`; throws `manifest_invalid`. */
export function readGraphEntry(name: string, value: unknown, place: EntryPlace): ManifestAgent {
  const entry = `graphs.${name}`;
  const wrong = (reason: string): Error => manifestProblem(place.file, entry, reason);
  if (name.trim() === '') throw wrong('the name is empty.');
  // Decisions, "manifest": JSON objects reorder such names, so the first entry would not be the first.
  if (/^\d+$/.test(name)) throw wrong('the name is an integer; give it a letter.');
  const agentId = name as AgentId; // whatever stands in the manifest is an agent's name
  if (typeof value === 'string') return { agentId, name, ...readPath(value, place, wrong) };
  if (!isObject(value)) throw wrong('expected "file:variable" or an object with "path".');

  const { path: target, description, metadata } = value;
  if (typeof target !== 'string') throw wrong('"path" is missing or not a string.');
  const agent: ManifestAgent = { agentId, name, ...readPath(target, place, wrong) };
  if (description !== undefined) {
    if (typeof description !== 'string') throw wrong('"description" is not a string.');
    agent.description = description;
  }
  if (metadata !== undefined) {
    if (!isObject(metadata)) throw wrong('"metadata" is not an object.');
    agent.metadata = metadata;
  }
  for (const key of Object.keys(value)) {
    if (!knownKeys.has(key)) place.warn(`${place.file}: ${entry}: unknown key "${key}"`);
  }
  return agent;
}

function readPath(
  target: string,
  { directory }: EntryPlace,
  wrong: (reason: string) => Error,
): { path: string; language: AgentLanguage } {
  const colon = target.lastIndexOf(':');
  const where = target.slice(0, Math.max(colon, 0));
  const variable = target.slice(colon + 1);
  if (where === '' || variable === '') {
    throw wrong(`"${target}" is not of the form "./file.py:variable".`);
  }
  const language = languages[path.extname(where).toLowerCase()];
  // `agent.py` is a file; `package.module` has an extension too, but none of these.
  if (!language && MODULE.test(where)) return { path: target, language: 'python' };
  if (!language) {
    throw wrong(
      `"${where}" is neither a Python, JavaScript or TypeScript file nor a Python module.`,
    );
  }
  const file = path.resolve(directory, where);
  if (!isInside(file, directory)) throw wrong(`"${where}" is outside of the agent folder.`);
  if (!existsSync(file)) throw wrong(`there is no file "${where}".`);
  return { path: target, language };
}

/** True for files below the folder, by their names. */
export function isInside(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
