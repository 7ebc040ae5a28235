import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { AgentId } from '../model/ids.ts';
import type { AgentLanguage, ManifestAgent } from './agent.ts';
import { type EntryLocation, manifestProblem } from './manifest-keys.ts';
import { isObject } from '../model/json.ts';
import { isWithinSources, portable } from './source-folders.ts';

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
export function readGraphEntry(
  name: string,
  value: unknown,
  location: EntryLocation,
): ManifestAgent {
  const entry = `graphs.${name}`;
  const wrong = (reason: string): Error => manifestProblem(location.file, entry, reason);
  if (name.trim() === '') throw wrong('the name is empty.');
  // Decisions, "manifest": JSON objects reorder such names, so the first entry would not be the first.
  if (/^\d+$/.test(name))
    throw wrong(`the name is an integer; give it a letter, such as "agent${name}".`);
  // Path segments that URLs resolve, and characters that headers cannot contain.
  if (/^\.{1,2}$|\p{Cc}/u.test(name)) {
    throw wrong('no URL can have this name; give it one of letters, such as "agent".');
  }
  const agentId = name as AgentId; // any name in the manifest is an agent id
  if (typeof value === 'string') return { agentId, name, ...readPath(value, location, wrong) };
  if (!isObject(value)) throw wrong('expected "./file.py:variable" or an object with "path".');

  const { path: target, description, metadata } = value;
  if (typeof target !== 'string')
    throw wrong('"path" is missing or not a string; write "path": "./file.py:variable".');
  const agent: ManifestAgent = { agentId, name, ...readPath(target, location, wrong) };
  if (description !== undefined) {
    if (typeof description !== 'string') throw wrong('"description" is not a string.');
    agent.description = description;
  }
  if (metadata !== undefined) {
    if (!isObject(metadata)) throw wrong('"metadata" is not an object.');
    agent.metadata = metadata;
  }
  for (const key of Object.keys(value)) {
    if (!knownKeys.has(key)) location.warn(`${location.file}: ${entry}: unknown key "${key}"`);
  }
  return agent;
}

/** The language of a file by its extension; undefined for any other text. */
export function languageOfFile(file: string): AgentLanguage | undefined {
  return languages[path.extname(file).toLowerCase()];
}

/**
 * Reads `file:variable` or `module:variable`; a JavaScript file without a variable means its default export. Files are
 * below the agent folder or below the folders that `dependencies` names.
 */
export function readPath(
  target: string,
  location: EntryLocation,
  wrong: (reason: string) => Error,
): { path: string; language: AgentLanguage } {
  const { written, variable } = splitTarget(target);
  if (written === '' || variable === '') {
    throw wrong(
      `"${target}" is not of the form "./file.py:variable" or "package.module:variable".`,
    );
  }
  const where = existsSync(path.resolve(location.directory, written)) ? written : portable(written);
  const language = languageOfFile(where);
  // `agent.py` is a file; `package.module` has an extension too, but none of a known language.
  if (!language && MODULE.test(where)) return { path: target, language: 'python' };
  if (!language) {
    throw wrong(
      `"${written}" is neither a file of Python, JavaScript or TypeScript nor a Python module; write "./file.py:variable" or "package.module:variable".`,
    );
  }
  checkFile(where, location, wrong);
  return { path: `${where}:${variable}`, language };
}

function splitTarget(target: string): { written: string; variable: string } {
  const [whole, written = '', variable = ''] = /^(.*):([^\\/]*)$/s.exec(target) ?? [target];
  if (variable !== '') return { written, variable };
  const alone = written === '' ? whole : written; // a trailing colon is ignored
  return { written: alone, variable: languageOfFile(alone) === 'javascript' ? 'default' : '' };
}

function checkFile(
  where: string,
  { directory, sourceFolders }: EntryLocation,
  wrong: (reason: string) => Error,
): void {
  const file = path.resolve(directory, where);
  if (!existsSync(file)) throw wrong(`there is no file "${where}"; it would be ${file}.`);
  if (!statSync(file).isFile()) throw wrong(`"${where}" is a folder; name the file in it.`);
  if (isWithinSources(file, sourceFolders)) return;
  const real = realpathSync(file);
  const link = real === file ? '' : `leads to ${real}, which `;
  const folder = portable(path.relative(realpathSync(directory), path.dirname(real)));
  throw wrong(
    `"${where}" ${link}is outside of the agent folder; add "${folder}" to "dependencies".`,
  );
}
