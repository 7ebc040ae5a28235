import { COMPAT_BASE } from '../compat-route.ts';
import type { ToolSource } from '../mcp-tools.ts';

/** The card of an assistant (A2A 0.3, 5.5); its address is the one at which the client asked for the card. */
export function agentCard(
  { assistant_id: id, name, description }: ToolSource,
  { host, isTls, version }: { host: string; isTls: boolean; version: string },
): object {
  const about = description ?? `Runs the agent ${name}.`;
  const modes = ['text/plain', 'application/json'];
  return {
    protocolVersion: '0.3.0',
    name,
    description: about,
    url: `${isTls ? 'https' : 'http'}://${host}${COMPAT_BASE}/a2a/${encodeURIComponent(id)}`,
    preferredTransport: 'JSONRPC',
    version,
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [{ id, name, description: about, tags: ['assistant'] }],
  };
}
