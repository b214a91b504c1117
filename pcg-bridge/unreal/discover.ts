// Which editors are open on this machine, by every way there is; and which of the ways to take.
import { type FoundEditor, UNREAL_DRIVERS, type UnrealDriver } from '../contract/index.ts'
import { openUnrealMcp } from './mcp-server.ts'
import { discoverNodes, MULTICAST_GROUP } from './multicast.ts'
import { probeRemoteControl } from './remote-control.ts'

export type FoundUnreal = FoundEditor & { readonly driver: UnrealDriver; readonly engine: string | null }
export type DiscoverOptions = {
  /** Ports to try on loopback; each must identify itself before it receives anything else. */
  readonly ports: readonly number[]
  readonly group?: string
  readonly timeoutMs?: number
}

const AT_ONCE = 8

async function atPort(port: number, timeoutMs: number): Promise<FoundUnreal | null> {
  const base = `http://127.0.0.1:${port}`
  try {
    await probeRemoteControl(base, timeoutMs)
    return { driver: 'remote-control', url: base, project: null, engine: null }
  } catch {
    // Not that; it may be the other.
  }
  try {
    const mcp = await openUnrealMcp(`${base}/mcp`, timeoutMs)
    await mcp.close()
    return { driver: 'unreal-mcp', url: `${base}/mcp`, project: null, engine: mcp.version }
  } catch {
    return null
  }
}

async function overMulticast(group: string, waitMs: number): Promise<FoundUnreal[]> {
  try {
    const nodes = await discoverNodes(group, waitMs)
    return nodes.map(({ project, engine }) => ({ driver: 'remote-execution', url: `udp://${group}`, project, engine }))
  } catch {
    // No multicast on this machine.
    return []
  }
}

export async function discoverEditors(options: DiscoverOptions): Promise<readonly FoundUnreal[]> {
  const timeoutMs = options.timeoutMs ?? 1200
  const multicast = overMulticast(options.group ?? MULTICAST_GROUP, timeoutMs)
  const ports = [...new Set(options.ports)]
  const found: (FoundUnreal | null)[] = []
  for (let at = 0; at < ports.length; at += AT_ONCE)
    found.push(...(await Promise.all(ports.slice(at, at + AT_ONCE).map((port) => atPort(port, timeoutMs)))))
  return [...found.filter((editor) => editor !== null), ...(await multicast)]
}

/** Remote Control before multicast before MCP alone; with a project, only editors that do not say another. */
export function chooseEditor(found: readonly FoundUnreal[], project?: string): FoundUnreal | null {
  const fits = found.filter((editor) => project === undefined || editor.project === null || editor.project === project)
  for (const driver of UNREAL_DRIVERS) {
    const first = fits.find((editor) => editor.driver === driver)
    if (first) return first
  }
  return null
}
