/** A pull that may well fail, and is not waited for without end. */
import { isServiceError } from '../../errors/service-error.ts';
import { whyNotPulled } from '../../guest/sandbox/docker/docker-trouble.ts';
import type { ImageSandbox } from '../../guest/sandbox/port.ts';
import type { SourceRun } from '../../images/image-source.ts';

/** How long a registry may take. */
export interface PullLimits {
  /** Until it says that it has the image. */
  readonly answerMs: number;
  /** Until all of the image is here. */
  readonly wholeMs: number;
}

const usualLimits: PullLimits = { answerMs: 20_000, wholeMs: 600_000 };

/**
 * Brings an image here unless it is there; false when it cannot be had within the limits, and why was told as progress.
 * Rejects with the reason of the signal.
 */
export async function pullInTime(
  sandbox: Pick<ImageSandbox, 'image'>,
  reference: string,
  run: SourceRun,
  { answerMs, wholeMs }: PullLimits = usualLimits,
): Promise<boolean> {
  const limit = new AbortController();
  const giveUp = (): void => limit.abort();
  const silence = setTimeout(giveUp, answerMs);
  const whole = setTimeout(giveUp, wholeMs);
  let lines = 0;
  const onProgress = (line: string): void => {
    run.onProgress(line);
    // The first line says that the image is asked for, what follows is of the answer.
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

/** Not every step of a pull can be stopped at once. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The pull was given up.')));
  });
}

/** Without the advice of a sentence whose image is asked for by name: this one is built next. */
function reasonOf(error: unknown): string {
  if (!isServiceError(error) || error.code !== 'guest_unavailable') throw error;
  const { cause, message } = error;
  if (cause === undefined) return message;
  return isServiceError(cause) ? cause.message : whyNotPulled(cause);
}
