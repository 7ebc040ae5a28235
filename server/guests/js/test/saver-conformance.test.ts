import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { validate } from '@langchain/langgraph-checkpoint-validation';
import * as vitest from 'vitest';
import { loadGuestProto } from '../src/guest-proto.ts';
import { openHostChannel, type HostChannel } from '../src/host-channel.ts';
import { loadLangGraph } from '../src/langgraph-library.ts';
import { openRunWriter, type RunWriter } from '../src/run-writer.ts';
import { createSaver } from '../src/saver.ts';
import { protoPath, startMemoryHost, type MemoryHost } from './memory-host.ts';
import { realHost } from './real-host.ts';

// The suite expects these as globals.
Object.assign(globalThis, {
  describe: vitest.describe,
  it: vitest.it,
  expect: vitest.expect,
  beforeAll: vitest.beforeAll,
  beforeEach: vitest.beforeEach,
  afterAll: vitest.afterAll,
  afterEach: vitest.afterEach,
});

const maxMessageBytes = 50 * 1024 * 1024;
let host: MemoryHost | undefined;
let channel: HostChannel;
let writer: RunWriter;

// LangGraph's own conformance suite: against the host in memory, or against a real one over the real workflow.
validate({
  checkpointerName: '@agent-runtime/guest-js',
  async beforeAll() {
    if (realHost === undefined) host = await startMemoryHost();
    channel = openHostChannel(loadGuestProto(protoPath), {
      hostSocket: realHost?.socket ?? host?.socket ?? '',
      maxMessageBytes,
    });
    writer = openRunWriter(channel, {
      token: realHost?.token ?? 'conformance',
      isSync: false,
      maxMessageBytes,
    });
  },
  async createCheckpointer() {
    const library = await loadLangGraph(import.meta.filename);
    const options = { channel, writer, isNewThread: false, runMetadata: {} };
    // The suite's type knows only versions that are numbers, its tests take any.
    return createSaver(library, options).saver as BaseCheckpointSaver<never>;
  },
  // Every group of tests expects an empty store.
  async destroyCheckpointer(saver) {
    const threads = new Set<string>();
    for await (const { config } of saver.list({})) {
      threads.add(String(config.configurable?.['thread_id']));
    }
    for (const thread of threads) await saver.deleteThread(thread);
  },
  async afterAll() {
    channel.close();
    await host?.close();
  },
});
