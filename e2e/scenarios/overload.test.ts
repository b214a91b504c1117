// More calls than a gateway can serve: calls within the budget are served in turn, those beyond it are refused with a reason, and every call gets an answer.
import { expect, it, onTestFinished } from 'vitest'
import { MOST_UNDER_WAY } from '../../gateway/pipeline/7-dispatch/concurrency-limit.ts'
import { endure } from '../../tools/bench/overload-load.ts'
import { startServer } from '../../tools/bench/server.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { aGatewayProcess } from './gateway-process.fixture.ts'

const KEYS = Array.from({ length: 32 }, (_none, at) => `a-key-of-a-patient-one-${at}`)
const GREEDY_KEY = 'the-key-of-the-greedy-one'

it('three times what it can serve, for two seconds: each is answered, by its own answer or by when to come again (short form of security case NF-08; for five minutes: npm run bench -- overload)', async () => {
  const upstream = await startServer(new URL('../../tools/bench/plane-upstream.mjs', import.meta.url).pathname)
  onTestFinished(upstream.stop)
  const gateway = await aGatewayProcess({
    ...ROOMY,
    MCP_API_KEYS: [...KEYS, GREEDY_KEY].join(','),
    RATE_LIMIT_GLOBAL: '1000000',
    RATE_LIMIT_MCP: '200',
    MAX_SESSIONS: '5000',
  })
  const inputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
  const tools = [
    { name: 'get_item', method: 'GET', endpoint: '/items/:id', description: 'Reads one item', inputSchema },
  ]
  const made = await gateway.admin('/register', {
    method: 'POST',
    body: { name: 'items', base_url: upstream.url, tools },
  })
  expect(made.status).toBe(200)
  const { served, refused, odd } = await endure({
    url: gateway.url,
    path: '/mcp/items',
    keys: KEYS,
    greedyKey: GREEDY_KEY,
    // Some of them find no place at once.
    patient: MOST_UNDER_WAY + 200,
    peakMs: 300,
    overloadMs: 2_000,
    recoveryMs: 0,
  })
  expect([...odd]).toEqual([])
  expect(Math.min(served.count, refused.count)).toBeGreaterThan(0)
  expect((await gateway.ask('/readyz')).status).toBe(200)
}, 180_000)
