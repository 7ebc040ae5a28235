/** Counts the events of the last whole second. */
export interface RateMeter {
  count(now: number): void;
  perSecond(): number;
  stop(): void;
}

/** Makes a meter that starts at zero. */
export function createRateMeter(): RateMeter {
  let second = 0;
  let inSecond = 0;
  let last = 0;
  let isStopped = false;

  function turn(now: number): void {
    const current = Math.floor(now / 1000);
    if (current === second) return;
    last = current === second + 1 ? inSecond : 0;
    second = current;
    inSecond = 0;
  }

  return {
    count(now) {
      turn(now);
      inSecond += 1;
    },
    perSecond() {
      turn(Date.now());
      return isStopped ? 0 : last;
    },
    stop() {
      isStopped = true;
    },
  };
}
