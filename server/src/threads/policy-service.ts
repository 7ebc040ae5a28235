import { ServiceError } from '../errors/service-error.ts';
import type { Engine } from '../engine/engine.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { questionsAbout } from '../policy/asked-permissions.ts';
import type { Decision } from '../policy/domain/decision.ts';
import { porcOf } from '../policy/domain/question-porc.ts';
import type { TestPrincipal } from '../policy/domain/test-principals.ts';
import type { PolicyDescription, PolicyInsight } from '../policy/insight.ts';
import type {
  DecisionFilter,
  DecisionPage,
  FollowedDecision,
} from '../policy/log/decision-memory.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { policyResource } from '../policy/resources.ts';
import type { AgentsPort } from './ports.ts';

/** The principal and the resources whose permissions are requested. */
export interface PermissionsAsked {
  /** Claims of another principal. Absent: the one who sends the request. */
  principal?: Readonly<Record<string, unknown>>;
  threadId?: ThreadId;
  agentId?: string;
}

/** A question on behalf of the given principal, or of the one who sends the request. */
type AskedPorc = Omit<ReturnType<typeof porcOf>, 'principal'> & {
  principal: Readonly<Record<string, unknown>>;
};

/** Whether one operation is allowed, and why. */
export interface ExplainedPermission {
  operation: string;
  /** Its MRN. */
  resource: string;
  decision: Decision;
  /** The question, in the form that `explain` takes. */
  question: AskedPorc;
}

/** What the service needs. */
export interface PolicyServicePorts {
  engine: { readonly threads: Pick<Engine['threads'], 'ownerOf'> };
  agents: AgentsPort;
  policy: PolicyPort;
  insight: PolicyInsight;
  /** Every caller chooses its own identity, so nothing needs to be hidden. */
  isTestMode: boolean;
}

/** Inspection of policies (decisions: "policies: looking at them"). */
export class PolicyService {
  readonly #engine: PolicyServicePorts['engine'];
  readonly #agents: PolicyServicePorts['agents'];
  readonly #policy: PolicyServicePorts['policy'];
  readonly #insight: PolicyServicePorts['insight'];
  readonly #isTestMode: PolicyServicePorts['isTestMode'];

  constructor(ports: PolicyServicePorts) {
    this.#engine = ports.engine;
    this.#agents = ports.agents;
    this.#policy = ports.policy;
    this.#insight = ports.insight;
    this.#isTestMode = ports.isTestMode;
  }

  async describe(
    principal: Principal,
  ): Promise<PolicyDescription & { principals: readonly TestPrincipal[] }> {
    await this.#permit(principal, 'read');
    const principals = this.#isTestMode ? await this.#insight.testPrincipals() : [];
    return { ...this.#insight.describe(), principals };
  }

  async recent(
    principal: Principal,
    filter: DecisionFilter,
    page: { limit: number; before?: number },
  ): Promise<DecisionPage> {
    await this.#permit(principal, 'read');
    return this.#insight.recent(filter, page);
  }

  /** Checks the permission once, when it opens. */
  async follow(
    principal: Principal,
    filter: DecisionFilter,
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<FollowedDecision>> {
    await this.#permit(principal, 'read');
    return this.#insight.follow(filter, after, signal);
  }

  async explain(principal: Principal, porc: unknown): Promise<Decision> {
    await this.#permit(principal, 'explain');
    return this.#insight.explain(porc);
  }

  /** `thread_not_found`, `agent_not_found`. */
  async permissions(
    principal: Principal,
    { principal: other, threadId, agentId }: PermissionsAsked,
    signal: AbortSignal,
  ): Promise<ExplainedPermission[]> {
    await this.#permit(principal, 'explain');
    const agent = agentId === undefined ? undefined : this.#agents.resolve(agentId);
    const owner = threadId === undefined ? undefined : await this.#engine.threads.ownerOf(threadId);
    const sub = other ? other['sub'] : principal.sub;
    const questions = questionsAbout({
      sub: typeof sub === 'string' ? sub : '',
      ...(threadId !== undefined && {
        thread: { threadId, ...(owner !== undefined && { owner }) },
      }),
      ...(agent && { agentId: agent.agentId }),
    });
    const permissions: ExplainedPermission[] = [];
    // One after the other, so that other requests' questions can run in between.
    for (const question of questions) {
      signal.throwIfAborted();
      const own = porcOf({ principal, ...question });
      const porc = other ? { ...own, principal: other } : own;
      const decision = await this.#insight.explain(porc);
      const { operation, resource } = question;
      permissions.push({ operation, resource: resource.mrn, decision, question: porc });
    }
    return permissions;
  }

  async #permit(principal: Principal, verb: 'read' | 'explain'): Promise<void> {
    if (this.#isTestMode) return;
    const operation = `service:policy:${verb}` as const;
    if (this.#insight.describe().isPermissive) {
      const message = `This is shown in test mode, or to whom policy files permit ${operation}.`;
      throw new ServiceError('policies_disabled', message);
    }
    await requirePermission(this.#policy, { principal, operation, resource: policyResource });
  }
}
