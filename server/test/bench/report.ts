interface Row {
  what: string;
  measured: string;
  target: string;
}

const rows: Row[] = [];

/** A tenth of the runs with `-- --quick`. */
const scale = process.argv.includes('--quick') ? 0.1 : 1;

/** Takes down one figure, and shows it at once: a whole benchmark takes minutes. */
export function add(what: string, measured: string, target = ''): void {
  rows.push({ what, measured, target });
  console.error(`${what.padEnd(52)} ${measured.padEnd(26)} ${target}`);
}

/** Says what is being done; not a figure. */
export function progress(text: string): void {
  console.error(`  ${text}`);
}

/** How many runs of a full benchmark this one makes. */
export function count(full: number, least = 20): number {
  return Math.max(least, Math.round(full * scale));
}

/** Milliseconds as the table shows them. */
export function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

/** Every figure so far, as a Markdown table. */
export function table(): string {
  const line = ({ what, measured, target }: Row): string => `| ${what} | ${measured} | ${target} |`;
  return ['| what | measured | to reach |', '| --- | --- | --- |', ...rows.map(line)].join('\n');
}
