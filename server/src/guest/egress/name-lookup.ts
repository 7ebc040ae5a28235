import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { textOfFile } from '../../files/regular-file.ts';
import { EGRESS_LOOKUP_MS } from '../../model/limits/egress-limits.ts';
import { canonicalHost } from './host-name.ts';

/** Finds the addresses of a name; rejects when there are none. */
export type Resolve = (name: string, signal?: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** An address as the system returns it. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Looks names up, a bounded number of them at once; further ones wait in order. */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(atOnce: number, resolve: Resolve) {
    this.#limit = pLimit(atOnce);
    this.#resolve = resolve;
  }

  /** The addresses of a name. If `signal` fires before its turn, it rejects without a lookup. */
  addresses(name: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    return this.#limit(() => {
      signal.throwIfAborted();
      return this.#resolve(name, signal);
    });
  }
}

/** For one query to one name server. */
const QUESTION = { timeout: 2_000, tries: 2 };

/** How long to wait for addresses of the other kind once one kind has been found. */
const OTHER_KIND_MS = 300;

export interface NameLookupOptions {
  /** Absent: those of this machine. */
  servers?: readonly string[];
  hostsFile?: string;
  resolvConf?: string;
  limitMs?: number;
}

/**
 * Queries the hosts file of this machine, then its name servers. It does not use `getaddrinfo`: each lookup would block
 * one of this process's few threads for as long as a foreign name server delays its response.
 */
export function nameLookup({
  servers,
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
  limitMs = EGRESS_LOOKUP_MS,
}: NameLookupOptions = {}): Resolve {
  return async (name, signal) => {
    const named = addressesIn(textOfFile(hostsFile) ?? '', name);
    if (named.length > 0) return named;
    const resolver = new Resolver(QUESTION); // each time: the servers may have changed
    if (servers) resolver.setServers([...servers]);
    const end = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
    const cancel = (): void => resolver.cancel();
    end.addEventListener('abort', cancel, { once: true });
    try {
      for (const full of fullNames(name, textOfFile(resolvConf) ?? '')) {
        end.throwIfAborted();
        const found = await ask(resolver, full);
        if (found.length > 0) return found;
      }
    } catch (cause) {
      throw Object.assign(new Error('no response', { cause }), { code: 'EAI_AGAIN' });
    } finally {
      end.removeEventListener('abort', cancel);
      resolver.cancel();
    }
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  };
}

/** Addresses of both kinds; empty if the name servers report that none exist. Rejects if they do not respond. */
async function ask(resolver: Resolver, name: string): Promise<ResolvedAddress[]> {
  const ofKind = async (family: 4 | 6): Promise<ResolvedAddress[]> => {
    try {
      const found = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
      return found.map((address) => ({ address, family }));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
      throw error;
    }
  };
  const both = [ofKind(4), ofKind(6)];
  const [first] = await Promise.allSettled([Promise.any(both.map(someOf))]);
  const late = first.status === 'fulfilled' ? OTHER_KIND_MS : undefined;
  if (late === undefined) return (await Promise.all(both)).flat();
  const all = await Promise.all(both.map((one) => Promise.race([one.catch(() => []), none(late)])));
  return all.flat();
}

async function someOf(lookup: Promise<ResolvedAddress[]>): Promise<void> {
  if ((await lookup).length === 0) throw new Error('none of this kind');
}

async function none(afterMs: number): Promise<ResolvedAddress[]> {
  return await delay(afterMs, [], { ref: false });
}

/** As in resolv.conf(5): a short name is tried in the search domains first. */
function fullNames(name: string, conf: string): string[] {
  const words = (key: string): string[] =>
    new RegExp(`^\\s*${key}\\s+(.*)$`, 'm').exec(conf)?.[1]?.trim().split(/\s+/) ?? [];
  const [search, options] = [words('search'), words('options')];
  const domains = (search.length > 0 ? search : words('domain')).filter((one) => one !== '.');
  const dots = Number(/^ndots:(\d+)$/m.exec(options.join('\n'))?.[1] ?? 1);
  const below = domains.slice(0, 6).map((domain) => `${name}.${domain.replace(/\.$/, '')}`);
  return name.split('.').length - 1 >= dots ? [name, ...below] : [...below, name];
}

function addressesIn(hosts: string, name: string): ResolvedAddress[] {
  const lines = hosts.split('\n').map((line) => line.replace(/#.*$/, '').trim().split(/\s+/));
  return lines.flatMap(([written = '', ...names]) => {
    const address = canonicalHost(written.replace(/%.*$/, ''));
    const isIts = names.some((one) => one.toLowerCase() === name);
    return address !== undefined && isIts
      ? [{ address, family: address.includes(':') ? 6 : 4 }]
      : [];
  });
}
