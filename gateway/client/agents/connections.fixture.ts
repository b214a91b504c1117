// A machine with agents on it, in a home of its own; the admin API is a double.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { AgentId } from '../../contract/agent-entry.ts'
import type { AgentChange } from '../../contract/agent-records.ts'
import { ApiError } from '../../contract/client.ts'
import type { Machine } from './agents.ts'
import { createConnections } from './connections.ts'

type Key = {
  id: number
  key: string
  keyPrefix: string
  active: boolean
  label: string
  scopes: unknown
  lastUsedAt: string | null
  lastUsedClient: string | null
}

/** Keys as the gateway keeps them, as far as connections ask. */
export function keysDouble() {
  const keys: Key[] = []
  const one = (name: string) => {
    if (name === 'gone')
      throw new ApiError(404, { code: 'BUNDLE_NOT_FOUND', message: 'Bundle not found', request_id: 'r' })
    return Promise.resolve({})
  }
  const api = {
    bundles: { get: ({ params }: { params: { name: string } }) => one(params.name) },
    clients: { get: ({ params }: { params: { name: string } }) => one(params.name) },
    mcpKeys: {
      list: ({ query }: { query: { q: string } }) =>
        Promise.resolve({ items: keys.filter(({ keyPrefix }) => keyPrefix === query.q) }),
      create({ body }: { body: { label: string; scopes: unknown } }) {
        const key = `mcp_${String(keys.length).padStart(8, '0')}${'k'.repeat(35)}`
        const made = {
          id: keys.length + 1,
          key,
          keyPrefix: key.slice(0, 12),
          active: true,
          lastUsedAt: null,
          lastUsedClient: null,
          ...body,
        }
        keys.push(made)
        return Promise.resolve(made)
      },
      revoke({ params }: { params: { id: string } }) {
        const key = keys.find(({ id }) => String(id) === params.id)
        if (key) key.active = false
        return Promise.resolve(key)
      },
    },
  }
  // The double has what connections call, not the sixty other methods.
  return { keys, api: api as unknown as Parameters<typeof createConnections>[0]['api'] }
}

function aHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'gantry-agents-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

export function world(platform: NodeJS.Platform = 'linux', env: Machine['env'] = {}) {
  const home = aHome()
  const node = path.join(home, 'bin', 'node')
  mkdirSync(path.dirname(node))
  writeFileSync(node, '')
  writeFileSync(`${node}.exe`, '')
  const machine: Machine = { platform, home, env: { PATH: path.join(home, 'bin'), ...env } }
  const { keys, api } = keysDouble()
  let address: string | null = 'http://127.0.0.1:8790'
  const folder = path.join(home, 'ours')
  const connections = createConnections({
    machine,
    api,
    address: () => address,
    folder,
    bridge: () => '// the bridge\n',
  })
  const apply = async (change: AgentChange) => connections.apply(change, (await connections.plan(change)).version)
  const status = async (id: AgentId) => {
    const found = (await connections.list()).find((agent) => agent.id === id)
    if (!found) throw new Error(`no ${id}`)
    return found
  }
  return {
    home,
    machine,
    keys,
    connections,
    apply,
    status,
    folder,
    move: (next: string | null) => void (address = next),
  }
}

export const connect = (agent: AgentId, name = 'gantry-dev'): AgentChange => ({
  do: 'connect',
  agent,
  name,
  target: { scope: 'bundle', name: 'dev' },
})
