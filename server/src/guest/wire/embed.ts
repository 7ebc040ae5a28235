import { status } from '@grpc/grpc-js';
import { ServiceError } from '../../errors/service-error.ts';
import { errorText } from './agent-wire.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import type { GuestLimits } from '../limits.ts';
import { GuestResponseTimeout } from './update-state.ts';

/** Texts to make vectors of. */
export interface EmbedWish {
  texts: readonly string[];
  /** The manifest's value: a guest that was started before a change of it refuses. */
  embed: string;
  /** The texts are a search query: some models embed it differently. */
  isQuery: boolean;
}

/** Makes one vector for each text on a guest. Rejects with `embedding_failed` and the reason. */
export async function embedOn(
  guest: GuestProcess,
  { texts, embed, isQuery }: EmbedWish,
  signal: AbortSignal,
  limits: GuestLimits,
): Promise<Float32Array[]> {
  const request = { texts: [...texts], embed, is_query: isQuery };
  const response = await guest.agents.embed(request, signal).catch((error: unknown) => {
    const { code, details, message } = error as {
      code?: status;
      details?: string;
      message: string;
    }; // a gRPC error
    if (code === status.DEADLINE_EXCEEDED) throw new GuestResponseTimeout(limits.embedMs);
    throw embeddingFailed(details ?? message, error);
  });
  const { error, vectors } = response;
  if (error) throw embeddingFailed(errorText(error));
  return vectors.map((bytes) => new Float32Array(Uint8Array.from(bytes).buffer));
}

/** Why there are no vectors, as a sentence. */
export function embeddingFailed(reason: string, cause?: unknown): ServiceError {
  const message = `The texts could not be embedded for the store's index: ${reason}`;
  return new ServiceError('embedding_failed', message, cause === undefined ? {} : { cause });
}
