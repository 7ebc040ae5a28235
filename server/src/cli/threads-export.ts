import { resolve } from 'node:path';
import { exitCode, type ExitCode } from './exit-code.ts';
import { counted, moveThreads, sizeText, type MovingRequest } from './threads-moving.ts';

export interface ExportRequest extends MovingRequest {
  /** The file to write. */
  file: string;
  /** Empty: every thread. */
  threadIds: readonly string[];
}

/** `service threads export`: writes threads into one file, or nothing at all. */
export async function exportThreads(request: ExportRequest): Promise<ExitCode> {
  const { output, threadIds } = request;
  const file = resolve(request.config.workingDir, request.file);
  return moveThreads(request, 'Exported', async (archive, config, deps) => {
    const { threads, bytes } = await archive.exportThreads(config, { file, threadIds }, deps);
    output.out(`${counted(threads, 'thread')} in ${file}, ${sizeText(bytes)}`);
    return exitCode.completed;
  });
}
