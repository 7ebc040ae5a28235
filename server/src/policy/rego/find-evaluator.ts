import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../errors/service-error.ts';
import { GoBuildError } from '../../native/build-go.ts';
import { buildEvaluator, evaluatorFiles, findBuiltEvaluator } from './build-evaluator.ts';

/** The folder of the server package, and the checkout that contains it. */
const serverPackage = fileURLToPath(new URL('../../..', import.meta.url));
const checkout = path.join(serverPackage, '..');

/** The folder of the evaluator's files in a package. */
export const evaluatorFolder = 'policy';

/**
 * The folder with the evaluator's files: that of the package, or in a checkout an existing or a new build, which takes
 * minutes the first time. Rejects with `config_invalid` when none exists: policies are configured, and cannot be
 * evaluated.
 */
export async function findEvaluator(options: {
  signal: AbortSignal;
  onProgress: (message: string) => void;
}): Promise<string> {
  const packaged = path.join(serverPackage, evaluatorFolder);
  if (existsSync(path.join(packaged, evaluatorFiles[0]))) return packaged;
  try {
    return findBuiltEvaluator(checkout) ?? (await buildEvaluator({ checkout, ...options }));
  } catch (error) {
    if (!(error instanceof GoBuildError)) throw error;
    throw new ServiceError('config_invalid', `Policies cannot be evaluated: ${error.message}`, {
      cause: error,
    });
  }
}
