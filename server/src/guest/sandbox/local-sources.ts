/**
 * Whether packages come from registries alone. What a folder's own files decide is not shared with another folder that
 * has the same lists: a stranger's `./lib` is not yours.
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

/** True for a pyproject.toml that says itself what it depends on, and a uv.lock without files of this machine. */
export function isOfRegistries(pyproject: string | undefined, lock: string | undefined): boolean {
  if (lock !== undefined && /\bpath\s*=/.test(lock)) return false;
  if (pyproject === undefined || !/^\s*\[project\]/m.test(pyproject)) return false;
  const isBuilt = /^\s*dynamic\s*=\s*\[[^\]]*dependencies/m.test(pyproject);
  return !isBuilt && !/file:|["'@]\s*(\.{1,2}|~)?\//.test(pyproject);
}

const NPM_MAPS = /^((dev|optional|peer)?dependencies|overrides|resolved)$/i;
const REMOTE = /^(https?|ssh|git|git\+https?|git\+ssh|github|gitlab|bitbucket|gist):/i;
const OF_GITHUB = /^[\w-][\w.-]*\/[\w.-]+(#.*)?$/;

/** True for texts of package.json, its lock and .npmrc with no path of this machine. */
export function areOfNpmRegistries(texts: readonly string[], npmrc: readonly string[]): boolean {
  const isKnown =
    /^(@[^:]+:)?registry\s*=|^\/\/|^(strict-ssl|always-auth|legacy-peer-deps)\s*=|^[#;]/;
  const lines = npmrc.flatMap((text) => text.split(/\r?\n/)).map((line) => line.trim());
  return (
    texts.every((text) => text === '' || isRemoteText(text)) &&
    lines.every((line) => line === '' || isKnown.test(line))
  );
}

/** What is no JSON may be anything to npm. The words are those that npm reads, without JSON's escapes. */
function isRemoteText(text: string): boolean {
  try {
    return isRemote(JSON.parse(text), false);
  } catch {
    return false;
  }
}

function isRemote(value: unknown, isSource: boolean): boolean {
  if (typeof value === 'string') return !isSource || isRemoteSource(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => {
    if (key === 'workspaces' || key === 'link') return false;
    const isHash = key === 'integrity' && /^sha\d+-/.test(String(inner));
    return isHash || isRemote(inner, isSource || NPM_MAPS.test(key));
  });
}

/** A name of a tarball alone (`x.tgz`) is a path to npm. */
function isRemoteSource(source: string): boolean {
  const word = source.trim().replace(/^npm:(@[^/]+\/)?/i, '');
  if (REMOTE.test(word)) return true;
  if (/^\.|^~[/\\]/.test(word) || ARCHIVE.test(word)) return false;
  return OF_GITHUB.test(word) || !/[/\\:]/.test(word);
}
