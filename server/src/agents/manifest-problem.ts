import { ServiceError } from '../errors/service-error.ts';

/** A `manifest_invalid` that names the file, the entry and the reason. */
export function manifestProblem(
  file: string,
  entry: string | undefined,
  reason: string,
): ServiceError {
  const place = entry === undefined ? file : `${file}: ${entry}`;
  const details = entry === undefined ? { file } : { file, entry };
  return new ServiceError('manifest_invalid', `${place}: ${reason}`, { details });
}
