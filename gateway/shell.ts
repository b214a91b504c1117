// The door `#gateway-shell`: what the desktop shell uses outside of the gateway's process. It loads no gateway.
export type { Machine } from './client/agents/agents.ts'
export { type Connections, createConnections } from './client/agents/connections.ts'
export { AgentFault } from './client/agents/fault.ts'
export { type ComputerServers, createServerAdding, type ServerQuestion } from './client/cli/servers-window.ts'
export { UI_CONTENT_SECURITY_POLICY as UI_POLICY } from './http/security-headers.ts'
export { VERSION } from './version.ts'
