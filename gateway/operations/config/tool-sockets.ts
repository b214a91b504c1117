// The WebSockets of tools and targets in a document: vetted where they are new or moved, else left at what they were vetted at.
import type { KeptWs } from '../../contract/admin/socket-features.ts'
import type { ConfigDoc, ConfigTool } from '../../contract/config-document.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Outbound } from '../../net/outbound.ts'
import type { ToolRecord } from '../../storage/backends.ts'
import type { Query } from '../../storage/schema.ts'
import { wsTargetRows } from '../../storage/ws-targets.ts'
import { configOf } from '../tools/tool-config.ts'
import { readySocket } from '../tools/tool-socket.ts'

/** By name; a text says why it may not be dialled. */
export type Vetted<T> = ReadonlyMap<string, T | string>

/** A fault of one address leaves the rest of the document as it is. */
export async function orWhy<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof GatewayError) return error.message
    throw error
  }
}

export function createSocketVetting(query: Query, outbound: Pick<Outbound, 'pin' | 'pinSocket'>) {
  return {
    async tools(client: string, tools: readonly ConfigTool[], rows: readonly ToolRecord[]): Promise<Vetted<KeptWs>> {
      const vetted = new Map<string, KeptWs | string>()
      for (const { name, ws } of tools) {
        if (!ws) continue
        const row = rows.find((each) => each.name === name)
        const known = row && configOf(row.config).ws
        const ready =
          known?.wsUrl === ws.wsUrl
            ? { ...ws, addresses: known.addresses }
            : await orWhy(readySocket(ws, { client, tool: name }, { outbound }))
        vetted.set(name, ready)
      }
      return vetted
    },

    /** Those that stay where they are are not among them. */
    async targets({ wsProxyTargets = [] }: ConfigDoc): Promise<Vetted<readonly string[]>> {
      const vetted = new Map<string, readonly string[] | string>()
      for (const { name, backendWsUrl } of wsProxyTargets) {
        if ((await wsTargetRows.byName(query, name))?.url === backendWsUrl) continue
        const pin = await orWhy(outbound.pinSocket(backendWsUrl, 'backendWsUrl'))
        vetted.set(name, typeof pin === 'string' ? pin : pin.addresses)
      }
      return vetted
    },
  }
}
