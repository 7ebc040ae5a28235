import { flushCompileCache } from 'node:module';
import { loadAgents } from './agent-registry.ts';
import { startEgressForwarder } from './egress-forwarder.ts';
import { createEmbedder } from './embedder.ts';
import { readGuestConfig } from './guest-config.ts';
import { GuestError } from './guest-error.ts';
import { loadGuestProto } from './guest-proto.ts';
import { serveAgents } from './guest-server.ts';
import { openInspector } from './inspector.ts';
import { openHostChannel } from './host-channel.ts';
import { openStoreClient } from './host-store.ts';
import { captureOutput } from './output-capture.ts';
import { dieWithParent } from './parent-watch.ts';
import { provideClients } from './sdk-clients.ts';
import { registerSdkLogger } from './sdk-logger.ts';
import { allowTypes } from './revived-types.ts';
import { openWeb } from './web.ts';

const configFile = process.argv[2];
if (configFile === undefined) throw new Error('Usage: main.ts <config.json>');

// First, so that this process does not outlive its host even if a later step hangs.
dieWithParent();
const capture = captureOutput();

// A promise that an agent forgot is no reason to end the runs of all the others. (An uncaught exception is:
// its effects are unknown, so Node's default applies and the host starts a new guest.)
process.on('unhandledRejection', (reason) => {
  if (reason instanceof GuestError) return; // of a write: it decides about the run's end anyway
  const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  process.stderr.write(`Unhandled promise rejection: ${text}\n`);
});

const config = readGuestConfig(configFile);
if (config.debugger) openInspector(config.debugger, capture);
if (config.egress) await startEgressForwarder(config.egress);
// Agents open their files relative to their own folder.
process.chdir(config.sourceDir);
const proto = loadGuestProto(config.protoPath);
const channel = openHostChannel(proto, config);
const clients = provideClients(proto, config);
registerSdkLogger();
allowTypes(config.allowedTypes);
const agents = await loadAgents(config);
const storeClient = openStoreClient(proto, config);
const { storeEmbed } = config;
const embedder = storeEmbed === undefined ? undefined : createEmbedder(storeEmbed, config);
const web = await openWeb(config, clients);
await serveAgents(proto, {
  ...{ config, agents, channel, storeClient, capture, embedder, web, clients },
});
capture.event('ready');
// By default it is written at an orderly exit only, and guests are killed.
flushCompileCache();
