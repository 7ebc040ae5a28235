import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ServiceError } from '../errors/service-error.ts';
import { readPrincipalFile, type PrincipalClaims } from './agent-input.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { counted, moveThreads, sizeText, type MovingRequest } from './threads-moving.ts';

export interface ImportRequest extends MovingRequest {
  /** The file to read. */
  file: string;
  /** Absent: every thread of the file. */
  threadId?: string;
  /** The new id of the single thread. */
  as?: string;
  isSkippingExisting: boolean;
  /** Only reports the content of the file and the effects of its import. */
  isDryRun: boolean;
  /** Unfinished runs continue. */
  isResuming: boolean;
  /** Claims of their principal; absent: anonymous. */
  principalFile?: string;
}

/** Maximum number of ids that a sentence names. */
const NAMED = 5;

/** `service threads import`: imports the threads of a file; exit code 1 when some were left out. */
export async function importThreads(request: ImportRequest): Promise<ExitCode> {
  const { output, threadId, as, isSkippingExisting } = request;
  const resume = resumption(request);
  const file = resolve(request.config.workingDir, request.file);
  const options = {
    file,
    isSkippingExisting,
    ...(threadId !== undefined && { threadId }),
    ...(as !== undefined && { as }),
    ...(resume && { resume }),
  };
  return moveThreads(request, 'Imported', async (archive, config, deps) => {
    if (request.isDryRun) {
      const lines = await archive.describeBundle(options, deps);
      output.out(`${file}, ${sizeText((await stat(file)).size)}`);
      for (const line of lines) output.out(line);
      output.progress('Nothing was imported (--dry-run).');
      return exitCode.completed;
    }
    const { origin, imported, existing, resumedRuns, endedRuns } = await archive.importThreads(
      config,
      options,
      deps,
    );
    output.out(`${counted(imported, 'thread')} imported from ${file}`);
    output.progress(origin);
    if (resumedRuns > 0) {
      output.progress(
        `${counted(resumedRuns, 'run')} had not ended: they continue at the next start.`,
      );
    }
    if (endedRuns > 0) {
      const hint = request.isResuming ? '' : ' With --resume-runs they would continue.';
      output.progress(`${counted(endedRuns, 'run')} had not ended and were cancelled.${hint}`);
    }
    if (existing.length === 0) return exitCode.completed;
    const names = existing.slice(0, NAMED).join(', ');
    const more = existing.length > NAMED ? ` and ${existing.length - NAMED} more` : '';
    output.progress(
      `Error: ${counted(existing.length, 'thread')} left out, because the id is taken: ${names}${more}. --skip-existing accepts that; --as gives one thread another id.`,
    );
    return exitCode.failed;
  });
}

/** The claims with which unfinished runs continue; undefined: they do not continue. */
function resumption({
  isResuming,
  principalFile,
}: ImportRequest): { principal?: PrincipalClaims } | undefined {
  if (isResuming && principalFile !== undefined) {
    return { principal: readPrincipalFile(principalFile) };
  }
  if (isResuming || principalFile === undefined) return isResuming ? {} : undefined;
  const message = '--principal-file names whom runs continue for: it needs --resume-runs.';
  throw new ServiceError('config_invalid', message);
}
