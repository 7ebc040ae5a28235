import { v7 as uuidv7 } from 'uuid';
import type { Cron, CronContent, CronsPort } from '../crons/port.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { JsonText } from '../model/json.ts';
import { permittedRows } from '../model/permitted-rows.ts';
import type { Principal } from '../model/principal.ts';
import type { Permission, PolicyPort } from '../policy/port.ts';
import { isAlsoPermitted, isMatch, requirePermission } from '../policy/require-permission.ts';
import { cronResource } from '../policy/resources.ts';
import { hasMembers } from './has-members.ts';

export interface CronServicePorts {
  crons: CronsPort;
  policy: PolicyPort;
}

export type CronVerb = 'create' | 'read' | 'update' | 'delete' | 'search';

/** Members that are left out stay; metadata are merged. */
export interface CronChange extends Partial<Omit<CronContent, 'endTime' | 'payload'>> {
  /** Null: there is no end any more. */
  endTime?: number | null;
  /** Makes the payload of the present one. */
  payloadOf?: (current: JsonText) => JsonText;
  /** The change as handlers of LangGraph's `Auth` are asked. */
  given: Readonly<Record<string, unknown>>;
}

export interface CronSearch {
  assistantId?: string;
  threadId?: string;
  isEnabled?: boolean;
  /** Members that the cron's metadata must have with an equal value. */
  metadata: Readonly<Record<string, unknown>>;
}

/** Crons as requests use them. What they make is made by the scheduler, as the principal that made the cron. */
export class CronService {
  readonly #ports: CronServicePorts;

  constructor(ports: CronServicePorts) {
    this.#ports = ports;
  }

  /** `given`: the cron as handlers of LangGraph's `Auth` are asked. */
  async create(
    principal: Principal,
    content: CronContent,
    given: Readonly<Record<string, unknown>>,
  ): Promise<Cron> {
    const cronId = uuidv7();
    const owned = { owner: principal.sub, given };
    const permission = await this.#require(principal, 'create', cronId, owned);
    const metadata = givenMetadata(permission, content.metadata);
    return this.#ports.crons.create(cronId, principal, { ...content, metadata });
  }

  /** `cron_not_found` */
  read(principal: Principal, cronId: string): Promise<Cron> {
    return this.#permitted(principal, 'read', cronId);
  }

  async change(principal: Principal, cronId: string, change: CronChange): Promise<Cron> {
    const { given, payloadOf, endTime, ...rest } = change;
    let permission: Permission = {};
    await this.#permitted(principal, 'update', cronId, given, (one) => (permission = one));
    const metadata = change.metadata && givenMetadata(permission, change.metadata);
    const changed = this.#ports.crons.change(cronId, ({ endTime: end, ...current }) => {
      const until = endTime === undefined ? end : (endTime ?? undefined);
      return {
        ...current,
        ...rest,
        ...(until !== undefined && { endTime: until }),
        metadata: { ...current.metadata, ...metadata },
        payload: payloadOf ? payloadOf(current.payload) : current.payload,
      };
    });
    return found(await changed, cronId);
  }

  async delete(principal: Principal, cronId: string): Promise<void> {
    await this.#permitted(principal, 'delete', cronId);
    await this.#ports.crons.delete(cronId);
  }

  /** Newest first, without those that the policy denies reading. */
  async find(principal: Principal, { metadata, ...wanted }: CronSearch): Promise<Cron[]> {
    const { assistantId = null, threadId = null } = wanted;
    const given = { assistant_id: assistantId, thread_id: threadId, metadata };
    const { filter } = await this.#require(principal, 'search', '*', { given });
    const listed = await this.#ports.crons.list(wanted);
    const matching = listed.filter(
      (one) => isMatch(one.metadata, filter) && hasMembers(one.metadata, metadata),
    );
    return permittedRows(matching, ({ cronId, principal: { sub: owner } }) =>
      isAlsoPermitted(this.#ports.policy, {
        principal,
        operation: 'service:cron:read',
        resource: cronResource(cronId, owner),
      }),
    );
  }

  /** The cron, for a caller who may do this with it: without the right, it is not known whether it exists. */
  async #permitted(
    principal: Principal,
    verb: 'read' | 'update' | 'delete',
    cronId: string,
    given: Readonly<Record<string, unknown>> = {},
    onPermitted?: (permission: Permission) => void,
  ): Promise<Cron> {
    const known = uuid.test(cronId) ? await this.#ports.crons.read(cronId) : undefined;
    const permission = await this.#require(principal, verb, cronId, {
      ...(known && { owner: known.principal.sub }),
      given,
    });
    onPermitted?.(permission);
    const cron = found(known, cronId);
    return isMatch(cron.metadata, permission.filter) ? cron : found(undefined, cronId);
  }

  #require(
    principal: Principal,
    verb: CronVerb,
    cronId: string,
    { owner, given }: { owner?: string; given: Readonly<Record<string, unknown>> },
  ): Promise<Permission> {
    return requirePermission(this.#ports.policy, {
      principal,
      operation: `service:cron:${verb}`,
      resource: cronResource(cronId, owner),
      given: { ...(cronId !== '*' && { cron_id: cronId }), ...given },
    });
  }
}

/** No other text goes to the database. */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** With what a handler has changed. */
function givenMetadata(
  { given }: Permission,
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const changed = given?.['metadata'];
  return typeof changed === 'object' && changed !== null ? { ...changed } : metadata;
}

function found(cron: Cron | undefined, cronId: string): Cron {
  if (cron) return cron;
  throw new ServiceError('cron_not_found', `There is no cron ${cronId}.`);
}
