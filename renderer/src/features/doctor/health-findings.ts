import type { Finding } from '../../../../electron/src/ipc/contract.ts';
import type { Health } from '../../api/queries/health.ts';

const said: Readonly<Record<string, string>> = { ok: 'It answers.', off: 'It is switched off.' };

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
        : (said[component.status] ?? `It is ${component.status}.`),
    fix: component.status === 'ok' || component.status === 'off' ? '' : 'The log says why.',
  }));
}

function stateOf(status: string): Finding['state'] {
  if (status === 'ok' || status === 'off') return 'ok';
  return status === 'failing' ? 'fail' : 'warn';
}
