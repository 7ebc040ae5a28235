import type { AgentsPort } from '../../threads/ports.ts';

/** Whether an agent is in JavaScript: LangGraph's server for it differs in some points from the one for Python. */
export function isInJavaScript(agents: AgentsPort, agentId: string | undefined): boolean {
  return agents.list().some((one) => one.agentId === agentId && one.language === 'javascript');
}
