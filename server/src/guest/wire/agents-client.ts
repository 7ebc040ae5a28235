/*
 * The guest also makes changes of a state from outside (`UpdateState`), since only LangGraph knows its channels. It
 * writes as a node that has no edges, so the next tasks and the pending interrupts stay.
 */
import {
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
  status,
} from '@grpc/grpc-js';
import type { AgentId } from '../../model/ids.ts';
import { describeRequest, readDescriptions } from './agent-wire.ts';
import { channelOptions, protoMethod, protoService } from './proto.ts';
import type { GuestLimits } from '../limits.ts';
import type { Patience } from '../pool/patience.ts';
import type { DescribedAgent, DescribeOptions } from '../port.ts';
import type {
  AuthenticateRequestMessage,
  AuthenticateResponseMessage,
  AuthorizeRequestMessage,
  AuthorizeResponseMessage,
  CallModelRequestMessage,
  CallModelResponseMessage,
  DescribeRequestMessage,
  DescribeResponseMessage,
  DescribeWebResponseMessage,
  EmbedRequestMessage,
  EmbedResponseMessage,
  HealthResponseMessage,
  HttpRequestMessage,
  HttpResponseMessage,
  InvokeEventsMessage,
  InvokeRequestMessage,
  ReadStatesRequestMessage,
  ReadStatesResponseMessage,
  UpdateStateRequestMessage,
  UpdateStateResponseMessage,
} from './proto-messages.ts';

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
const embed = protoMethod<EmbedRequestMessage, EmbedResponseMessage>(agents, 'Embed');
const callModel = protoMethod<CallModelRequestMessage, CallModelResponseMessage>(
  agents,
  'CallModel',
);
const describeWeb = protoMethod<object, DescribeWebResponseMessage>(agents, 'DescribeWeb');
const authenticate = protoMethod<AuthenticateRequestMessage, AuthenticateResponseMessage>(
  agents,
  'Authenticate',
);
const authorize = protoMethod<AuthorizeRequestMessage, AuthorizeResponseMessage>(
  agents,
  'Authorize',
);
const http = protoMethod<HttpRequestMessage, HttpResponseMessage>(agents, 'Http');
const health = protoMethod<object, HealthResponseMessage>(agents, 'Health');

export interface AgentsClientOptions {
  maxMessageBytes: number;
  limits: GuestLimits;
  /** Runs the time limits of calls, except that of `health`. */
  patience: Patience;
}

/** The host's calls to the `Agents` service of one guest. */
export class AgentsClient {
  readonly #client: Client;
  readonly #limits: GuestLimits;
  readonly #patience: Patience;

  constructor(socketPath: string, { maxMessageBytes, limits, patience }: AgentsClientOptions) {
    this.#limits = limits;
    this.#patience = patience;
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

  /** One request to the manifest's `http.app`. */
  http(): ClientDuplexStream<HttpRequestMessage, HttpResponseMessage> {
    return this.#client.makeBidiStreamRequest(
      http.path,
      http.requestSerialize,
      http.responseDeserialize,
    );
  }

  /** Asks a run to stop; its Invoke stream ends when it has stopped. Rejects when the guest does not respond. */
  async cancel(token: string): Promise<void> {
    await this.#unary(cancel, { token }, new AbortController().signal);
  }

  /** The guest's descriptions of its agents, including load errors. */
  async describe(signal: AbortSignal): Promise<DescribedAgent[]> {
    return readDescriptions(await this.#unary(describe, describeRequest(undefined, {}), signal));
  }

  /** The guest's description of one agent; undefined when the guest does not know it. */
  async describeAgent(
    agentId: AgentId,
    wanted: DescribeOptions,
    signal: AbortSignal,
  ): Promise<DescribedAgent | undefined> {
    const request = describeRequest(agentId, wanted);
    const response = await this.#unary(describe, request, signal, this.#limits.describeMs);
    return readDescriptions(response)[0];
  }

  /** Rejects with the gRPC error when the guest itself does not respond within the limit. */
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

  /** Likewise. */
  async embed(request: EmbedRequestMessage, signal: AbortSignal): Promise<EmbedResponseMessage> {
    return await this.#unary(embed, request, signal, this.#limits.embedMs);
  }

  /** Likewise. */
  async callModel(
    request: CallModelRequestMessage,
    signal: AbortSignal,
  ): Promise<CallModelResponseMessage> {
    return await this.#unary(callModel, request, signal, this.#limits.modelCallMs);
  }

  /** Load errors of the manifest's `auth` and `http.app`. */
  async describeWeb(signal: AbortSignal): Promise<DescribeWebResponseMessage> {
    return await this.#unary(describeWeb, {}, signal);
  }

  async authenticate(
    request: AuthenticateRequestMessage,
    signal: AbortSignal,
  ): Promise<AuthenticateResponseMessage> {
    return await this.#unary(authenticate, request, signal, this.#limits.authMs);
  }

  async authorize(
    request: AuthorizeRequestMessage,
    signal: AbortSignal,
  ): Promise<AuthorizeResponseMessage> {
    return await this.#unary(authorize, request, signal, this.#limits.authMs);
  }

  async health(signal: AbortSignal): Promise<HealthResponseMessage> {
    const late = AbortSignal.timeout(this.#limits.controlCallMs);
    return await this.#unary(health, {}, AbortSignal.any([signal, late]));
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
      let isLate = false;
      const call = this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        (error, response) => {
          inTime();
          signal.removeEventListener('abort', abort);
          if (response !== undefined && !error) resolve(response);
          else if (isLate) reject(new CallIsLate(limitMs));
          else reject(error ?? new Error('The guest did not respond.'));
        },
      );
      const inTime = this.#patience.after(limitMs, () => {
        isLate = true;
        call.cancel();
      });
      const abort = (): void => call.cancel();
      if (signal.aborted) call.cancel();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }
}

/** As gRPC's own error for a deadline, which cannot be moved once the call is made. */
class CallIsLate extends Error {
  readonly code = status.DEADLINE_EXCEEDED;
  readonly details: string;

  constructor(limitMs: number) {
    const sentence = `The guest did not response within ${limitMs / 1000} s.`;
    super(sentence);
    this.details = sentence;
  }
}
