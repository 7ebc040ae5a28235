import { ServiceError } from '../errors/service-error.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** Guests in a sandbox. */
export interface ContainerConfig {
  /** Absent for a language: this version's image. */
  readonly images: { readonly python?: string; readonly javascript?: string };
  /** Other folders that the agent folder's manifest may name. */
  readonly sourceFolders: readonly string[];
  readonly limits: {
    /** Number of processors. Absent: all. */
    readonly cpus?: number;
    /** Absent: all memory of the machine. */
    readonly memoryBytes?: number;
    readonly pids: number;
    readonly openFiles: number;
    readonly tmpBytes: number;
  };
  /** Present with gVisor. */
  readonly gvisor?: {
    readonly isRootless: boolean;
    /** Absent: the one on PATH. */
    readonly runsc?: string;
  };
}

/** Settings that only apply to a sandbox. */
const ofSandboxes: readonly SettingKey[] = [
  'guest.cpu_limit',
  'guest.memory_limit',
  'guest.pids_limit',
  'guest.open_files_limit',
  'guest.tmp_size',
];

/**
 * The sandbox and its settings; throws `config_invalid` for an unavailable sandbox, and for limits without a sandbox.
 */
export function sandboxConfig(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): { sandbox: 'none' } | { sandbox: 'docker' | 'gvisor'; container: ContainerConfig } {
  const kind = values['guest.sandbox'];
  if (kind !== 'gvisor' && !values['guest.rootless'])
    throw invalid(`${given.get('guest.rootless')}=false needs --sandbox gvisor.`);
  if (kind === 'none') {
    const limited = ofSandboxes.flatMap((key) => given.get(key) ?? [])[0];
    if (limited !== undefined) throw invalid(`${limited} needs a sandbox that can limit guests.`);
    return { sandbox: kind };
  }
  const interpreter = given.get('guest.interpreter');
  if (interpreter !== undefined)
    throw invalid(
      `${interpreter} needs --sandbox none: in a sandbox the image has the interpreter.`,
    );
  const { 'guest.cpu_limit': cpus, 'guest.memory_limit': memoryBytes } = values;
  if (memoryBytes !== undefined && memoryBytes < LEAST_MEMORY)
    throw invalid(`${given.get('guest.memory_limit')} is too little for a guest: 64Mi at least.`);
  return {
    sandbox: kind,
    container: {
      images: imagesOf(values['guest.image'], values['guest.base_image']),
      sourceFolders: values['guest.source_folders'],
      limits: {
        ...(cpus !== undefined && { cpus }),
        ...(memoryBytes !== undefined && { memoryBytes }),
        pids: values['guest.pids_limit'],
        openFiles: values['guest.open_files_limit'],
        tmpBytes: values['guest.tmp_size'],
      },
      ...(kind === 'gvisor' && {
        gvisor: {
          isRootless: values['guest.rootless'],
          ...(values['guest.runsc'] !== undefined && { runsc: values['guest.runsc'] }),
        },
      }),
    },
  };
}

/** An interpreter with LangGraph needs at least this to start. */
const LEAST_MEMORY = 64 * 1024 * 1024;

/** An image with the agents inside is used for all languages; otherwise `image`, or `python=image,javascript=image`. */
function imagesOf(
  ofAgents: string | undefined,
  text: string | undefined,
): ContainerConfig['images'] {
  if (ofAgents !== undefined) return { python: ofAgents, javascript: ofAgents };
  if (text === undefined) return {};
  if (!/[=,]/.test(text)) return { python: text.trim(), javascript: text.trim() };
  const images: { python?: string; javascript?: string } = {};
  for (const part of text.split(',')) {
    const [, language, reference] = /^\s*(python|javascript)\s*=\s*([^\s=]+)\s*$/.exec(part) ?? [];
    if (reference === undefined)
      throw invalid('--guest-image takes an image, or python=<image>,javascript=<image>.');
    images[language === 'python' ? 'python' : 'javascript'] = reference;
  }
  return images;
}

function invalid(sentence: string): ServiceError {
  return new ServiceError('config_invalid', sentence);
}
