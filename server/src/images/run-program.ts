import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';
import {
  IMAGE_DOWNLOAD_BYTES,
  IMAGE_FILES,
  IMAGE_LAYERS,
  IMAGE_MANIFEST_BYTES,
  IMAGE_RUN_MS,
  IMAGE_STOP_MS,
  IMAGE_UNPACKED_BYTES,
} from '../model/limits/image-limits.ts';
import type { ImageRun, ImageTool } from './port.ts';

/** The lines of the program's standard output. */
const lineSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('progress'),
    step: z.enum(['download', 'unpack', 'pack', 'write', 'push']),
    done: z.number(),
    total: z.number(),
  }),
  z.object({ event: z.literal('done'), result: z.unknown() }),
  z.object({ event: z.literal('failed'), code: z.string(), message: z.string() }),
]);

type Line = z.infer<typeof lineSchema>;

const keptLog = 4_000;

const limits = [
  ...['--max-manifest-bytes', IMAGE_MANIFEST_BYTES],
  ...['--max-layers', IMAGE_LAYERS],
  ...['--max-download-bytes', IMAGE_DOWNLOAD_BYTES],
  ...['--max-unpacked-bytes', IMAGE_UNPACKED_BYTES],
  ...['--max-files', IMAGE_FILES],
].map(String);

/**
 * Runs one command of the program and returns its result. Rejects with `image_unavailable`, whose `details.reason` is
 * the program's code (docs/images.md), or with the reason of the signal. The program ends when this process ends for
 * any reason.
 */
export async function runProgram(
  { program, cacheFolder }: ImageTool,
  args: readonly string[],
  { signal, limitMs = IMAGE_RUN_MS, onProgress }: ImageRun,
): Promise<unknown> {
  signal.throwIfAborted();
  const always = ['--cache', cacheFolder, '--timeout', `${limitMs}ms`, '--parent-pipe', ...limits];
  const child = spawn(program, [...args, ...always], {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // Nothing is written to it: its end notifies the program that this process has ended.
  child.stdin.on('error', () => undefined);
  let last: Line | undefined;
  let log = '';
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = parseLine(text);
    if (line?.event === 'progress') {
      const { event: _, ...progress } = line;
      onProgress?.(progress);
    } else last = line ?? last;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-keptLog);
  });
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    killing = setTimeout(() => child.kill('SIGKILL'), IMAGE_STOP_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await ended(child);
    return resultOf(last, code, log);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(killing);
  }
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('close', resolve);
    // Without a process there is no 'close' event.
    child.once('error', (error) => {
      reject(failed('program_missing', `The program for images cannot be started.`, error));
    });
  });
}

function parseLine(text: string): Line | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function resultOf(last: Line | undefined, code: number | null, log: string): unknown {
  if (last?.event === 'done' && code === 0) return last.result;
  if (last?.event === 'failed') throw failed(last.code, last.message, new Error(log.trim()));
  const end = code === null ? 'was killed' : `ended with code ${code}`;
  throw failed('internal', `The program for images ${end}.`, new Error(log.trim()));
}

function failed(reason: string, sentence: string, cause: unknown): ServiceError {
  return new ServiceError('image_unavailable', sentence, { details: { reason }, cause });
}
