import type { ReactNode } from 'react';
import type { Run, RunSandbox as Sandbox } from '../../api/generated/index.ts';

/** The sandbox that a run ran in, and the memory that it took; nothing for a plain process, and once nobody knows. */
export function RunSandbox({ run: { sandbox } }: { run: Run }): ReactNode {
  if (sandbox === undefined || sandbox.kind === 'none') return undefined;
  const { memory_bytes } = sandbox.used;
  return (
    <span className="run-sandbox" title={sentences(sandbox)}>
      {sandbox.kind}
      {memory_bytes !== undefined && ` · ${mebibytes(memory_bytes)}`}
    </span>
  );
}

const places = { docker: 'a Docker container', gvisor: 'gVisor', none: 'a plain process' } as const;

function sentences({ kind, shared, limits, used }: Sandbox): string {
  const { memory_bytes: most, cpus } = limits ?? {};
  const limit = most === undefined ? '' : ` of ${mebibytes(most)}`;
  const processors = cpus === undefined ? '' : `, on ${cpus} processors at most`;
  return [
    `Ran in ${places[kind]}, ${shared ? 'shared with other runs, which count too' : 'alone'}.`,
    used.memory_bytes === undefined ? '' : `Memory: ${mebibytes(used.memory_bytes)}${limit}.`,
    used.cpu_seconds === undefined
      ? ''
      : `Processor time: ${used.cpu_seconds.toFixed(2)} s${processors}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** As limits are written: 512Mi. */
function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
