import { connect, type LookupFunction, type Socket } from 'node:net';

import type { AllowList, Target } from './allow-list.ts';
import { addressOf, withPort } from './host-name.ts';
import type { Lookups, ResolvedAddress } from './name-lookup.ts';
import { denial, EgressRefusal, type EgressLimit } from './refusal.ts';

/** What `reach` needs to connect to targets. */
export interface Reach {
  allowed: AllowList;
  lookups: Lookups;
  connectMs: number;
  onLimit: (limit: EgressLimit) => void;
}

/**
 * Connects to a target, or rejects with an EgressRefusal. Its name is looked up once, and the connection goes to an
 * address that was checked: a different result of a later lookup (DNS rebinding) has no effect.
 */
export async function reach(
  target: Target,
  { allowed, lookups, connectMs, onLimit }: Reach,
  gone: AbortSignal,
): Promise<Socket> {
  if (!allowed.permitsHost(target)) throw denial(target, 'not_allowed', allowed);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), connectMs);
  const signal = AbortSignal.any([gone, late.signal]);
  try {
    const found = await orAborted(addressesOf(target, lookups, signal), signal);
    // One permitted address suffices: only checked ones are connected to.
    const checked = found.filter(({ address }) => allowed.permitsAddress(address, target));
    if (checked.length === 0) throw denial(target, 'private_address', allowed);
    return await connected(target, checked, signal);
  } catch (error) {
    if (error instanceof EgressRefusal) throw error;
    const name = withPort(target.host, target.port);
    if (!late.signal.aborted) throw new EgressRefusal(502, `${name}: ${reasonOf(error)}.`);
    onLimit('connect_time');
    throw new EgressRefusal(
      504,
      `${name} could not be connected to within ${connectMs / 1_000} s.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

async function addressesOf(
  { host }: Target,
  lookups: Lookups,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const address = addressOf(host);
  if (address === undefined) return lookups.addresses(host, signal);
  return [{ address: host, family: address.kind() === 'ipv6' ? 6 : 4 }];
}

function connected(
  { host, port }: Target,
  checked: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const pinned: LookupFunction = (_name, { all }, done) => {
    const [first] = checked;
    if (all === true) done(null, [...checked]);
    else done(null, first?.address ?? '', first?.family);
  };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host, port, lookup: pinned, allowHalfOpen: true, noDelay: true });
    const abort = (): void => void socket.destroy(new Error('given up'));
    signal.addEventListener('abort', abort, { once: true });
    socket.on('error', reject); // stays registered: later errors only close the socket
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      resolve(socket);
    });
    socket.once('close', () => signal.removeEventListener('abort', abort));
  });
}

/** Rejects at once when the signal fires: a lookup may take a short time to abort. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
    work.then(resolve, reject);
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to it',
};

/** Our own text: the system's messages contain addresses. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? 'it could not be connected to';
}
