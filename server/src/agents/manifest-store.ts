import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type ManifestStore,
  MAX_DIMS,
  MAX_TTL_MINUTES,
  plainStore,
  type StoreIndexSettings,
  type StoreTtlSettings,
} from '../model/store/store-settings.ts';
import type { AgentLanguage } from './agent.ts';
import { type EntryLocation, manifestProblem } from './manifest-keys.ts';
import { languageOfFile } from './graph-entry.ts';
import { isObject } from '../model/json.ts';

/** Maximum number of indexed paths of an item. */
const MAX_FIELDS = 64;

type Wrong = (key: string, reason: string) => Error;

/** Reads `store` of the manifest with LangGraph's meaning; throws `manifest_invalid`. */
export function readStore(
  store: unknown,
  location: EntryLocation,
  languages: readonly AgentLanguage[],
): ManifestStore {
  if (store === undefined || store === null) return plainStore;
  const wrong: Wrong = (key, reason) => manifestProblem(location.file, key, reason);
  if (!isObject(store)) throw wrong('store', 'it is not an object.');
  const { index, ttl, ...others } = store;
  for (const key of Object.keys(others)) {
    const reason = key === 'path' ? 'agents get the store of the service' : 'unknown key';
    location.warn(`${location.file}: store.${key} is not used: ${reason}`);
  }
  const hasIndex = index !== undefined && index !== null;
  return {
    ...(hasIndex && { index: readIndex(index, { ...location, wrong }, languages) }),
    ttl: ttl === undefined || ttl === null ? plainStore.ttl : readTtl(ttl, wrong),
  };
}

function readIndex(
  index: unknown,
  { directory, wrong }: EntryLocation & { wrong: Wrong },
  languages: readonly AgentLanguage[],
): StoreIndexSettings {
  if (!isObject(index)) throw wrong('store.index', 'it is not an object.');
  const { dims, embed, fields = ['$'] } = index;
  if (!Number.isInteger(dims) || Number(dims) < 1 || Number(dims) > MAX_DIMS) {
    throw wrong('store.index.dims', `it is not an integer from 1 to ${MAX_DIMS}.`);
  }
  if (typeof embed !== 'string' || embed === '') {
    const forms = '"openai:text-embedding-3-small" or "./file.py:function"';
    throw wrong('store.index.embed', `it is not a text such as ${forms}.`);
  }
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === 'string');
  if (!isList || fields.length === 0 || fields.length > MAX_FIELDS) {
    throw wrong('store.index.fields', `it is not a list of 1 to ${MAX_FIELDS} paths.`);
  }
  const file = embed.slice(0, Math.max(embed.lastIndexOf(':'), 0));
  const language = languageOfFile(file);
  if (language !== undefined && !existsSync(path.resolve(directory, file))) {
    throw wrong('store.index.embed', `there is no file "${file}".`);
  }
  if (language === undefined && file === '') {
    throw wrong('store.index.embed', `"${embed}" names neither a provider nor a file.`);
  }
  return {
    embed,
    // A model of a provider: both languages have packages for it.
    language: language ?? (languages.includes('python') ? 'python' : 'javascript'),
    dims: Number(dims),
    fields,
  };
}

function readTtl(ttl: unknown, wrong: Wrong): StoreTtlSettings {
  if (!isObject(ttl)) throw wrong('store.ttl', 'it is not an object.');
  const minutes = (key: string): number | undefined => {
    const value = ttl[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && value > 0 && value <= MAX_TTL_MINUTES) return value;
    throw wrong(`store.ttl.${key}`, `it is not a number of minutes from 0 to ${MAX_TTL_MINUTES}.`);
  };
  const { refresh_on_read: refreshOnRead } = ttl;
  if (refreshOnRead !== undefined && typeof refreshOnRead !== 'boolean') {
    throw wrong('store.ttl.refresh_on_read', 'it is neither true nor false.');
  }
  const defaultMinutes = minutes('default_ttl');
  return {
    ...(defaultMinutes !== undefined && { defaultMinutes }),
    refreshOnRead: refreshOnRead ?? plainStore.ttl.refreshOnRead,
    sweepMinutes: minutes('sweep_interval_minutes') ?? plainStore.ttl.sweepMinutes,
  };
}
