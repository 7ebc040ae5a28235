/** The composition root: the only file that builds everything. */
import { mkdir } from 'node:fs/promises';
import { createThreadActivities } from './activities/run-agent.ts';
import { AgentRegistry } from './agents/agent-registry.ts';
import { readManifest, type Manifest } from './agents/manifest.ts';
import { createFixedPrincipal } from './auth/fixed-principal.ts';
import { acquireInstanceLock, type InstanceLock } from './config/instance-lock.ts';
import { userCacheDir } from './config/data-dir.ts';
import type { ServiceConfig } from './config/service-config.ts';
import { openEngineRoom, type EngineRoom } from './engine/engine-room.ts';
import { obtainEngine, type ObtainedEngine } from './engine/server/obtain-engine.ts';
import { installEngineRuntime } from './engine/thread-worker.ts';
import { workflowBundle } from './engine/workflow-bundle.ts';
import { startGuests } from './guest/start-guests.ts';
import type { GuestPool } from './guest/guest-pool.ts';
import { createApp } from './http/app.ts';
import { listen, type HttpListener } from './http/server.ts';
import type { Logger } from './observability/logger.ts';
import { createMemoryStream, type MemoryStream } from './streams/memory-stream.ts';
