/*
 * `sandboxed-program.ts` defines what a guest sees: the agents' folders, and this server's own program for guests,
 * which is mounted and not in the image, so an image does not depend on our version. A job in the same sandbox installs
 * packages (`installed-packages.ts`), keyed by the files that name them and the image's content, through its own proxy
 * (`egress/installer-egress.ts`); its result is mounted only if it is a folder and no link. The JavaScript guest's
 * packages are copied from the server's `node_modules`, only those that it needs (`package-closure.ts`): that folder
 * may belong to another project.
 */
import path from 'node:path';
import { agentConfig, guests } from '../pool/guest-programs.ts';
import type { GuestAgent, GuestLanguage, GuestProgram, Mount } from '../pool/guest-program.ts';
import { basicEnvironment, inside } from './inside.ts';
import { pythonIndex } from './index-settings.ts';
import { installedPackages } from './installed-packages.ts';
import { agentPackagesWish, guestLibsWish } from './python-wishes.ts';
import { javascriptSandboxed } from './sandboxed-javascript.ts';
import { requireReadable } from './sandbox-user.ts';
import { sourcePathsInImage, sourcePathsOf } from './source-paths.ts';
import type { SandboxedProgramOptions, Sandboxing } from './sandboxing.ts';

/**
 * Prepares the start of guests of one language in a sandbox: the image, the packages, and the mounts from this machine.
 * The guest's program is the server's own, so that any image with the interpreter works. Rejects with
 * `guest_unavailable`.
 */
export async function prepareSandboxedProgram(
  language: GuestLanguage,
  agents: readonly GuestAgent[],
  options: SandboxedProgramOptions,
  signal: AbortSignal,
): Promise<GuestProgram> {
  const { sandbox, cacheDir, onProgress, sourceFolders, installerEgress: egress } = options;
  if (!options.isPacked) await requireReadable(sourceFolders);
  const image = await sandbox.image(options.images[language], { onProgress, signal });
  const sourcePaths = options.isPacked
    ? sourcePathsInImage(options.sourceDir)
    : sourcePathsOf(sourceFolders);
  const sourceDir = sourcePaths.inside(options.sourceDir) ?? '/';
  const installer = { sandbox, image, cacheDir, onProgress, signal, ...(egress && { egress }) };
  const sandboxing = { agents, options, installer, sourcePaths, sourceDir };
  const program =
    language === 'python'
      ? await pythonSandboxed(sandboxing)
      : await javascriptSandboxed(sandboxing);
  return options.mcpTools === undefined ? program : withTools(program, options.mcpTools);
}

/** Appends the tools to PATH: they must not replace the guest's own interpreter. */
function withTools(program: GuestProgram, folder: string): GuestProgram {
  const { environment, sandboxed } = program;
  if (!sandboxed) throw new Error('The program is made for no sandbox.');
  return {
    ...program,
    environment: {
      ...environment,
      PATH: `${environment['PATH'] ?? ''}:${inside.mcpTools}/bin`,
      MCP_TOOLS_ROOT: inside.mcpTools,
    },
    sandboxed: {
      ...sandboxed,
      mounts: [...sandboxed.mounts, { from: folder, to: inside.mcpTools }],
    },
  };
}

const guestMount: Mount = { from: path.join(guests, 'python'), to: inside.pythonGuest };

/** The folder with the packages of Python agents; undefined if they need none. Rejects with `guest_unavailable`. */
export async function pythonPackages({
  options,
  installer,
  sourcePaths,
}: Pick<Sandboxing, 'installer' | 'sourcePaths'> & {
  options: Pick<SandboxedProgramOptions, 'sourceDir' | 'dependencies' | 'userEnvironment'>;
}): Promise<string | undefined> {
  const { userEnvironment } = options;
  const wish = await agentPackagesWish({ ...options, sourcePaths, guestMount });
  const index = (): ReturnType<typeof pythonIndex> =>
    pythonIndex({ userEnvironment, signal: installer.signal });
  return wish && (await installedPackages({ ...wish, index }, installer));
}

async function pythonSandboxed(sandboxing: Sandboxing): Promise<GuestProgram> {
  const { agents, options, installer, sourcePaths, sourceDir } = sandboxing;
  const { userEnvironment, environment, importPaths } = options;
  const { image, signal } = installer;
  const index = (): ReturnType<typeof pythonIndex> => pythonIndex({ userEnvironment, signal });
  const libs = await installedPackages({ ...(await guestLibsWish(guestMount)), index }, installer);
  const packages = options.isPacked ? undefined : await pythonPackages(sandboxing);
  const mounts: Mount[] = [guestMount, { from: libs, to: inside.libs }, ...sourcePaths.mounts];
  if (packages !== undefined) mounts.push({ from: packages, to: inside.packages });
  const basic = basicEnvironment(image);
  return {
    language: 'python',
    command: 'python3',
    args: [path.posix.join(inside.pythonGuest, 'start_agent_runtime_guest.py')],
    environment: {
      ...basic,
      ...(packages !== undefined && {
        PATH: `${inside.packages}/bin:${basic['PATH']}`,
        PYTHONPATH: inside.packages,
      }),
      ...environment,
    },
    workingDirectory: sourceDir,
    config: {
      ...agentConfig(agents, { ...options, sourceDir }),
      import_paths: importPaths.flatMap((folder) => sourcePaths.inside(folder) ?? []),
      lib_dir: inside.libs,
    },
    sandboxed: { image: image.name, mounts },
  };
}
