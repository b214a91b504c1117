// There is one way from a caller to an MCP upstream: the dispatch of a call.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { aBackend, aPeer, aRig } from './upstream.fixture.ts'

const GATEWAY = path.resolve(import.meta.dirname, '..')
const sources = globSync('**/*.ts', { cwd: GATEWAY, exclude: (name) => /\.(test|fixture|suite)\.ts$/.test(name) })
const linesWith = (pattern: RegExp): string[] =>
  sources.flatMap((file) =>
    readFileSync(path.join(GATEWAY, file), 'utf8')
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )

it('gives connections to the dispatch of calls only', async () => {
  const rig = aRig()
  // A caller reaches `connections` only; `listTools`, `ping` and `watch` are requests of the gateway itself.
  expect(Object.keys(rig.upstreams).toSorted()).toEqual(
    ['close', 'closeAll', 'connections', 'endPerson', 'known', 'leave', 'listTools', 'ping', 'watch'].toSorted(),
  )
  expect(linesWith(/upstreams\.connections\b/)).toEqual([
    'compose/calls.ts: const runner = createRunner(base, { registry, policy, records, connections: upstreams.connections })',
  ])
  expect(linesWith(/= upstreams$/)).toEqual(['compose/transparent.ts: const { known, leave } = upstreams'])
  expect(linesWith(/\bsendMcp\(/)).toEqual([
    'pipeline/7-dispatch/index.ts: const outcome = await only(() => sendMcp(call, { timeoutMs, account, onStart }))',
  ])
})

it('what is known of an upstream is read from memory', async () => {
  const rig = aRig()
  const peer = await aPeer()
  const backend = await aBackend(rig, peer.url)
  const before = peer.connections()
  expect(rig.upstreams.known(backend)).toBeUndefined()
  expect(peer.connections()).toBe(before)
})
