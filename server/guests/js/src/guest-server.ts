import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import type { Agent } from './agent-registry.ts';
import { describeAgents, type DescribeOptions } from './describe-agents.ts';
import type { GuestConfig } from './guest-config.ts';
import { messageLimits, socketAddress, type GuestProto } from './guest-proto.ts';
import type { HostChannel } from './host-channel.ts';
import type { StoreClient } from './host-store.ts';
import { runInvocation } from './invocation.ts';
import type { OutputCapture } from './output-capture.ts';
import { runContext } from './run-context.ts';
import type { InvokeCall } from './run-events.ts';
import { runStateRead } from './state-read.ts';
import { runStateUpdate } from './state-update.ts';
import type { AgentDescription, ReadStatesRequest, UpdateStateRequest } from './wire.ts';

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
  },
): Promise<{ close(): void }> {
  const { config, agents, channel, storeClient, capture } = parts;
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
    const send = (descriptions: AgentDescription[]): void => reply(null, { agents: descriptions });
    void describeAgents(chosen, wanted).then(send);
  };

  const cancel: Unary<{ token: string }> = (call, done) => {
    const controller = running.get(call.request.token);
    controller?.abort();
    done(null, { found: controller !== undefined });
  };

  const updateState: Unary<UpdateStateRequest> = ({ request }, reply) => {
    const agent = agents.get(request.agentId);
    const { maxMessageBytes } = config;
    void runStateUpdate(request, { agent, channel, maxMessageBytes }).then((answer) =>
      reply(null, answer),
    );
  };

  const readStates: Unary<ReadStatesRequest> = ({ request }, reply) => {
    const agent = agents.get(request.agentId);
    const { maxMessageBytes } = config;
    void runStateRead(request, { agent, channel, maxMessageBytes }).then((answer) =>
      reply(null, answer),
    );
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
    runContext.run({ runId }, () => {
      void runInvocation(call, context).finally(() => {
        running.delete(token);
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
    Invoke: invoke,
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(
      socketAddress(config.guestSocket),
      ServerCredentials.createInsecure(),
      (error) => {
        if (error === null) resolve();
        else reject(error);
      },
    );
  });
  return { close: () => server.forceShutdown() };
}
