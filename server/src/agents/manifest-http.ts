import type { AgentLanguage } from './agent.ts';
import { type EntryLocation, manifestProblem } from './manifest-keys.ts';
import { readPath } from './graph-entry.ts';
import { isObject } from '../model/json.ts';

/** A `langgraph_sdk.Auth` object of the agent folder, which authenticates and authorizes requests instead of OIDC. */
export interface ManifestAuth {
  /** `./auth.py:auth` or `package.module:auth`. */
  path: string;
  language: AgentLanguage;
  /** The folder's own handlers also check the studio's requests. */
  isStudioAuthDisabled: boolean;
}

/** LangGraph's keys that are valid without a `path`. */
const withoutPath = new Set(['path', 'openapi', 'disable_studio_auth', 'cache']);

/**
 * Reads `auth`; undefined when the manifest has none. Throws `manifest_invalid`: an invalid `auth` must not admit any
 * caller.
 */
export function readAuth(value: unknown, location: EntryLocation): ManifestAuth | undefined {
  if (value === undefined || value === null) return undefined;
  const wrong = (reason: string): Error => manifestProblem(location.file, 'auth', reason);
  if (!isObject(value)) throw wrong('it is not an object.');
  const { path, disable_studio_auth: isStudioAuthDisabled = false } = value;
  if (path === undefined || path === null) {
    const other = Object.keys(value).find((key) => !withoutPath.has(key));
    if (other !== undefined) throw wrong(`there is no "path", but "${other}".`);
    location.warn(`${location.file}: auth: without a "path" it means nothing here`);
    return undefined;
  }
  if (typeof path !== 'string') throw wrong('"path" is not a string.');
  if (typeof isStudioAuthDisabled !== 'boolean') {
    throw wrong('"disable_studio_auth" is not true or false.');
  }
  return { ...readPath(path, location, wrong), isStudioAuthDisabled };
}

/** The agent folder's own routes: an ASGI application, or one of JavaScript with `fetch`. */
export interface ManifestApp {
  /** `./webapp.py:app` or `package.module:app`. */
  path: string;
  language: AgentLanguage;
}

/** Reads `http.app`; undefined when it is missing. Throws `manifest_invalid`. */
export function readApp(
  http: unknown,
  auth: ManifestAuth | undefined,
  location: EntryLocation,
): ManifestApp | undefined {
  const value = isObject(http) ? http['app'] : undefined;
  if (value === undefined || value === null) return undefined;
  const wrong = (reason: string): Error => manifestProblem(location.file, 'http.app', reason);
  if (typeof value !== 'string') throw wrong('it is not a string, such as "./webapp.py:app".');
  const app = readPath(value, location, wrong);
  if (!auth || auth.language === app.language) return app;
  throw wrong('it and "auth" are of two languages; one process serves both.');
}
