// The doctor's rows about sandboxes.
import type { SandboxFinding, SandboxFindings } from '../../../server/src/index.ts';
import type { DesktopSettings, Finding, ServiceView } from '../ipc/contract.ts';

interface Wanted {
  /** Of the settings. */
  readonly sandbox: DesktopSettings['sandbox'];
  readonly view: ServiceView;
}

const images = { id: 'images', title: 'Images of the sandbox' } as const;

/** The findings as rows; what the settings do not use is `absent` where it is missing. */
export function sandboxRows(found: SandboxFindings, wanted: Wanted): Finding[] {
  const { sandbox } = wanted;
  const docker = { id: 'docker', title: 'Docker' };
  const gvisor = { id: 'gvisor', title: 'gVisor' };
  return [
    { ...docker, ...rowOf(found.docker, { isWanted: sandbox === 'docker' }) },
    { ...gvisor, ...rowOf(found.gvisor, { isWanted: sandbox === 'gvisor' }) },
    { ...images, ...imagesRow(found, wanted) },
  ];
}

/** The row for a failed examination. */
export function unexamined(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    id: 'sandboxes',
    title: 'Sandboxes',
    state: 'warn',
    detail: `Docker and gVisor could not be examined: ${reason}`,
    fix: 'Examine again.',
  };
}

type Row = Pick<Finding, 'state' | 'detail' | 'fix' | 'action'>;

function rowOf(finding: SandboxFinding, { isWanted }: { isWanted: boolean }): Row {
  if ('version' in finding) return { state: 'ok', detail: finding.version, fix: '' };
  const { problem } = finding;
  return isWanted
    ? { state: 'fail', detail: problem, fix: 'Or choose another sandbox in the settings.' }
    : { state: 'absent', detail: `Not needed by the sandbox of the settings. ${problem}`, fix: '' };
}

function imagesRow({ docker, gvisor, images: found }: SandboxFindings, wanted: Wanted): Row {
  const { sandbox, view } = wanted;
  if (sandbox === 'none') {
    return { state: 'absent', detail: 'Agents run as plain processes and need none.', fix: '' };
  }
  const { failure } = view;
  if (failure?.actions.includes('build')) {
    const fix = 'Build them: it takes some minutes, once for each version.';
    return { state: 'fail', detail: failure.message, fix, action: 'build' };
  }
  if ('problem' in (sandbox === 'docker' ? docker : gvisor)) {
    return { state: 'absent', detail: 'They are checked when the sandbox is available.', fix: '' };
  }
  // gVisor's are in a cache that only a pull reads.
  if (sandbox === 'gvisor' || found.there.length > 0) {
    const atStart = 'A start checks those that its agents need, and offers to build them.';
    return {
      state: 'ok',
      detail: sandbox === 'docker' ? found.there.join(', ') : atStart,
      fix: '',
    };
  }
  const fix = 'Open a folder of agents: its start offers to build what they need.';
  return { state: 'warn', detail: `Missing: ${found.missing.join(', ')}.`, fix };
}
