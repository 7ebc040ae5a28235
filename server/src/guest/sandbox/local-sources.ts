import { isObject } from '../../model/json.ts';

/**
 * Whether packages come from registries only. Packages that depend on a folder's own files are not shared with another
 * folder that has the same lists: two folders may have different `./lib`.
 */

const ARCHIVE = /\.(whl|zip|egg|tgz|tbz|txz|tar(\.\w+)?)$/i;
const OPTION =
  /^(-r|-c|-i|--requirement|--constraint|--index-url|--extra-index-url|--find-links|-f|--pre|--prefer-binary|--only-binary|--no-binary|--require-hashes|--no-index|--trusted-host)([ =]|$)/;
const NAMED = /^[a-z0-9][\w.-]*\s*(\[[^\]]*\])?\s*(\(?[<>=!~][^;@/]*)?(;.*)?$/i;
const FROM_URL = /^[a-z0-9][\w.-]*\s*(\[[^\]]*\])?\s*@\s*(https|http|git\+https|git\+ssh):\/\//i;

/** True for requirements of pip, one a line, of which none is a path of this machine. */
export function areOfRegistries(text: string): boolean {
  const joined = text.replaceAll(/\\\r?\n/g, ' ');
  return joined.split(/\r?\n/).every((written) => {
    const line = written.replace(/(^|\s)#.*$/, '').trim();
    if (line === '') return true;
    if (/^(-f|--find-links)/.test(line)) return /^\S+?[ =]+https?:\/\//.test(line);
    if (OPTION.test(line)) return true;
    const bare = line.replace(/(\s+--hash[ =]\S+)+$/, '').trim();
    if (FROM_URL.test(bare)) return true;
    return NAMED.test(bare) && !ARCHIVE.test(bare.replace(/[\s;[].*$/, ''));
  });
}

/** True for a pyproject.toml with static dependencies, and a uv.lock without files of this machine. */
export function isOfRegistries(pyproject: string | undefined, lock: string | undefined): boolean {
  if (lock !== undefined && /\bpath\s*=/.test(lock)) return false;
  if (pyproject === undefined || !/^\s*\[project\]/m.test(pyproject)) return false;
  const isBuilt = /^\s*dynamic\s*=\s*\[[^\]]*dependencies/m.test(pyproject);
  return !isBuilt && !/file:|["'@]\s*(\.{1,2}|~)?\//.test(pyproject);
}

/** True for texts of package.json, its lock and .npmrc with only entries that are known to be remote. */
export function areOfNpmRegistries(texts: readonly string[], npmrc: readonly string[]): boolean {
  const known =
    /^(@[^:]+:)?registry\s*=|^\/\/|^(strict-ssl|always-auth|legacy-peer-deps)\s*=|^[#;]/;
  const lines = npmrc.flatMap((text) => text.split(/\r?\n/)).map((line) => line.trim());
  return texts.every(isNpmRemote) && lines.every((line) => line === '' || known.test(line));
}

function isNpmRemote(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    return isRemoteEntry(JSON.parse(text));
  } catch {
    return false; // npm reports what is wrong with it
  }
}

/** Keys of package.json and of locks whose values map names to package specs. */
const SPECS = new Set([
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'],
  ...['overrides', 'requires'],
]);
/** Specs that npm does not treat as paths, as in npm-package-arg. A range or a tag does not begin with a dot. */
const RANGE = /^(?!\.)[\w.+*^~<>=|\s-]*$/;
const ALIAS = /^npm:(@[\w.-]+\/)?[\w.-]+(@[^/:]*)?$/;
const GITHUB = /^[\w-][\w.-]*\/[\w.-]+(#[^/]+)?$/;
const REMOTE = /^(https?|git\+https|git\+ssh):\/\//i;

/** package.json, a lock, or an entry of one. */
function isRemoteEntry(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  return Object.entries(entry).every(([key, value]) => {
    if (SPECS.has(key)) return isRemoteSpecs(value);
    if (key === 'packages') return isRemotePackages(value);
    if (key === 'resolved') return typeof value !== 'string' || REMOTE.test(value);
    if (key === 'version') return typeof value === 'string' && isRemoteSpec(value);
    return key !== 'workspaces' && (key !== 'link' || value !== true);
  });
}

/** Entries by their path in node_modules; that of the project itself is empty. */
function isRemotePackages(packages: unknown): boolean {
  if (!isObject(packages)) return false;
  return Object.entries(packages).every(([location, entry]) => {
    if (location === '') return isRemoteEntry(entry);
    // Workspaces of an installed package have no effect here.
    const { workspaces: _, ...rest } = isObject(entry) ? entry : {};
    return /^node_modules\/(?!.*\.\.)/.test(location) && isRemoteEntry(rest);
  });
}

/** Overrides may be nested, and locks of version 1 have an entry where package.json has a range. */
function isRemoteSpecs(specs: unknown): boolean {
  if (typeof specs === 'boolean') return true; // a lock's `requires`
  if (!isObject(specs)) return false;
  return Object.values(specs).every((spec) => {
    if (typeof spec === 'string') return isRemoteSpec(spec) || /^\$[\w@./-]+$/.test(spec);
    return 'version' in Object(spec) ? isRemoteEntry(spec) : isRemoteSpecs(spec);
  });
}

function isRemoteSpec(spec: string): boolean {
  if (REMOTE.test(spec) || ALIAS.test(spec)) return true;
  return (RANGE.test(spec) || GITHUB.test(spec)) && !ARCHIVE.test(spec.trim());
}
