import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Responsiveness } from '../ipc/contract.ts';

const resolutionMs = 10;
const inMs = (nanoseconds: number): number => Math.round(nanoseconds / 1e4) / 100;

/** Watches this process's event loop; each call measures the time since the one before. */
export function watchEventLoop(): () => Responsiveness {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return () => {
    // With nothing counted yet the histogram returns NaN and negative numbers.
    const isEmpty = delays.count === 0;
    // The timer's own period is part of every delay.
    const beyond = (value: number): number => Math.max(0, inMs(value) - resolutionMs);
    const measured = isEmpty
      ? { p50: 0, p99: 0, max: 0 }
      : {
          p50: beyond(delays.percentile(50)),
          p99: beyond(delays.percentile(99)),
          max: beyond(delays.max),
        };
    delays.reset();
    return measured;
  };
}
