import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { isServiceError, reasonOf, ServiceError } from '../../errors/service-error.ts';
import { hasOwnProxy } from '../egress/installer-egress.ts';
import type { GuestProgram, Mount } from '../pool/guest-program.ts';
import { isThere } from '../process/executable.ts';
import type { InstallerEgress } from '../egress/program-egress.ts';
import { basicEnvironment, inside } from './inside.ts';
import { INSTALLED_BYTES } from '../../model/limits/intake-limits.ts';
import { sizeLimit } from './folder-size.ts';
import type { IndexSettings } from './index-settings.ts';
import { installerReason } from './job-output.ts';
import type { ImageSandbox, SandboxImage } from './port.ts';
import { removeMade } from './owned-packages.ts';
import { runInSandbox } from './sandbox-job.ts';

/** What installs packages: the sandbox itself, so that they fit the image and cannot harm this machine. */
export interface Installer {
  sandbox: ImageSandbox;
  image: SandboxImage;
  /** Access to the package indexes. Absent: the network of this machine. */
  egress?: InstallerEgress;
  cacheDir: string;
  /** The most that it may write; absent: INSTALLED_BYTES. */
  maxBytes?: number;
  onProgress: (line: string) => void;
  signal: AbortSignal;
}

/** Packages to be installed once for all services of the user. */
export interface Wish {
  /** Their name in sentences: `The Python guest's packages`. */
  title: string;
  /** All inputs that determine the packages, besides the image. */
  decidedBy: readonly string[];
  /** The installer. Its config gets a `target`, the folder that has the packages when it ends with 0. */
  program: Pick<GuestProgram, 'language' | 'command' | 'args' | 'config'>;
  workingDirectory: string;
  /** The folder within the packages that guests get; absent: all of it. */
  mounted?: string;
  mounts: readonly Mount[];
  /** Called only when there is something to install. */
  index: () => Promise<IndexSettings>;
}

/** How long an installation may take. */
const INSTALL_LIMIT_MS = 30 * 60_000;

const GIB = 1024 ** 3;

/** The last lines that are searched for an installer's reason: npm prints it far above its last line. */
const LINES_OF_REASON = 400;

const UNFINISHED = 'unfinished-';

/** Installations in progress in this process: guests of one language start at the same time. */
const underWay = new Map<string, Promise<string>>();

/**
 * The folder of this machine with the packages, installed at the first use by a job inside the sandbox. Rejects with
 * `guest_unavailable` and one sentence.
 */
export async function installedPackages(wish: Wish, installer: Installer): Promise<string> {
  const { image, cacheDir } = installer;
  const decidedBy = [...wish.decidedBy, image.id, image.platform];
  const hash = createHash('sha256').update(JSON.stringify(decidedBy)).digest('hex').slice(0, 24);
  const target = path.join(cacheDir, 'sandbox-packages', hash);
  if (await isThere(target)) return target;
  const known = underWay.get(target);
  if (known) return await known;
  const installing = install(wish, installer, target).finally(() => underWay.delete(target));
  underWay.set(target, installing);
  return await installing;
}

async function install(wish: Wish, installer: Installer, target: string): Promise<string> {
  const { onProgress, signal } = installer;
  const parent = path.dirname(target);
  await mkdir(parent, { recursive: true });
  await removeCutOff(parent);
  // The target appears only when complete: another service may do the same, or this process may be killed.
  const unfinished = await mkdtemp(path.join(parent, UNFINISHED));
  const limit = AbortSignal.timeout(INSTALL_LIMIT_MS);
  const size = sizeLimit(unfinished, installer.maxBytes ?? INSTALLED_BYTES);
  const lastLines: string[] = [];
  const onLine = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > LINES_OF_REASON) lastLines.shift();
    onProgress(line);
  };
  try {
    onProgress(`installing ${lowerFirst(wish.title)} in the sandbox`);
    const index = await wish.index();
    const ownProxy = hasOwnProxy(index.environment);
    const egress = ownProxy ? undefined : installer.egress?.(index.environment);
    const program = programOf(wish, installer, index, unfinished);
    await runInSandbox(installer.sandbox, egress ? program : onThisNetwork(program), {
      signal: AbortSignal.any([signal, limit, size.signal]),
      onLine,
      ...(egress && { egress }),
    });
    const made = path.join(unfinished, SITE);
    await requireFolder(made);
    await requireFolder(path.join(made, wish.mounted ?? '.'));
    await chmod(made, 0o755); // readable for any user that the guest runs as
    await rename(made, target);
  } catch (cause) {
    if (await isThere(target)) return target; // another service was faster
    const isTooLarge = size.signal.aborted && !signal.aborted;
    const isTooLong = limit.aborted && !signal.aborted;
    if (isServiceError(cause) && !isTooLarge && !isTooLong) throw cause;
    const most = `${Math.ceil((installer.maxBytes ?? INSTALLED_BYTES) / GIB)} GiB`;
    const tooMuch = isTooLarge ? `it wrote more than ${most}` : 'it took too long';
    const reason =
      isTooLarge || isTooLong ? tooMuch : (installerReason(lastLines) ?? reasonOf(cause));
    const sentence = `${wish.title} could not be installed in the sandbox: ${reason}`;
    throw new ServiceError('guest_unavailable', sentence, { cause });
  } finally {
    size.stop();
    await removeMade(unfinished);
  }
  return target;
}

/** Removes leftovers of killed services, but nothing that may still be in progress. */
async function removeCutOff(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const folder = path.join(parent, name);
    const begun = await stat(folder).catch(() => undefined);
    if (begun && Date.now() - begun.mtimeMs > 2 * INSTALL_LIMIT_MS) await removeMade(folder);
  }
}

/** The sub-folder of the writable folder with the packages; the installer's temporary files are beside it. */
const SITE = 'site';

function programOf(
  { program, mounts, workingDirectory }: Wish,
  { image }: Installer,
  index: IndexSettings,
  folder: string,
): SandboxedInstaller {
  const writable = { from: folder, to: inside.installed, isWritable: true };
  return {
    ...program,
    environment: { ...basicEnvironment(image), ...index.environment },
    workingDirectory,
    config: { ...program.config, target: path.posix.join(inside.installed, SITE) },
    sandboxed: { image: image.name, mounts: [...mounts, ...index.mounts, writable] },
  };
}

type SandboxedInstaller = GuestProgram & Required<Pick<GuestProgram, 'sandboxed'>>;

/** The name of a user's proxy may resolve only on this machine, so its users need this machine's network. */
function onThisNetwork(program: SandboxedInstaller): GuestProgram {
  return { ...program, sandboxed: { ...program.sandboxed, network: 'host' } };
}

/** Untrusted code made this folder, which is mounted into guests: a link could lead to any path of this machine. */
async function requireFolder(made: string): Promise<void> {
  if (!(await lstat(made)).isDirectory())
    throw new Error('the installer left no folder of packages');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
