// A gateway whose file names a program that is an MCP server.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { aFolder, aGateway, type Env, type Gateway } from './gateway.fixture.ts'

/** Processes are looked for in /proc. */
const onLinux = process.platform === 'linux'
export const SERVER = new URL('../peers/local-server.mjs', import.meta.url).pathname
export const soon = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 60_000, interval: 50 })

export const program = (mode = 'good', more: object = {}): object => ({
  command: process.execPath,
  args: [SERVER, mode],
  ...more,
})

export function writeServers(file: string, mcpServers: object): void {
  writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600 })
  chmodSync(file, 0o600)
}

export type Host = { readonly gateway: Gateway; readonly file: string; readonly folder: string }

export async function aHost(mcpServers: object, env: Env = {}): Promise<Host> {
  const folder = aFolder()
  const file = join(folder, 'servers.json')
  writeServers(file, mcpServers)
  return { gateway: await aGateway({ LOCAL_SERVERS_FILE: file, ...env }, folder), file, folder }
}

type Tool = { readonly tool: string }
/** Waits until the tools of a server are listed. */
export const listed = (gateway: Gateway, name: string): Promise<readonly string[]> =>
  soon(async () => {
    const { json } = await gateway.admin(`/admin-api/tools?client=${name}`)
    const { items } = json as { items: Tool[] }
    if (items.length === 0) throw new Error(`${name} has no tools yet`)
    return items.map(({ tool }) => tool)
  })

/** Living processes that have this text in their environment; zombies have none. */
export function processesWith(text: string): readonly number[] {
  if (!onLinux) return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || !existsSync(`/proc/${name}/environ`)) return []
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(text) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

/** The processes whose command line has this text: the watchdog has it there, and not in its environment. */
export function commandsWith(text: string): readonly number[] {
  if (!onLinux) return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}
