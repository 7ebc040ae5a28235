import { readFileSync } from 'node:fs';
import type { EgressConfig } from './egress-forwarder.ts';

export interface AgentEntry {
  agentId: string;
  /** As in the manifest: `file:export`, relative to the source directory. */
  path: string;
}

export interface GuestConfig {
  sourceDir: string;
  hostSocket: string;
  guestSocket: string;
  /** In a sandbox: where to open connections for the host's calls, instead of serving a socket. */
  dialSocket?: string;
  protoPath: string;
  maxMessageBytes: number;
  /** The module that lets Node load every kind of TypeScript; tsx of our own dependencies when absent. */
  tsxPath?: string;
  agents: AgentEntry[];
  /** `store.index.embed` of the manifest, in guests that can do it. */
  storeEmbed?: string;
  /** Where the manifest's `auth` is, in the guest that is asked about requests. */
  authPath?: string;
  /** Where the manifest's `http.app` is, in the guest that serves it. */
  appPath?: string;
  /** Types that stored values may be made into, beside those that are known. */
  allowedTypes: string[];
  /** Absent: the network is that of the machine, or there is none. */
  egress?: EgressConfig;
  /** Absent: no debugger. */
  debugger?: { waitForClient: boolean };
}

const defaultMaxMessageBytes = 50 * 1024 * 1024;

/** Reads the file that the host wrote for this process. Throws a sentence that names the wrong key. */
export function readGuestConfig(file: string): GuestConfig {
  const raw: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isRecord(raw)) throw new Error(`${file} is not a JSON object.`);
  const agents = raw['agents'];
  if (!Array.isArray(agents)) throw new Error(`${file}: "agents" is not a list.`);
  const tsxPath = raw['tsx_path'];
  const debug = raw['debugger'];
  const storeEmbed = raw['store_embed'];
  const authPath = raw['auth_path'];
  const appPath = raw['app_path'];
  const egressSocket = raw['egress_socket'];
  const port = raw['egress_port'];
  const dialSocket = raw['dial_socket'];
  const allowed = raw['allowed_types'];
  const maxMessageBytes = raw['max_message_bytes'];
  return {
    sourceDir: text(raw, 'source_dir', file),
    hostSocket: text(raw, 'host_socket', file),
    guestSocket: text(raw, 'guest_socket', file),
    protoPath: text(raw, 'proto_path', file),
    maxMessageBytes: typeof maxMessageBytes === 'number' ? maxMessageBytes : defaultMaxMessageBytes,
    ...(typeof dialSocket === 'string' ? { dialSocket } : {}),
    ...(typeof tsxPath === 'string' ? { tsxPath } : {}),
    ...(typeof storeEmbed === 'string' ? { storeEmbed } : {}),
    ...(typeof authPath === 'string' ? { authPath } : {}),
    ...(typeof appPath === 'string' ? { appPath } : {}),
    ...(typeof egressSocket === 'string' && typeof port === 'number'
      ? { egress: { socket: egressSocket, port } }
      : {}),
    ...(isRecord(debug) ? { debugger: { waitForClient: debug['wait_for_client'] === true } } : {}),
    allowedTypes: Array.isArray(allowed) ? allowed.map(String) : [],
    agents: agents.map((agent: unknown) => {
      if (!isRecord(agent)) throw new Error(`${file}: an agent is not an object.`);
      return { agentId: text(agent, 'agent_id', file), path: text(agent, 'path', file) };
    }),
  };
}

function text(record: Record<string, unknown>, key: string, file: string): string {
  const value = record[key];
  if (typeof value !== 'string') throw new Error(`${file}: "${key}" is not a string.`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
