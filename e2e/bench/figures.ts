/** One line of the benchmark's table. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
}

/** Reports a figure to the parent process: one JSON object a line. */
export function reportFigure(what: string, measured: string, target = ''): void {
  const figure: Figure = { what, measured, target };
  process.stdout.write(`${JSON.stringify(figure)}\n`);
}

/** Milliseconds as the table shows them. */
export function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

/** The task that held the page up longest; the browser reports those from 50 ms on. */
export function task(value: number): string {
  return value === 0 ? 'no task of 50 ms' : `longest task ${ms(value)}`;
}

/** The middle one, and the largest. */
export function middle(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return `p50 ${ms(median)}, max ${ms(sorted.at(-1) ?? 0)}`;
}
