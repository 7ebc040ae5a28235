import type { Finding } from '../../../../electron/src/ipc/contract.ts';
import type { Health } from '../../api/queries/health.ts';

const said: Readonly<Record<string, string>> = { ok: 'It answers.', off: 'It is switched off.' };

/** The disk is no part that responds, and nothing but room mends it. */
const ofDisk = {
  ok: 'It has room.',
  fix: 'Remove what is not needed from that disk: the service goes on by itself.',
};

/** What `GET /health` says of each part, as the doctor shows it. */
export function healthFindings(health: Health | undefined, isUnreachable: boolean): Finding[] {
  if (isUnreachable) {
    return [
      {
        id: 'service',
        title: 'Service',
        state: 'fail',
        detail: 'It does not answer.',
        fix: 'Start it, or look into its log for why it ended.',
      },
    ];
  }
  return Object.entries(health?.components ?? {}).map(([name, component]) => ({
    id: `service.${name}`,
    title: `Service: ${name}`,
    state: stateOf(component.status),
    detail:
      'message' in component && typeof component.message === 'string'
        ? component.message
        : saidOf(name, component.status),
    fix: stateOf(component.status) === 'ok' ? '' : fixOf(name),
  }));
}

function stateOf(status: string): Finding['state'] {
  if (status === 'ok' || status === 'off') return 'ok';
  return status === 'failing' ? 'fail' : 'warn';
}

function saidOf(name: string, status: string): string {
  if (name === 'disk' && status === 'ok') return ofDisk.ok;
  return said[status] ?? `It is ${status}.`;
}

function fixOf(name: string): string {
  return name === 'disk' ? ofDisk.fix : 'The log says why.';
}
