// The check of what a plain call reaches: it holds for the gateway, and each of its rules can fail.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { reachable, violations } from './call-path.ts'

const ROOT = path.resolve(import.meta.dirname, '..')

function tree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'call-path-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  return root
}

it('a plain call reaches nothing it should not pay for', () => {
  expect(violations(ROOT)).toEqual([])
  const found = reachable(ROOT)
  // From the socket to the way out and back.
  for (const file of [
    'http/direct.ts',
    'surfaces/result.ts',
    'outcome/shape.ts',
    'upstream/wire.ts',
    'net/exchange.ts',
  ])
    expect([...found.keys()]).toContain(`gateway/${file}`)
})

it.each([
  ["import { Client } from '@modelcontextprotocol/sdk/client/index.js'\n", 'an SDK of MCP'],
  ["export const ask = () => fetch('http://x')\n", 'fetch'],
  ['export const read = (schema, value) => schema.parse(value)\n', 'a parse with zod'],
  ['export const read = (schema, value) => schema.safeParse(value)\n', 'a parse with zod'],
  ['export const list = (tools) => JSON.stringify({ tools })\n', 'JSON.stringify of a list of tools'],
  ['export const list = (tools) => JSON.stringify(tools)\n', 'JSON.stringify of a list of tools'],
])('reports %j two imports away', (text, what) => {
  const root = tree({
    'gateway/a.ts': "import { b } from './b/index.ts'\nb()\n",
    'gateway/b/index.ts': "export * from '../c.ts'\n",
    'gateway/c.ts': text,
  })
  expect(violations(root, ['gateway/a.ts'])).toEqual([
    expect.stringContaining(`gateway/c.ts:1 a plain call reaches ${what}`),
  ])
})

it('does not follow imports of types', () => {
  const root = tree({
    'gateway/a.ts': "import type { B } from './b.ts'\nimport { type C } from './b.ts'\n",
    'gateway/b.ts': "fetch('http://x')\n",
  })
  expect(violations(root, ['gateway/a.ts'])).toEqual([])
})
