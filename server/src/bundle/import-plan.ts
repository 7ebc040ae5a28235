import { ServiceError } from '../errors/service-error.ts';
import { parseThreadId, type ThreadId } from '../model/ids.ts';
import { anonymousPrincipal } from '../model/principal.ts';
import { readOverview, type BundleOverview } from './bundle-overview.ts';
import { readBundleFile, type ReadOptions } from './read-bundle.ts';

/** A requested import. */
export interface AskedImport {
  file: string;
  /** Absent: every thread of the file. */
  threadId?: string;
  /** Another id for the one thread that is imported. */
  as?: string;
  /** Unfinished runs continue with these claims; without claims: anonymously. Absent: they are cancelled. */
  resume?: { principal?: Record<string, unknown> };
}

/** A checked import: the file has been read to its end, and every line is valid. */
export interface ImportPlan {
  overview: BundleOverview;
  threadId?: ThreadId;
  as?: ThreadId;
  resumeAs?: Record<string, unknown>;
}

/** Reads the whole file before anything is imported. `bundle_invalid`, `config_invalid`, `thread_not_found`. */
export async function planImport(
  asked: AskedImport,
  reading: Pick<ReadOptions, 'onWarning' | 'signal'> & { onProgress(step: string): void },
): Promise<ImportPlan> {
  const { file, resume } = asked;
  const threadId = asked.threadId === undefined ? undefined : requireThreadId(asked.threadId);
  const as = asked.as === undefined ? undefined : requireThreadId(asked.as);
  reading.onProgress(`Checking ${file}`);
  const overview = await readOverview(readBundleFile(file, reading), threadId);
  const total = overview.threads.length;
  if (threadId !== undefined && total === 0) {
    throw new ServiceError('thread_not_found', `There is no thread ${threadId} in ${file}.`);
  }
  if (as !== undefined && total !== 1) {
    const message = `--as names one thread, and ${file} has ${total}: choose one with --thread.`;
    throw new ServiceError('config_invalid', message);
  }
  return {
    overview,
    ...(threadId !== undefined && { threadId }),
    ...(as !== undefined && { as }),
    ...(resume && { resumeAs: resume.principal ?? anonymousPrincipal.claims }),
  };
}

/** Parses the id of a thread from user input. `config_invalid`. */
export function requireThreadId(text: string): ThreadId {
  const threadId = parseThreadId(text);
  if (threadId !== undefined) return threadId;
  throw new ServiceError('config_invalid', `${JSON.stringify(text)} is no id of a thread.`);
}
