import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ServiceError } from '../errors/service-error.ts';
import { AllowList, type Target } from '../guest/egress/allow-list.ts';
import type { EgressRule } from '../guest/egress/egress-rule.ts';
import { addressOf, canonicalHost } from '../guest/egress/host-name.ts';
import { Lookups, nameLookup, type Resolve } from '../guest/egress/name-lookup.ts';
import { reach } from '../guest/egress/reach.ts';
import { EgressRefusal } from '../guest/egress/refusal.ts';
import {
  WEBHOOK_RESPONSE_BYTES,
  WEBHOOK_TRY_MS,
  WEBHOOK_URL_LENGTH,
  WEBHOOKS_AT_ONCE,
} from '../model/limits/webhook-limits.ts';
import type { SenderPort, SendOutcome, Webhook } from './port.ts';
import { webhookHeaders } from './signature.ts';

export interface SenderOptions {
  /** The only hosts that are sent to. Absent: every public one. */
  allow?: readonly EgressRule[] | undefined;
  secret?: string | undefined;
  userAgent: string;
  /** Absent: the names are looked up as the system does. */
  resolve?: Resolve;
  /** Certificates that count beside those of the system. */
  ca?: string;
  tryMs?: number;
}

interface Destination extends Target {
  url: URL;
}

/**
 * Sends webhooks to public addresses, and to those that a rule names. An address is checked when it is connected to, so
 * that no name can lead elsewhere in between; a redirect is not followed.
 */
export function createSender(options: SenderOptions): SenderPort {
  const { allow, secret, userAgent, ca, tryMs = WEBHOOK_TRY_MS } = options;
  const allowed = new AllowList(allow);
  const lookups = new Lookups(WEBHOOKS_AT_ONCE, options.resolve ?? nameLookup());

  async function post(
    { url, host, port }: Destination,
    given: { headers: Record<string, string>; body: string },
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const how = { allowed, lookups, connectMs: tryMs, onLimit: () => undefined };
    const plain = await reach({ host, port }, how, signal);
    const socket = url.protocol === 'https:' ? secured(plain, host, ca) : plain;
    const closed = (): void => void socket.destroy();
    signal.addEventListener('abort', closed, { once: true });
    return new Promise((resolve, reject) => {
      const path = url.pathname + url.search;
      const sent = request({
        method: 'POST',
        path,
        headers: { ...given.headers, host: url.host, connection: 'close' },
        createConnection: () => socket,
      });
      sent.once('response', resolve);
      sent.once('error', reject);
      sent.once('close', () => socket.destroy());
      sent.end(given.body);
    });
  }

  return {
    requireAllowed(text) {
      const wanted = destinationOf(text);
      if (!wanted) throw refused('must be a URL with https or http, without a user in it');
      const address = knownAddress(wanted.host);
      const isOpen = address === undefined || allowed.permitsAddress(address, wanted);
      if (allowed.permitsHost(wanted) && isOpen) return;
      throw refused('leads to a host that webhooks may not go to: webhooks.allow');
    },

    async send({ webhookId, url }, body, stop): Promise<SendOutcome> {
      const wanted = destinationOf(url);
      if (!wanted) return { kind: 'refused', reason: 'no URL' };
      const timestamp = Math.floor(Date.now() / 1_000);
      const headers = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': userAgent,
        ...webhookHeaders({ webhookId, timestamp, body }, secret),
      };
      const late = AbortSignal.timeout(tryMs);
      const signal = AbortSignal.any([late, stop]);
      try {
        const response = await post(wanted, { headers, body }, signal);
        await readAway(response);
        return outcomeOf(response.statusCode ?? 0);
      } catch (error) {
        if (error instanceof EgressRefusal && error.denied) {
          return { kind: 'refused', reason: error.denied.reason };
        }
        if (late.aborted) return { kind: 'failed', reason: 'no response in time' };
        return { kind: 'failed', reason: codeOf(error) };
      }
    },
  };
}

/** Only 410, "gone", says that no try can succeed (Standard Webhooks). */
function outcomeOf(status: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  return { kind: status === 410 ? 'refused' : 'failed', reason: `status ${status}` };
}

function destinationOf(text: Webhook['url']): Destination | undefined {
  const url = text.length <= WEBHOOK_URL_LENGTH ? URL.parse(text) : null;
  if (!url || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const host = canonicalHost(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (host === undefined) return undefined;
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { url, host, port: url.port === '' ? usual : Number(url.port) };
}

/** The address that a host has in any case. */
function knownAddress(host: string): string | undefined {
  if (/^(?:.+\.)?localhost$/.test(host)) return '127.0.0.1';
  return addressOf(host) === undefined ? undefined : host;
}

function secured(socket: Socket, host: string, ca: string | undefined): Socket {
  const isName = addressOf(host) === undefined;
  const checked = { socket, host, ...(isName && { servername: host }), ...(ca && { ca }) };
  return connectTls({ ...checked, ALPNProtocols: ['http/1.1'] });
}

/** The content means nothing; what is longer than the limit is cut off. */
async function readAway(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length; // no encoding is set
      if (bytes > WEBHOOK_RESPONSE_BYTES) break;
    }
  } catch {
    // The status has come.
  }
  response.destroy();
}

function codeOf(error: unknown): string {
  if (error instanceof EgressRefusal) return 'not connected';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'no response';
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', `webhook: ${message}.`, {
    details: { issues: [{ path: 'webhook', message }] },
  });
}
