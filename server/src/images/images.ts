import * as z from 'zod';
import type {
  ImageRun,
  ImageTool,
  PackedImage,
  PackRequest,
  PulledImage,
  PullRequest,
  RegistryTrust,
  UnpackedImage,
  UnpackRequest,
} from './port.ts';
import { runProgram } from './run-program.ts';

// Go writes an empty list as null.
const list = z
  .array(z.string())
  .nullable()
  .transform((words) => words ?? []);

const pulled = z.object({
  reference: z.string(),
  digest: z.string(),
  size: z.number(),
  cached: z.boolean(),
});

const unpacked = z.object({
  digest: z.string(),
  root: z.string(),
  reused: z.boolean(),
  dropped: z.record(z.string(), z.number()),
  config: z.object({
    env: list,
    entrypoint: list,
    cmd: list,
    workingDir: z.string(),
    user: z.string(),
    labels: z
      .record(z.string(), z.string())
      .nullable()
      .transform((labels) => labels ?? {}),
  }),
});

const packed = z.object({ reference: z.string(), digest: z.string() });

/** Pulls an image into the cache, every part checked by its digest; continues an interrupted pull. */
export async function pullImage(
  tool: ImageTool,
  { reference, trust, platform, policy }: PullRequest,
  run: ImageRun,
): Promise<PulledImage> {
  const args = [
    ...['pull', `--name=${reference}`, ...flag('platform', platform), ...flag('policy', policy)],
    ...trustFlags(trust),
  ];
  const { cached, ...image } = pulled.parse(await runProgram(tool, args, run));
  return { ...image, isCached: cached };
}

/** Makes the root tree of an image in the cache. */
export async function unpackImage(
  tool: ImageTool,
  { image, folder, platform, isReused = false, keepsOwners = false }: UnpackRequest,
  run: ImageRun,
): Promise<UnpackedImage> {
  const args = [
    ...['unpack', `--name=${image}`, `--to=${folder}`, ...flag('platform', platform)],
    ...(isReused ? ['--reuse'] : []),
    ...(keepsOwners ? ['--keep-owners'] : []),
  ];
  const { root, reused, ...rest } = unpacked.parse(await runProgram(tool, args, run));
  return { ...rest, folder: root, isReused: reused };
}

/** Makes an image of a base and folders: the same folders result in the same image on every machine. */
export async function packImage(
  tool: ImageTool,
  request: PackRequest,
  run: ImageRun,
): Promise<PackedImage> {
  const { base = 'none', layers, env = {}, labels = {}, tag, platform, output } = request;
  const { entrypoint, cmd, workingDir, user } = request;
  const args = [
    ...['pack', `--base=${base}`, `--tag=${tag}`, ...flag('platform', platform)],
    ...layers.map(({ folder, target }) => `--layer=${folder}=${target}`),
    ...Object.entries(env).map(([name, value]) => `--env=${name}=${value}`),
    ...Object.entries(labels).map(([name, value]) => `--label=${name}=${value}`),
    ...flag('entrypoint', entrypoint && JSON.stringify(entrypoint)),
    ...flag('cmd', cmd && JSON.stringify(cmd)),
    ...flag('workdir', workingDir),
    ...flag('user', user),
    ...flag('output', output?.kind),
    ...(output?.kind === 'push' ? trustFlags(output.trust) : flag('to', output?.path)),
  ];
  return packed.parse(await runProgram(tool, args, run));
}

function flag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

function trustFlags({ caFile, caData, isInsecure }: RegistryTrust): string[] {
  return [
    ...flag('registry-ca-file', caFile),
    ...flag('registry-ca-data', caData),
    ...(isInsecure ? ['--registry-insecure'] : []),
  ];
}
