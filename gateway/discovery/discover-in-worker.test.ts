// For every source, the main thread stays free and the answer, or a clear refusal, arrives.
import { describe, expect, it, onTestFinished } from 'vitest'
import { corpus, corpusFiles } from './corpora.fixture.ts'
import { type DiscoveryLimits } from './discover.ts'
import { discoverInWorker, type WorkerBounds } from './discover-in-worker.ts'

const LIMITS: DiscoveryLimits = {
  maxTools: 100,
  graphqlMaxTypes: 2000,
  graphqlSelectionMaxDepth: 2,
  graphqlInputMaxDepth: 3,
}
const BOUNDS = { timeoutMs: 30_000 }
const openapi = (text: string, limits = LIMITS, bounds: WorkerBounds = BOUNDS) =>
  discoverInWorker({ kind: 'openapi', text }, limits, bounds)
const spec = (paths: object, more: object = {}) => JSON.stringify({ openapi: '3.1.0', info: {}, paths, ...more })

describe('refuses', () => {
  it('in the worker what is refused outside it, with code and details', async () => {
    await expect(openapi('<html>')).rejects.toMatchObject({
      code: 'DISCOVERY_ERROR',
      extras: { details: { stage: 'parse' } },
    })
    const paths = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`/p${n}`, { get: {} }]))
    await expect(openapi(spec(paths))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await expect(discoverInWorker({ kind: 'manual', tools: [{}] }, LIMITS, BOUNDS)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })

  it('what does not end in time', async () => {
    const text = `a: ${'{b: '.repeat(50)}1${'}'.repeat(50)}\n`.repeat(20_000)
    await expect(openapi(text, LIMITS, { timeoutMs: 100 })).rejects.toThrow(/within 100 ms/)
  })

  it('what needs too much memory, and lives on', async () => {
    const text = '- {}\n'.repeat(200_000)
    await expect(openapi(text, LIMITS, { ...BOUNDS, memoryMb: 32 })).rejects.toThrow(/more memory/)
    await expect(openapi(spec({ '/a': { get: {} } }))).resolves.toMatchObject({ tools: [{ name: 'get_a' }] })
  })
})

describe('reads', () => {
  it('every kind of source', async () => {
    const names = async (source: Parameters<typeof discoverInWorker>[0]) =>
      (await discoverInWorker(source, LIMITS, BOUNDS)).tools.map((tool) => tool.name)
    const type = {
      kind: 'OBJECT',
      name: 'Query',
      interfaces: [],
      fields: [{ name: 'q', args: [], type: { kind: 'SCALAR', name: 'Int' } }],
    }
    const introspection = {
      data: {
        __schema: { queryType: { name: 'Query' }, types: [type, { kind: 'SCALAR', name: 'Int' }], directives: [] },
      },
    }
    const tool = { name: 'm', method: 'get', endpoint: '/m', description: 'm' }
    expect(await names({ kind: 'graphql', text: JSON.stringify(introspection), includeMutations: true })).toEqual(['q'])
    expect(
      await names({ kind: 'collection', collection: { item: [{ name: 'C', request: 'https://a.example' }] } }),
    ).toEqual(['c'])
    expect(await names({ kind: 'mcp', entries: ['{"name":"up.tool"}'], mayBeEmpty: false })).toEqual(['up.tool'])
    expect(await names({ kind: 'curl', command: 'curl https://a.example/x' })).toEqual(['get_x'])
    expect(await names({ kind: 'manual', tools: [tool] })).toEqual(['m'])
  })

  it('ten thousand operations and a hundred thousand values of an enum (security case BL-07)', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [
        `/p${n}/{id}`,
        { get: { operationId: 'same', description: 'é'.repeat(100) } },
      ]),
    )
    const { tools } = await openapi(spec(paths), { ...LIMITS, maxTools: 10_000 })
    expect([tools.length, tools[0]?.name, tools[9999]?.name]).toEqual([10_000, 'same', 'same_10000'])
    const parameters = [
      { name: 'e', in: 'query', schema: { type: 'string', enum: Array.from({ length: 100_000 }, (_, n) => `v${n}`) } },
    ]
    const wide = await openapi(spec({ '/a': { get: { parameters, description: 'x'.repeat(1_000_000) } } }))
    expect(JSON.stringify(wide.tools).length).toBeLessThan(4096)
  })
})

describe('the largest real specs', () => {
  it('leave the main thread free', async () => {
    const texts = corpusFiles('openapi')
      .map((file) => corpus(`openapi/${file}`))
      .toSorted((a, b) => b.length - a.length)
    for (const text of texts.slice(0, 3)) {
      let turns = 0
      const turning = setInterval(() => {
        turns += 1
      }, 1)
      const { tools } = await openapi(text, { ...LIMITS, maxTools: 10_000 })
      clearInterval(turning)
      expect(tools.length).toBeGreaterThan(0)
      // Read on this thread, the whole document would be one turn.
      expect(turns).toBeGreaterThan(10)
    }
  })
})

it('reads the next source in the same thread, also after a refusal, and in another one after a timeout', async () => {
  const tool = async (path: string) => (await openapi(spec({ [path]: { get: {} } }))).tools[0]?.name
  expect(await tool('/a')).toBe('get_a')
  await expect(openapi('<html>')).rejects.toMatchObject({ code: 'DISCOVERY_ERROR' })
  expect(await tool('/b')).toBe('get_b')
  const endless = `a: ${'{b: '.repeat(50)}1${'}'.repeat(50)}\n`.repeat(20_000)
  await expect(openapi(endless, LIMITS, { timeoutMs: 100 })).rejects.toThrow(/within 100 ms/)
  expect(await Promise.all(['/c', '/d', '/e'].map(tool))).toEqual(['get_c', 'get_d', 'get_e'])
})

it('starts no thread for a small specification that follows another', async () => {
  const paths = Array.from({ length: 5 }, (_, n) => `/small${n}`)
  await openapi(spec({ '/first': { get: {} } }))
  let started = 0
  const count = () => void (started += 1)
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  for (const path of paths) expect((await openapi(spec({ [path]: { get: {} } }))).tools).toHaveLength(1)
  expect(started).toBe(0)
})
