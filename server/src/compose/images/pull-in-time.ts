/** A pull with time limits, which may fail. */
import { isServiceError } from '../../errors/service-error.ts';
import { whyNotPulled } from '../../guest/sandbox/docker/docker-trouble.ts';
import type { ImageSandbox } from '../../guest/sandbox/port.ts';
import type { SourceRun } from '../../images/image-source.ts';

/** Time limits of a pull. */
export interface PullLimits {
  /** Until the registry confirms that it has the image. */
  readonly responseMs: number;
  /** Until the image is complete. */
  readonly wholeMs: number;
}

const usualLimits: PullLimits = { responseMs: 20_000, wholeMs: 600_000 };

/**
 * Pulls an image unless it exists locally; false when that fails or takes too long, with the reason reported as
 * progress. Rejects with the reason of the signal.
 */
export async function pullInTime(
  sandbox: Pick<ImageSandbox, 'image'>,
  reference: string,
  run: SourceRun,
  { responseMs, wholeMs }: PullLimits = usualLimits,
): Promise<boolean> {
  const limit = new AbortController();
  const giveUp = (): void => limit.abort();
  const silence = setTimeout(giveUp, responseMs);
  const whole = setTimeout(giveUp, wholeMs);
  let lines = 0;
  const onProgress = (line: string): void => {
    run.onProgress(line);
    // The first line reports the request, further lines the registry's response.
    if ((lines += 1) > 1) clearTimeout(silence);
  };
  try {
    const signal = AbortSignal.any([run.signal, limit.signal]);
    await Promise.race([sandbox.image(reference, { signal, onProgress }), aborted(signal)]);
    return true;
  } catch (error) {
    run.signal.throwIfAborted();
    const reason = limit.signal.aborted ? 'no registry sent it in time' : reasonOf(error);
    run.onProgress(`the image ${reference} cannot be pulled: ${reason}`);
    return false;
  } finally {
    clearTimeout(silence);
    clearTimeout(whole);
  }
}

/** Not every step of a pull can be aborted at once. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The pull was given up.')));
  });
}

/** The reason without the advice for images that a user named: this image is built next. */
function reasonOf(error: unknown): string {
  if (!isServiceError(error) || error.code !== 'guest_unavailable') throw error;
  const { cause, message } = error;
  if (cause === undefined) return message;
  return isServiceError(cause) ? cause.message : whyNotPulled(cause);
}
