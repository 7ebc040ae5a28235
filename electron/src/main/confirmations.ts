// Confirmed by a person in the system's own dialog, which no page can click: what runs, what is installed, who is sent
// what is entered.
import type { DesktopSettings, SettingsPatch } from '../ipc/contract.ts';
import { DesktopFailure } from './desktop-failure.ts';

/** A question with two buttons. */
export interface Question {
  readonly message: string;
  /** What it is about, and what follows. */
  readonly detail: string;
  /** The button that confirms. */
  readonly confirm: string;
}

/** Resolves with whether it was confirmed. */
export type Ask = (question: Question) => Promise<boolean>;

export interface Confirmations {
  /** Rejects unless a new interpreter and a new feed of updates are confirmed. */
  settings(patch: SettingsPatch, now: DesktopSettings): Promise<void>;
  /** Rejects unless the service at a URL is confirmed; once in a session. */
  remote(url: string): Promise<void>;
}

/** Asks with the system's dialog. */
export function createConfirmations(ask: Ask): Confirmations {
  const confirmed = new Set<string>();

  async function mustConfirm(what: string, question: Question): Promise<void> {
    if (await ask(question)) return;
    throw new DesktopFailure('not_possible', `${what} was not confirmed.`);
  }

  return {
    async settings({ interpreter, updateFeed }, now) {
      if (isNew(interpreter, now.interpreter)) {
        await mustConfirm('The interpreter', {
          message: 'Run agents with this program?',
          detail: `${interpreter}\n\nThe service starts it as your user, for all agents of this machine.`,
          confirm: 'Use this program',
        });
      }
      if (isNew(updateFeed, now.updateFeed)) {
        await mustConfirm('The feed of updates', {
          message: 'Install updates from this feed?',
          detail: `${updateFeed}\n\nNew versions of this application are downloaded from there, and installed when it quits.`,
          confirm: 'Use this feed',
        });
      }
    },
    async remote(url) {
      const { origin } = new URL(url);
      if (confirmed.has(origin)) return;
      await mustConfirm(`The connection to ${origin}`, {
        message: 'Connect to this service?',
        detail: `${origin}\n\nIt gets the token, and everything that you enter while you are connected.`,
        confirm: 'Connect',
      });
      confirmed.add(origin);
    },
  };
}

/** Whether it is set to something else; what is removed needs no confirmation. */
function isNew(next: string | null | undefined, now: string | null): next is string {
  return next !== undefined && next !== null && next !== now;
}
