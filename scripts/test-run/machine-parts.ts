// Parts of the machine that some suites need and npm does not install: looked for, never installed here.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

export interface MachinePart {
  readonly isThere: () => boolean;
  /** What it is, for a sentence. */
  readonly title: string;
  /** What installs it, as a person types it. */
  readonly install: string;
}

const electronLibraries =
  'libnss3 libatk-bridge2.0-0 libgtk-3-0 libgbm1 libasound2 libxss1 libxtst6 libnotify4 libdrm2 libxkbcommon0 ' +
  'libxcomposite1 libxdamage1 libxrandr2 libcups2 fonts-dejavu-core';

const builtRunsc = path.resolve(import.meta.dirname, '../../.cache/native/runsc/runsc');

export const machineParts: Readonly<Record<string, MachinePart>> = {
  go: {
    title: 'Go 1.21 or newer, which builds the engine and the policy evaluator',
    isThere: () => succeeds('go', ['version']),
    install: 'apt-get install golang-go   (or https://go.dev/dl)',
  },
  python: {
    title: 'Python 3.11 or newer with venv',
    isThere: () =>
      succeeds('python3', ['-c', 'import sys, venv; assert sys.version_info >= (3, 11)']),
    install: 'apt-get install python3 python3-venv',
  },
  postgresql: {
    title: 'PostgreSQL',
    isThere: () => isOnPath('initdb') || globSync('/usr/lib/postgresql/*/bin/initdb').length > 0,
    install: 'apt-get install postgresql',
  },
  docker: {
    title: 'a Docker daemon that tests may start (dockerd, as root)',
    isThere: () => isRoot() && isOnPath('dockerd', '/usr/sbin'),
    install: 'apt-get install docker.io   (and run the tests as root)',
  },
  runsc: {
    title: "gVisor's runsc",
    isThere: () => existsSync(builtRunsc) || isOnPath('runsc'),
    install: 'npm run build:native -- runsc   (with Go; two minutes)',
  },
  debian: {
    title: 'Debian, with whose packages root trees are made, as root',
    isThere: () => isRoot() && isOnPath('apt-get') && isOnPath('dpkg-deb'),
    install: 'a machine with Debian 12   (and run the tests as root)',
  },
  chromium: {
    title: 'Chromium',
    isThere: () => existsSync(process.env['CHROMIUM'] ?? '/usr/bin/chromium'),
    install: 'apt-get install chromium   (or name another one in CHROMIUM)',
  },
  screen: {
    title: 'a screen for Electron (Xvfb and its libraries)',
    isThere: () =>
      process.platform !== 'linux' || (isOnPath('Xvfb') && hasLibrary('libgtk-3.so.0')),
    install: `apt-get install xvfb xauth ${electronLibraries}`,
  },
};

/** The first of the parts that is missing. */
export function missingPart(
  names: readonly string[],
  parts: Readonly<Record<string, MachinePart>>,
): MachinePart | undefined {
  return names
    .map((name) => {
      const part = parts[name];
      if (part === undefined) throw new Error(`There is no part of the machine called ${name}.`);
      return part;
    })
    .find((part) => !isThere(part));
}

const seen = new Map<MachinePart, boolean>();

function isThere(part: MachinePart): boolean {
  const known = seen.get(part) ?? part.isThere();
  seen.set(part, known);
  return known;
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isOnPath(program: string, ...also: string[]): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), ...also];
  return folders.some((folder) => existsSync(path.join(folder, program)));
}

function hasLibrary(name: string): boolean {
  const { stdout } = spawnSync('ldconfig', ['-p'], { encoding: 'utf8' });
  // Where there is no ldconfig, Electron itself reports what it lacks.
  return typeof stdout !== 'string' || stdout === '' || stdout.includes(name);
}
