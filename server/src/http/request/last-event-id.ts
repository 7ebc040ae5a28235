import { ServiceError } from '../../errors/service-error.ts';

/**
 * After which event a stream goes on, of the header Last-Event-ID or the parameter `last_event_id`; undefined when
 * neither says. The header wins: a reconnecting client knows better.
 */
export function lastEventIdOf(
  header: string | string[] | undefined,
  parameter: string | undefined,
): number | undefined {
  const given = header === undefined || header === '' ? parameter : header;
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^\d{1,16}$/.test(given)) return Number(given);
  const message = 'must be the id of an event';
  throw new ServiceError('invalid_request', `Last-Event-ID ${message}.`, {
    details: { issues: [{ path: 'Last-Event-ID', message }] },
  });
}
