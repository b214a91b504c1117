// Real MCP upstreams for scenarios: one of our own that can misbehave, one made with the official SDK.
export {
  type McpPeer,
  startMcpPeer,
} from '../../gateway/upstream/mcp-peer.fixture.ts'
export { type McpSdkPeer, startMcpSdkPeer } from '../../gateway/upstream/mcp-sdk-peer.fixture.ts'
