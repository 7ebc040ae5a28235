// Whether a job would end in the time that is left, on a machine that may be slower than usual.

/** Of how much longer than estimated a job may take. */
const MARGIN = 1.3;

export interface TimeLeft {
  /** A job that usually takes so many seconds has taken so many. */
  took(seconds: number, usualSeconds: number): void;
  /** Whether a job that usually takes so many seconds would end in time if it began now. */
  fits(usualSeconds: number): boolean;
}

/** `now` is in milliseconds, as `performance.now()`. */
export function timeLeft(endsAtMs: number, now = () => performance.now()): TimeLeft {
  let taken = 0;
  let usual = 0;
  return {
    took(seconds, usualSeconds) {
      taken += seconds;
      usual += usualSeconds;
    },
    fits(usualSeconds) {
      const slowness = usual === 0 ? 1 : Math.max(1, taken / usual);
      return now() + usualSeconds * slowness * MARGIN * 1_000 < endsAtMs;
    },
  };
}
