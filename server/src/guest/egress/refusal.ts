import type { AllowList, Target } from './allow-list.ts';
import { withPort } from './host-name.ts';

/** Why a host was denied to an agent: the tag `reason` of service_egress_denied_total. */
export type DenyReason = 'not_allowed' | 'private_address';

/** Limits that connections of agents exceed: the tag `limit` of service_egress_limits_total. */
export type EgressLimit =
  'connections' | 'header_bytes' | 'header_time' | 'connect_time' | 'idle_time';

/** A response of the proxy itself instead of the target's. The message is for the agent's author: one line of ASCII. */
export class EgressRefusal extends Error {
  readonly status: number;
  /** Set when a rule caused the refusal. */
  readonly denied: { readonly target: Target; readonly reason: DenyReason } | undefined;

  constructor(status: number, message: string, denied?: EgressRefusal['denied']) {
    super(message);
    this.status = status;
    this.denied = denied;
  }
}

/** 403 with the setting that would allow it. */
export function denial(target: Target, reason: DenyReason, allowed: AllowList): EgressRefusal {
  const name = withPort(target.host, target.port);
  const why = {
    not_allowed: 'it is not in guest.egress_allow',
    private_address: 'it leads to a private, loopback, link-local or reserved address',
  }[reason];
  // A list with this host alone would deny all others.
  const help = allowed.hasRules
    ? `add ${name} to guest.egress_allow`
    : `set guest.egress_allow to *,${name}`;
  const message = `Agents may not reach ${name}: ${why}. To allow it, ${help}.`;
  return new EgressRefusal(403, message, { target, reason });
}
