import { create } from 'zustand';
import {
  callModelAgain,
  type ModelCall,
  type ModelCallResult,
} from '../../../api/generated/index.ts';
import { toApiError } from '../../../api/errors.ts';
import type { CallDraft } from './call-draft.ts';

/** A model call that is edited, and what became of it when it was last made. */
export interface EditedCall {
  readonly draft: CallDraft;
  readonly isOpen: boolean;
  /** Since when the model is waited for. */
  readonly calledAt?: number | undefined;
  readonly result?: ModelCallResult | undefined;
  readonly error?: unknown;
  readonly isCancelled?: boolean | undefined;
}

/** Drafts that are kept; the oldest are left out first. */
const KEPT = 50;

interface CallDrafts {
  /** By run and span, in the order of their first change. */
  readonly calls: ReadonlyMap<string, EditedCall>;
}

/** Drafts outlast a change of the page; a call goes on meanwhile. */
export const useCallDrafts = create<CallDrafts>()(() => ({ calls: new Map() }));

/** The calls that are being made. */
const running = new Map<string, AbortController>();

/** Names the call of a span. */
export const callKey = (runId: string, spanId: string): string => `${runId} ${spanId}`;

/** Keeps a part of an edited call, which begins with its draft. */
export function changeCall(key: string, part: Partial<EditedCall>): void {
  useCallDrafts.setState(({ calls }) => {
    const draft = part.draft ?? calls.get(key)?.draft;
    if (draft === undefined) return { calls };
    const next = new Map(calls);
    next.set(key, { isOpen: true, ...calls.get(key), ...part, draft });
    for (const old of next.keys()) {
      if (next.size <= KEPT) break;
      if (!running.has(old) && old !== key) next.delete(old);
    }
    return { calls: next };
  });
}

/** Makes the call; while it is being made, nothing. */
export async function makeCall(key: string, runId: string, body: ModelCall): Promise<void> {
  if (running.has(key)) return;
  const controller = new AbortController();
  const { signal } = controller;
  running.set(key, controller);
  changeCall(key, { calledAt: Date.now(), error: undefined, isCancelled: false });
  try {
    const path = { run_id: runId };
    const { data } = await callModelAgain({ path, body, signal, throwOnError: true });
    changeCall(key, { result: data });
  } catch (error) {
    changeCall(
      key,
      signal.aborted ? { isCancelled: true } : { error: toApiError(error), result: undefined },
    );
  } finally {
    running.delete(key);
    changeCall(key, { calledAt: undefined });
  }
}

/** Cancels the call, here and at the model. */
export function cancelCall(key: string): void {
  running.get(key)?.abort();
}
