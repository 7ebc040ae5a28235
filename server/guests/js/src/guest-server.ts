import { randomUUID } from 'node:crypto';
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import type { Agent } from './agent-registry.ts';
import { describeAgents, type DescribeOptions } from './describe-agents.ts';
import { dialHost } from './dialled-connections.ts';
import type { AuthorizeRequest } from './auth-handlers.ts';
import type { Embedder } from './embedder.ts';
import type { HttpCall } from './fetch-app.ts';
import type { GuestConfig } from './guest-config.ts';
import { describeError, GuestError } from './guest-error.ts';
import { messageLimits, socketAddress, type GuestProto } from './guest-proto.ts';
import type { HostChannel } from './host-channel.ts';
import type { StoreClient } from './host-store.ts';
import { runInvocation } from './invocation.ts';
import { callModel } from './model-call.ts';
import type { OutputCapture } from './output-capture.ts';
import type { RequestHead } from './request-head.ts';
import { runContext } from './run-context.ts';
import type { InvokeCall } from './invoke-events.ts';
import type { SdkClients } from './sdk-clients.ts';
import { runStateRead } from './state-read.ts';
import { runStateUpdate } from './state-update.ts';
import type { Web } from './web.ts';
import type { CallModelRequest, ReadStatesRequest, UpdateStateRequest } from './wire.ts';

type Unary<Request> = (call: ServerUnaryCall<Request, object>, done: sendUnaryData<object>) => void;

/** Serves the Agents service on the guest's socket until the process ends. */
export async function serveAgents(
  proto: GuestProto,
  parts: {
    config: GuestConfig;
    agents: ReadonlyMap<string, Agent>;
    channel: HostChannel;
    storeClient: StoreClient;
    capture: OutputCapture;
    embedder: Embedder | undefined;
    web: Web;
    clients: SdkClients;
  },
): Promise<{ close(): void }> {
  const { config, agents, channel, storeClient, capture, embedder, web, clients } = parts;
  const running = new Map<string, AbortController>();

  const health: Unary<object> = (_call, done) => {
    const libraries = [...agents.values()].flatMap((a) =>
      a.error === undefined ? [a.library] : [],
    );
    done(null, {
      activeRuns: running.size,
      language: 'javascript',
      runtimeVersion: process.versions.node,
      langgraphVersion: libraries[0]?.version ?? '',
    });
  };

  const describe: Unary<{ agentIds: string[] } & DescribeOptions> = (call, reply) => {
    const { agentIds, ...wanted } = call.request;
    const chosen = [...agents.values()].filter(
      ({ agentId }) => agentIds.length === 0 || agentIds.includes(agentId),
    );
    const described = describeAgents(chosen, wanted);
    send(
      described.then((descriptions) => ({ agents: descriptions })),
      reply,
    );
  };

  const cancel: Unary<{ token: string }> = (call, done) => {
    const controller = running.get(call.request.token);
    controller?.abort();
    done(null, { found: controller !== undefined });
  };

  const updateState: Unary<UpdateStateRequest> = ({ request }, reply) => {
    const agent = agents.get(request.agentId);
    const { maxMessageBytes } = config;
    send(runStateUpdate(request, { agent, channel, maxMessageBytes }), reply);
  };

  const readStates: Unary<ReadStatesRequest> = ({ request }, reply) => {
    const agent = agents.get(request.agentId);
    const { maxMessageBytes } = config;
    send(runStateRead(request, { agent, channel, maxMessageBytes }), reply);
  };

  const embed: Unary<{ texts: string[]; isQuery: boolean; embed: string }> = (call, reply) => {
    const { request } = call;
    const made =
      embedder?.embed === request.embed
        ? embedder.vectors(request)
        : Promise.reject(
            new GuestError('embedding_failed', 'This guest has another store.index.embed.'),
          );
    made.then(
      (vectors) => reply(null, { vectors }),
      (error: unknown) => reply(null, { vectors: [], error: describeError(error) }),
    );
  };

  const callModelAgain: Unary<CallModelRequest> = (call, reply) => {
    const controller = new AbortController();
    call.on('cancelled', () => controller.abort());
    // What it prints is of no run: the host knows none with this id.
    const runId = `model-call-${randomUUID()}`;
    const { origin, close } = clients.open('');
    const agent = agents.get(call.request.agentId);
    const made = runContext.run({ runId, origin }, () =>
      callModel(call.request, agent, controller.signal),
    );
    const ended = made.finally(() => {
      close();
      capture.endRun(runId);
    });
    send(ended, reply);
  };

  const describeWeb: Unary<object> = (_call, done) =>
    done(null, {
      ...(web.authError && { authError: web.authError }),
      ...(web.appError && { appError: web.appError }),
    });

  const http = (call: HttpCall): void => {
    if (web.app) void web.app(call);
    else {
      call.write({ error: web.appError ?? describeError(new Error('this guest has no http.app')) });
      call.end();
    }
  };

  const authenticate: Unary<RequestHead> = ({ request }, reply) => {
    send(web.authenticate(request), reply);
  };

  const authorize: Unary<AuthorizeRequest> = ({ request }, reply) => {
    send(web.authorize(request), reply);
  };

  const invoke = (call: InvokeCall): void => {
    const { token, runId, agentId } = call.request;
    const controller = new AbortController();
    running.set(token, controller);
    call.on('cancelled', () => controller.abort());
    const context = {
      agent: agents.get(agentId),
      channel,
      storeClient,
      maxMessageBytes: config.maxMessageBytes,
      controller,
    };
    const { origin, close } = clients.open(token);
    runContext.run({ runId, origin }, () => {
      void runInvocation(call, context)
        // It sends the end of a run in every case. When even that fails, the host gets an error.
        .catch((error: unknown) => call.emit('error', internalError(error)))
        .finally(() => {
          running.delete(token);
          close();
          capture.endRun(runId);
        });
    });
  };

  const server = new Server({
    ...messageLimits(config.maxMessageBytes),
    'grpc.enable_channelz': 0,
  });
  server.addService(proto.Agents.service, {
    Health: health,
    Describe: describe,
    Cancel: cancel,
    UpdateState: updateState,
    ReadStates: readStates,
    Embed: embed,
    CallModel: callModelAgain,
    DescribeWeb: describeWeb,
    Authenticate: authenticate,
    Authorize: authorize,
    Http: http,
    Invoke: invoke,
  });
  if (config.dialSocket === undefined) await listen(server, config.guestSocket);
  else dialHost(server, config.dialSocket);
  return { close: () => server.forceShutdown() };
}

function listen(server: Server, socket: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.bindAsync(socketAddress(socket), ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

/** Sends a response, or an error when there is none: no caller may wait in vain. */
function send<Result>(result: Promise<Result>, reply: sendUnaryData<Result>): void {
  void result.then(
    (value) => reply(null, value),
    (error: unknown) => reply(internalError(error)),
  );
}

function internalError(error: unknown): { code: status; details: string } {
  return { code: status.INTERNAL, details: describeError(error).message };
}
