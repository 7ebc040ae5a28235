import { Client, credentials, type ClientReadableStream } from '@grpc/grpc-js';

import type { AgentId } from '../model/ids.ts';
import { describeRequest, readDescriptions } from './agent-wire.ts';
import { channelOptions } from './channel-options.ts';
import { guestLimits, type GuestLimits } from './limits.ts';
import type { AgentDescription, DescribeOptions } from './port.ts';
import type {
  DescribeRequestMessage,
  DescribeResponseMessage,
  HealthResponseMessage,
  InvokeEventsMessage,
  InvokeRequestMessage,
  ReadStatesRequestMessage,
  ReadStatesResponseMessage,
  UpdateStateRequestMessage,
  UpdateStateResponseMessage,
} from './proto-messages.ts';
import { protoMethod, protoService } from './proto.ts';

const agents = protoService('Agents');
const invoke = protoMethod<InvokeRequestMessage, InvokeEventsMessage>(agents, 'Invoke');
const cancel = protoMethod<{ token: string }, { found?: boolean }>(agents, 'Cancel');
const describe = protoMethod<DescribeRequestMessage, DescribeResponseMessage>(agents, 'Describe');
const updateState = protoMethod<UpdateStateRequestMessage, UpdateStateResponseMessage>(
  agents,
  'UpdateState',
);
const readStates = protoMethod<ReadStatesRequestMessage, ReadStatesResponseMessage>(
  agents,
  'ReadStates',
);
const health = protoMethod<object, HealthResponseMessage>(agents, 'Health');

/** The host's calls to the `Agents` service of one guest. */
export class AgentsClient {
  readonly #client: Client;
  readonly #limits: GuestLimits;

  constructor(socketPath: string, maxMessageBytes: number, limits: GuestLimits = guestLimits) {
    this.#limits = limits;
    const options = channelOptions(maxMessageBytes);
    this.#client = new Client(`unix:${socketPath}`, credentials.createInsecure(), options);
  }

  invoke(request: InvokeRequestMessage): ClientReadableStream<InvokeEventsMessage> {
    return this.#client.makeServerStreamRequest(
      invoke.path,
      invoke.requestSerialize,
      invoke.responseDeserialize,
      request,
    );
  }

  /** Asks a run to stop; its Invoke stream ends when it did. Rejects when the guest does not answer. */
  async cancel(token: string): Promise<void> {
    await this.#unary(cancel, { token }, new AbortController().signal);
  }

  /** What the guest says about its agents, load errors included. */
  async describe(signal: AbortSignal): Promise<AgentDescription[]> {
    return readDescriptions(await this.#unary(describe, describeRequest(undefined, {}), signal));
  }

  /** What the guest says about one agent; undefined when it does not know it. */
  async describeAgent(
    agentId: AgentId,
    wanted: DescribeOptions,
    signal: AbortSignal,
  ): Promise<AgentDescription | undefined> {
    const request = describeRequest(agentId, wanted);
    const answer = await this.#unary(describe, request, signal, this.#limits.describeMs);
    return readDescriptions(answer)[0];
  }

  /** Rejects with the gRPC error when the guest gave no answer of its own within the limit. */
  async updateState(
    request: UpdateStateRequestMessage,
    signal: AbortSignal,
  ): Promise<UpdateStateResponseMessage> {
    return await this.#unary(updateState, request, signal, this.#limits.stateUpdateMs);
  }

  /** Likewise. */
  async readStates(
    request: ReadStatesRequestMessage,
    signal: AbortSignal,
  ): Promise<ReadStatesResponseMessage> {
    return await this.#unary(readStates, request, signal, this.#limits.stateUpdateMs);
  }

  async health(signal: AbortSignal): Promise<HealthResponseMessage> {
    return await this.#unary(health, {}, signal);
  }

  close(): void {
    this.#client.close();
  }

  #unary<Request, Response>(
    method: ReturnType<typeof protoMethod<Request, Response>>,
    request: Request,
    signal: AbortSignal,
    limitMs = this.#limits.controlCallMs,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        { deadline: Date.now() + limitMs },
        (error, response) => {
          signal.removeEventListener('abort', abort);
          if (response !== undefined && !error) resolve(response);
          else reject(error ?? new Error('The guest gave no answer.'));
        },
      );
      const abort = (): void => call.cancel();
      if (signal.aborted) call.cancel();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }
}
