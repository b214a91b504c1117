// Sends calls and relayed requests to MCP upstreams.
import type { McpSender } from '../index.ts'
import { createRelaySender } from './relay.ts'
import { createToolSender, type SenderParts } from './send.ts'

export function createMcpSender(parts: SenderParts): McpSender {
  const callTool = createToolSender(parts)
  const relay = createRelaySender(parts)
  return (call, context) => (call.relayed ? relay(call, call.relayed, context) : callTool(call, context))
}
