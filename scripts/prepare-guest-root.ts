// Makes the root tree that guests in sandboxes have in tests, into .cache/guest-root: Debian's Python with LangGraph
// beside it, and the Node and npm of this checkout. No image registry is needed. `tree` is for sandboxes that take a
// folder, `tree.tar` for `docker import`, `python-tree` is without Node. On Debian, about a minute; nothing when it was
// made before.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { run } from './docker/root-tree.ts';
import { guestRootFolder, pythonRootTree, root } from './suites.ts';

const packages =
  'python3-minimal libpython3.11-stdlib python3-pip libstdc++6 zlib1g ca-certificates bash coreutils';
/** What the agents of the tests import; the rest comes with it. */
const requirements = ['langgraph==1.2.22', 'langchain-core==1.7.2'];
const closureOptions = [
  'recommends',
  'suggests',
  'conflicts',
  'breaks',
  'replaces',
  'enhances',
].map((kind) => `--no-${kind}`);

const unused = [
  ...['doc', 'info', 'locale', 'man', 'perl', 'perl5'].map((name) => `usr/share/${name}`),
  ...['perl', 'perl5', 'perl-base'].map(
    (name) => `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/${name}`,
  ),
];

const node = path.join(root, 'node_modules/node/bin/node');
const text = readFileSync(import.meta.filename, 'utf8');
const key = createHash('sha256').update(text).update(realpathSync(node)).digest('hex');
const stamp = path.join(guestRootFolder, 'made-of');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== key) {
  rmSync(guestRootFolder, { recursive: true, force: true });
  const tree = path.join(guestRootFolder, 'tree');
  mkdirSync(tree, { recursive: true });
  unpackDebian(tree);
  addPython(tree);
  // Links take no time and no room.
  run('cp', ['-al', tree, pythonRootTree]);
  addNode(tree);
  const file = path.join(guestRootFolder, 'tree.tar');
  run('tar', ['-C', tree, '-cf', `${file}.unfinished`, '.']);
  renameSync(`${file}.unfinished`, file);
  writeFileSync(stamp, key);
}

function unpackDebian(tree: string): void {
  const debs = path.join(guestRootFolder, 'debs');
  mkdirSync(debs);
  // Its own downloader, a user without rights, may not write here.
  const options = ['-o', 'APT::Sandbox::User=root'];
  const listed = (): string =>
    execFileSync('apt-cache', ['depends', '--recurse', ...closureOptions, ...packages.split(' ')], {
      encoding: 'utf8',
    });
  let closure = '';
  try {
    closure = listed();
  } catch {
    run('apt-get', ['update', '-qq']);
    closure = listed();
  }
  const names = [...new Set(closure.match(/^[a-z0-9][\w.+-]*$/gm))];
  execFileSync('apt-get', ['download', '-qq', ...options, ...names], {
    cwd: debs,
    stdio: ['ignore', 2, 2],
  });
  for (const name of execFileSync('ls', [debs], { encoding: 'utf8' }).trim().split('\n')) {
    run('dpkg-deb', ['-x', path.join(debs, name), tree]);
  }
  rmSync(debs, { recursive: true });
  // A third of it, which no test uses: each image is packed, pulled and unpacked many times.
  for (const name of unused) rmSync(path.join(tree, name), { recursive: true, force: true });
  // What its installation scripts would do.
  const certificates = process.env['SSL_CERT_FILE'] ?? '/etc/ssl/certs/ca-certificates.crt';
  mkdirSync(path.join(tree, 'etc/ssl/certs'), { recursive: true });
  copyFileSync(certificates, path.join(tree, 'etc/ssl/certs/ca-certificates.crt'));
  const sh = path.join(tree, 'bin/sh');
  if (!existsSync(sh)) symlinkSync('bash', sh);
}

/** Wheels for the tree's Python, whichever this machine has. */
function addPython(tree: string): void {
  const target = path.join(tree, 'usr/local/lib/python3.11/dist-packages');
  mkdirSync(target, { recursive: true });
  const wheels = [
    ...['--python-version', '3.11', '--implementation', 'cp', '--only-binary=:all:'],
    ...['manylinux2014', 'manylinux_2_28', 'manylinux_2_34'].flatMap((name) => [
      '--platform',
      `${name}_${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`,
    ]),
  ];
  const quiet = ['--quiet', '--no-input', '--no-compile', '--disable-pip-version-check'];
  run('python3', [
    '-m',
    'pip',
    'install',
    ...quiet,
    '--target',
    target,
    ...wheels,
    ...requirements,
  ]);
  run('chroot', [tree, 'python3', '-m', 'compileall', '-q', '/usr/local/lib/python3.11']);
}

function addNode(tree: string): void {
  const file = path.join(tree, 'usr/bin/node');
  copyFileSync(node, file);
  chmodSync(file, 0o755);
  // Its symbols are a fifth of it; where there is no `strip`, they stay.
  if (spawnSync('strip', ['--version']).status === 0) run('strip', [file]);
  const script = process.env['npm_execpath'];
  if (script === undefined) throw new Error('Start this through npm.');
  const npm = path.resolve(realpathSync(script), '../..');
  cpSync(npm, path.join(tree, 'usr/lib/node_modules/npm'), { recursive: true, dereference: true });
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(tree, 'usr/bin', name));
  }
}
