import type { Finding } from '../../../../electron/src/ipc/contract.ts';
import type { Health } from '../../api/queries/health.ts';

const details: Readonly<Record<string, string>> = {
  ok: 'It responds.',
  off: 'It is switched off.',
};

/** The disk does not respond to requests, and only free space fixes it. */
const ofDisk = {
  ok: 'It has free space.',
  fix: 'Free space on that disk: the service continues by itself.',
};

/** The components of `GET /health`, as the doctor shows them. */
export function healthFindings(health: Health | undefined, isUnreachable: boolean): Finding[] {
  if (isUnreachable) {
    return [
      {
        id: 'service',
        title: 'Service',
        state: 'fail',
        detail: 'It does not respond.',
        fix: 'Start it, or check its log for why it ended.',
      },
    ];
  }
  return Object.entries(health?.components ?? {}).map(([name, component]) => ({
    id: `service.${name}`,
    title: `Service: ${name}`,
    state: stateOf(name, component.status),
    detail:
      'message' in component && typeof component.message === 'string'
        ? component.message
        : detailOf(name, component.status),
    fix: stateOf(name, component.status) === 'ok' ? '' : fixOf(name),
  }));
}

function stateOf(name: string, status: string): Finding['state'] {
  if (status === 'ok' || status === 'off') return 'ok';
  // A language without a guest: agents of others run, and everything can be read.
  return status === 'failing' && name !== 'guest' ? 'fail' : 'warn';
}

function detailOf(name: string, status: string): string {
  if (name === 'disk' && status === 'ok') return ofDisk.ok;
  return details[status] ?? `It is ${status}.`;
}

function fixOf(name: string): string {
  if (name === 'guest') return 'The pages of the agents that are not loaded have what helps.';
  return name === 'disk' ? ofDisk.fix : 'The log has the reason.';
}
