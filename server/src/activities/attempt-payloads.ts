import { errorTable } from '../errors/codes.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import type { InvocationEnd } from '../guest/port.ts';
import { fromBytes, unpackFrame } from '../model/frame.ts';
import { jsonText } from '../model/json.ts';
import { isDeflated, isReference, type Payload } from '../model/checkpoint/payload.ts';
import type { NewRun } from '../model/run/run.ts';
import type { AttemptInput, AttemptResult } from '../model/thread/thread-wire.ts';
import type { RunPayloads, OffloadedPayload } from '../model/checkpoint/payload-port.ts';

/** How long the end of a run waits for an unavailable storage; then the attempt ends as INFRA. */
const RESULT_PATIENCE_MS = 60_000;

/** The run that an attempt performs, with its context, or the end of the attempt when these cannot be read. */
export async function openRun(
  payloads: RunPayloads,
  { threadId, request, context }: AttemptInput,
): Promise<{ run: NewRun } | { end: InvocationEnd }> {
  try {
    const run = unpackFrame<NewRun>(await payloads.open(threadId, request));
    if (!context) return { run };
    const json = jsonText(fromBytes(await payloads.open(threadId, context)));
    return { run: { ...run, context: json } };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { end: endOf(error, `The input of the run cannot be read: ${error.message}`) };
  }
}

/** The end with a cause that its guest could not report: a damaged checkpoint, or an unavailable storage. */
export function explainedEnd(
  end: InvocationEnd,
  unreadable: ServiceError | undefined,
): InvocationEnd {
  const isOfStorage =
    unreadable?.code === 'checkpoint_damaged' || unreadable?.code === 'storage_unavailable';
  if (!isOfStorage || (end.kind !== 'error' && end.kind !== 'infra')) return end;
  return endOf(unreadable, unreadable.message);
}

/** The result with output and interrupts as the thread keeps them. `storage_unavailable`, `storage_full`. */
export async function offloadResult(
  payloads: RunPayloads,
  threadId: string,
  result: AttemptResult,
): Promise<OffloadedPayload<AttemptResult>> {
  const all: OffloadedPayload<Payload>[] = [];
  const offload = async (payload: Payload): Promise<Payload> => {
    if (isReference(payload) || isDeflated(payload)) return payload;
    const offloaded = await payloads.offload(threadId, payload, { patienceMs: RESULT_PATIENCE_MS });
    if (offloaded) all.push(offloaded);
    return offloaded?.kept ?? payload;
  };
  const release: OffloadedPayload<AttemptResult>['release'] = (outcome) => {
    for (const offloaded of all.splice(0)) offloaded.release(outcome);
  };
  const { output, interrupts } = result;
  try {
    const kept = {
      ...result,
      ...(output && { output: await offload(output) }),
      ...(interrupts && { interrupts: await offload(interrupts) }),
    };
    return { kept, release };
  } catch (error) {
    release({ isCertain: true });
    throw error;
  }
}

/** Decisions: "restart": an error that may be temporary is INFRA. */
function endOf({ code }: ServiceError, message: string): InvocationEnd {
  return errorTable[code].retry
    ? { kind: 'infra', message }
    : { kind: 'error', error: { code, message } };
}
