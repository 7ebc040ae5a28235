import type { Principal } from '../model/principal.ts';
import type { OutboxPort, SenderPort } from '../webhooks/port.ts';
import type { RunKey } from './run-request.ts';

export interface WebhookPorts {
  outbox: Pick<OutboxPort, 'add' | 'remove'>;
  sender: Pick<SenderPort, 'requireAllowed'>;
}

/** What a run's creation does with the ids of the run, before the run is made; resolves with how to undo it. */
export type NoteRun = (key: RunKey) => Promise<() => Promise<void>>;

/** Webhooks as requests use them. */
export class WebhookService {
  readonly #ports: WebhookPorts;

  constructor(ports: { webhooks: WebhookPorts }) {
    this.#ports = ports.webhooks;
  }

  /** `invalid_request` for what is no URL, or leads where webhooks may not go. */
  requireAllowed(url: string): void {
    this.#ports.sender.requireAllowed(url);
  }

  /** Notes a run that is to be sent to this URL when it has ended. */
  noteFor(principal: Principal, url: string): NoteRun {
    const { outbox } = this.#ports;
    return async (key) => {
      const isNew = await outbox.add({ ...key, url, principal });
      // The same ids may be those of an earlier request, whose run is to be sent.
      return async () => {
        if (isNew) await outbox.remove(key.threadId, key.runUuid);
      };
    };
  }
}
