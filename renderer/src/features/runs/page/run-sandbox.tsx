import type { ReactNode } from 'react';
import type { Run, RunSandbox as Sandbox } from '../../../api/generated/index.ts';
import { tip } from '../../../ui/tip.tsx';

/** The sandbox that a run ran in, and its memory; nothing for a plain process, and where it is unknown. */
export function RunSandbox({ run: { sandbox } }: { run: Run }): ReactNode {
  if (sandbox === undefined || sandbox.kind === 'none') return undefined;
  const { memory_bytes } = sandbox.used;
  return (
    // Focusable: the limits are in the tooltip alone.
    <span className="clip dim" role="note" tabIndex={0} {...tip(sentences(sandbox))}>
      {sandbox.kind}
      {memory_bytes !== undefined && ` · ${mebibytes(memory_bytes)}`}
    </span>
  );
}

const sandboxNames = {
  docker: 'a Docker container',
  gvisor: 'gVisor',
  none: 'a plain process',
} as const;

function sentences({ kind, shared, limits, used }: Sandbox): string {
  const { memory_bytes: most, cpus } = limits ?? {};
  const limit = most === undefined ? '' : ` of ${mebibytes(most)}`;
  return [
    shared
      ? `Ran in ${sandboxNames[kind]}, shared with other runs; figures include them.`
      : `Ran in ${sandboxNames[kind]}, alone.`,
    used.memory_bytes === undefined ? '' : `Memory: ${mebibytes(used.memory_bytes)}${limit}.`,
    used.cpu_seconds === undefined ? '' : `CPU time: ${used.cpu_seconds.toFixed(2)} s.`,
    cpus === undefined ? '' : `CPU limit: ${cpus}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** As limits are written: 512Mi. */
function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
