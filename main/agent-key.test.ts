// The first key of the data plane: minted once, sealed, and never a second time.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type AgentKey, createAgentKey } from './agent-key.ts'
import type { Services } from './services.ts'

function gatewayDouble(keys: string[]): { admin: Services['adminRequest']; minted: unknown[] } {
  const minted: unknown[] = []
  return {
    minted,
    admin: async ({ method, body }) => {
      if (method === 'GET') return { status: 200, headers: {}, body: JSON.stringify({ items: keys }) }
      minted.push(JSON.parse(body ?? ''))
      keys.push('mcp_minted')
      return { status: 201, headers: {}, body: JSON.stringify({ key: 'mcp_minted' }) }
    },
  }
}

function aFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-agent-key-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'agent-key')
}

const keyed = (file: string, key: string | undefined, keys: string[]): AgentKey & { minted: unknown[] } => {
  const { admin, minted } = gatewayDouble(keys)
  return { ...createAgentKey(file, async () => key, admin), minted }
}

it('is minted at the first run, once, and read at every later one', async () => {
  const file = aFile()
  const keys: string[] = []
  const first = keyed(file, 'sealing key', keys)
  await first.ensure()
  await first.ensure()
  expect(first.minted).toEqual([{ label: 'This computer' }])
  expect(await first.read()).toBe('mcp_minted')
  const next = keyed(file, 'sealing key', keys)
  await next.ensure()
  expect(next.minted).toEqual([])
  expect(await next.read()).toBe('mcp_minted')
  expect(readFileSync(file).includes('mcp_minted')).toBe(false)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('is not minted where there are keys already', async () => {
  const later = keyed(aFile(), 'sealing key', ['another'])
  await later.ensure()
  expect(later.minted).toEqual([])
  expect(await later.read()).toBeNull()
})

it('is known only until the end of the run where nothing can seal it', async () => {
  const file = aFile()
  const keys: string[] = []
  const first = keyed(file, undefined, keys)
  await first.ensure()
  expect(await first.read()).toBe('mcp_minted')
  const next = keyed(file, undefined, keys)
  await next.ensure()
  expect(next.minted).toEqual([])
  expect(await next.read()).toBeNull()
})

it('cannot be read with another sealing key', async () => {
  const file = aFile()
  await keyed(file, 'sealing key', []).ensure()
  expect(await keyed(file, 'another key', []).read()).toBeNull()
})
