import ipaddr from 'ipaddr.js';

import type { EgressRule } from './egress-rule.ts';
import { addressOf } from './host-name.ts';
import { ownAddresses, type IsOwnAddress } from './own-addresses.ts';
import { isPublicAddress, plainAddress } from './public-address.ts';

/** The target of an agent's request; the host is canonical. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The hosts that agents may reach. Without rules: every public one. */
export class AllowList {
  readonly #rules: readonly EgressRule[] | undefined;
  readonly #isOwn: IsOwnAddress;

  constructor(rules: readonly EgressRule[] | undefined, isOwn: IsOwnAddress = ownAddresses()) {
    this.#rules = rules;
    this.#isOwn = isOwn;
  }

  /** True when rules were given: a further one can be added to them. */
  get hasRules(): boolean {
    return this.#rules !== undefined;
  }

  /**
   * True when the rules match this target. The name of any other target is not looked up: the DNS query alone would
   * carry data to the name's servers. An address as the host must match a rule for addresses.
   */
  permitsHost({ host, port }: Target): boolean {
    if (this.#rules === undefined) return true;
    return this.#at(port).some(({ host: rule }) => {
      if (rule.kind === 'any') return true;
      if (rule.kind === 'name') return rule.name === host;
      if (rule.kind === 'below') return addressOf(host) === undefined && host.endsWith(rule.suffix);
      return contains(rule, host);
    });
  }

  /** True when a permitted target may resolve to this address: public and not this machine's, or named by a rule. */
  permitsAddress(address: string, { host, port }: Target): boolean {
    if (isPublicAddress(address) && !this.#isOwn(plainAddress(address) ?? address)) return true;
    return this.#at(port).some(({ host: rule }) =>
      rule.kind === 'addresses'
        ? contains(rule, address)
        : rule.kind === 'name' && rule.name === host,
    );
  }

  #at(port: number): readonly EgressRule[] {
    return (this.#rules ?? []).filter((rule) => rule.port === undefined || rule.port === port);
  }
}

function contains({ first, bits }: { first: string; bits: number }, host: string): boolean {
  const [range, address] = [addressOf(first), addressOf(host)];
  if (range === undefined || address === undefined) return false;
  if (range instanceof ipaddr.IPv4) {
    return address instanceof ipaddr.IPv4 && address.match(range, bits);
  }
  return address instanceof ipaddr.IPv6 && address.match(range, bits);
}
