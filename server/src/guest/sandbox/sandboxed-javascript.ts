import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonOf, ServiceError } from '../../errors/service-error.ts';
import type { GuestAgent, GuestProgram, Mount } from '../pool/guest-program.ts';
import { agentConfig, javascriptGuest, OLDEST_NODE } from '../pool/guest-programs.ts';
import { isOlder } from '../process/interpreter-version.ts';
import { guestProtoPath } from '../wire/proto.ts';
import { basicEnvironment, inside } from './inside.ts';
import { javascriptIndex } from './index-settings.ts';
import { installedPackages, type Installer } from './installed-packages.ts';
import { javascriptWish } from './javascript-wish.ts';
import { packageClosure } from './package-closure.ts';
import { runInSandbox } from './sandbox-job.ts';
import type { SandboxedProgramOptions, Sandboxing } from './sandboxing.ts';

/** The guest program's imports, and tsx for the TypeScript that Node does not support. */
const guestPackages = ['@grpc/grpc-js', '@grpc/proto-loader', 'tsx'];

/** The program of JavaScript guests in a sandbox; rejects with `guest_unavailable`. */
export async function javascriptSandboxed(sandboxing: Sandboxing): Promise<GuestProgram> {
  const { agents, options, installer, sourcePaths, sourceDir } = sandboxing;
  const { cacheDir, environment } = options;
  const { image } = installer;
  await requireRecentNode(installer);
  const guestMounts = await mountsOfGuest(cacheDir);
  const packages = options.isPacked ? undefined : await javascriptPackages(sandboxing);
  const mounts = [...guestMounts, ...sourcePaths.mounts];
  if (packages !== undefined) mounts.push({ from: packages, to: inside.nodeModules });
  return {
    language: 'javascript',
    command: 'node',
    args: [
      '--disable-warning=ExperimentalWarning',
      path.posix.join(inside.javascriptGuest, path.basename(javascriptGuest)),
    ],
    environment: { ...basicEnvironment(image), ...environment },
    workingDirectory: sourceDir,
    config: {
      ...agentConfig(agents, {
        ...options,
        sourceDir,
        protoPath: path.posix.join(inside.proto, path.relative(protoFolder, guestProtoPath)),
      }),
      tsx_path: tsxInside(),
    },
    sandboxed: { image: image.name, mounts },
  };
}

const protoFolder = path.resolve(guestProtoPath, '../../..');

async function mountsOfGuest(cacheDir: string): Promise<Mount[]> {
  const closure = await packageClosure(guestPackages, javascriptGuest, cacheDir);
  return [
    { from: path.dirname(javascriptGuest), to: inside.javascriptGuest },
    { from: path.join(closure, 'node_modules'), to: inside.javascriptPackages },
    { from: path.join(closure, 'package.json'), to: inside.packageFile },
    { from: protoFolder, to: inside.proto },
  ];
}

/** The `node_modules` that JavaScript agents need; undefined if they need none. Rejects with `guest_unavailable`. */
export async function javascriptPackages({
  agents,
  options,
  installer,
  sourcePaths,
  isFresh = false,
}: Pick<Sandboxing, 'installer' | 'sourcePaths'> & {
  agents: readonly Pick<GuestAgent, 'path'>[];
  options: Pick<SandboxedProgramOptions, 'sourceDir' | 'cacheDir' | 'userEnvironment'>;
  /** Install also packages that the `node_modules` of the agents' folders have. */
  isFresh?: boolean;
}): Promise<string | undefined> {
  const { cacheDir, userEnvironment } = options;
  const mounts = await mountsOfGuest(cacheDir);
  const extension = path.extname(javascriptGuest);
  const wish = await javascriptWish({
    ...options,
    agents,
    sourcePaths,
    mounts,
    extension,
    isFresh,
  });
  const { signal } = installer;
  const index = (): ReturnType<typeof javascriptIndex> =>
    javascriptIndex({ userEnvironment, signal });
  if (!wish) return undefined;
  return path.join(await installedPackages({ ...wish, index }, installer), 'node_modules');
}

function tsxInside(): string {
  const file = fileURLToPath(import.meta.resolve('tsx')).split(path.sep);
  return path.posix.join(inside.javascriptPackages, ...file.slice(file.lastIndexOf('tsx')));
}

/** With an older Node an image would fail with unclear errors. Checked once for each image. */
async function requireRecentNode(installer: Installer): Promise<void> {
  const { sandbox, image, cacheDir, signal } = installer;
  const hash = createHash('sha256').update(image.id).digest('hex').slice(0, 24);
  const known = path.join(cacheDir, 'sandbox-packages', `node-${hash}`);
  let version = await readFile(known, 'utf8').catch(() => '');
  if (version === '') {
    const program = {
      ...{ language: 'javascript' as const, command: 'node', args: ['--version'] },
      ...{ environment: basicEnvironment(image), workingDirectory: '/', config: {} },
      sandboxed: { image: image.name, mounts: [] },
    };
    const output = await runInSandbox(sandbox, program, { signal }).catch((cause: unknown) => {
      throw new ServiceError('guest_unavailable', reasonOf(cause), { cause });
    });
    version = /\d+(\.\d+)+/.exec(output)?.[0] ?? output;
    await mkdir(path.dirname(known), { recursive: true });
    await writeFile(known, version);
  }
  if (isOlder(version, OLDEST_NODE)) {
    throw new ServiceError(
      'guest_unavailable',
      `JavaScript agents need Node ${OLDEST_NODE} or newer; the image has ${version}.`,
    );
  }
}
