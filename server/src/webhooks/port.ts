/*
 * Webhooks: a run is sent to a URL when it has ended. What is to be sent is written down before the run is made, and
 * removed when it was taken or is given up.
 */
import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';

/** A run that is to be sent somewhere. */
export interface NewWebhook {
  threadId: ThreadId;
  runUuid: RunUuid;
  url: string;
  /** Who made the run, and has to be permitted to read what is sent. */
  principal: Principal;
}

export interface Webhook extends NewWebhook {
  /** The same in every try. */
  webhookId: string;
  /** Milliseconds since the epoch, as all times here. */
  createdAt: number;
  /** Tries that have failed. */
  tries: number;
  /** Of the first one. */
  triedAt?: number;
  /** When it is looked at next. While somebody has it: until when. */
  nextAt: number;
}

/** Where webhooks are kept. Each method rejects with `webhooks_unavailable` when the database does not respond. */
export interface OutboxPort {
  /** Of one run there is one: false when it is there already. `too_many_webhooks` */
  add(webhook: NewWebhook): Promise<boolean>;
  /** The webhook of a run that was not made. */
  remove(threadId: ThreadId, runUuid: RunUuid): Promise<void>;
  /** Takes those that are due for itself, until `until`: no other process gets them. */
  take(now: number, until: number, limit: number): Promise<Webhook[]>;
  /** Removes one that was taken. */
  finish(webhook: Webhook): Promise<void>;
  /** Gives one back that was taken. */
  putBack(webhook: Webhook, next: Pick<Webhook, 'nextAt' | 'tries' | 'triedAt'>): Promise<void>;
  /** It is due now. */
  hasten(threadId: ThreadId, runUuid: RunUuid): Promise<void>;
  nextDue(): Promise<number | undefined>;
  /** What a process had taken that is no more is due now, where there can be no other process. */
  recover(): Promise<void>;
  /** Calls `listener` after each one that this process adds. */
  onAdd(listener: (webhook: NewWebhook) => void): void;
  /** False: there has never been one, and nothing need be opened to know it. */
  mayHaveSome(): boolean;
  close(): Promise<void>;
}

/** Sends one. */
export interface SenderPort {
  /** `invalid_request` for what is no URL, or leads where webhooks may not go. */
  requireAllowed(url: string): void;
  send(
    webhook: Pick<Webhook, 'webhookId' | 'url'>,
    body: string,
    stop: AbortSignal,
  ): Promise<SendOutcome>;
}

/** `reason`: a status or a phrase, without anything that the URL or the response brings. */
export type SendOutcome =
  | { kind: 'delivered' }
  /** Another try may succeed. */
  | { kind: 'failed'; reason: string }
  /** None can. */
  | { kind: 'refused'; reason: string };
