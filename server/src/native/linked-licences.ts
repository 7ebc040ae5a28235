import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { GoBuildError } from './build-go.ts';
import { runCommand } from './run-command.ts';

const listLimit = 120_000;
const rootLimit = 20_000;
const licenceFile = /^(LICEN[CS]E|COPYING|NOTICE|PATENTS)([.-].*)?$/i;
/** The module of a package outside of Go's standard library: path, version and folder. */
const moduleFormat =
  '{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}';

/** The licences and notices of Go and of every module that is linked into a program, in one text. */
export async function linkedLicences(options: {
  go: string;
  /** The folder of the program's go.mod. */
  sources: string;
  environment: Readonly<Record<string, string>>;
  goRoot: string;
  signal: AbortSignal;
}): Promise<string> {
  const { go, sources, environment, goRoot, signal } = options;
  const { code, stdout, stderr } = await runCommand(
    go,
    ['list', '-deps', '-f', moduleFormat, '.'],
    {
      cwd: sources,
      // oxlint-disable-next-line node/no-process-env -- as the build
      env: { ...process.env, ...environment },
      signal,
      limit: listLimit,
    },
  );
  signal.throwIfAborted();
  if (code !== 0) throw new GoBuildError('Go cannot list the linked modules', stderr);
  const modules = [...new Set(stdout.split('\n').filter((line) => line !== ''))].toSorted();
  const parts = modules.map((line) => {
    const [name = '', folder = ''] = line.split('\t');
    return licenceOf(name, folder);
  });
  return [licenceOf('Go', goRoot), ...parts].join('\n');
}

/** The Go root of the toolchain that builds in this folder, which go.mod may select. */
export async function findGoRoot(go: string, cwd: string, signal: AbortSignal): Promise<string> {
  const { stdout, stderr } = await runCommand(go, ['env', 'GOROOT'], {
    cwd,
    signal,
    limit: rootLimit,
  });
  signal.throwIfAborted();
  if (stdout.trim() === '') throw new GoBuildError('Go does not say where it is', stderr);
  return stdout.trim();
}

function licenceOf(name: string, folder: string): string {
  const files = readdirSync(folder).filter((file) => licenceFile.test(file));
  if (files.length === 0) throw new GoBuildError(`${name} has no licence in ${folder}`);
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  return `${'='.repeat(80)}\n${name}\n${'='.repeat(80)}\n\n${texts.join('\n\n')}\n`;
}
