// The listed tools of an MCP server as a discovery, without what the server was given in confidence.

import type { DiscoveryLimits } from '../discovery/discover.ts'
import { discoverInWorker } from '../discovery/discover-in-worker.ts'
import { inTurns } from '../discovery/in-turns.ts'
import type { Discovery } from '../discovery/tool.ts'
import { withoutCredential } from '../text/foreign-text.ts'

type Listed = { readonly tools: readonly unknown[]; readonly hasMore: boolean }

export async function discoveredMcp(
  { tools, hasMore }: Listed,
  secrets: readonly string[],
  limits: DiscoveryLimits,
  timeoutMs: number,
): Promise<Discovery> {
  const entries = await inTurns(tools, (entry) => JSON.stringify(withoutCredential(entry, { secrets })))
  return discoverInWorker({ kind: 'mcp', entries, mayBeEmpty: hasMore }, limits, { timeoutMs })
}
