// A backend that misbehaves in 47 ways: each call has the outcome of its row, nothing is followed, leaked or left behind, and the calls beside are answered.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, failureOf, openUpstream, ROOMY, type Upstream } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { LIMIT_BYTES, MISDEEDS, SECRET } from './hostile-rest.fixture.ts'
import { aRawUpstream } from './raw-upstream.fixture.ts'

let gateway: Gateway
let elsewhere: Upstream
beforeAll(async () => {
  ;[gateway, elsewhere] = await Promise.all([
    startGateway({
      ...ROOMY,
      SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      TOOL_CALL_TIMEOUT_MS: '8000',
      RETRY_MAX_ATTEMPTS: '1',
      MAX_RESPONSE_BYTES: String(LIMIT_BYTES),
    }),
    openUpstream(),
  ])
})
afterAll(() => Promise.all([gateway.end(), elsewhere.close()]))

it('are 47, each with a name of its own', () => {
  expect(MISDEEDS).toHaveLength(47)
  expect(new Set(MISDEEDS.map(({ what }) => what)).size).toBe(47)
})

it('each become what their row says (security cases NF-01, NF-03, RS-01, SS-08)', async () => {
  const answers = MISDEEDS.map(
    ({ answer }, at) =>
      [`/m${at}`, (socket: Parameters<typeof answer>[0]) => void answer(socket, elsewhere.url)] as const,
  )
  const upstream = await aRawUpstream(Object.fromEntries(answers))
  const tools = [...answers.map(([path]) => path), '/good'].map((path) => ({
    name: path.slice(1),
    method: 'POST',
    endpoint: path,
    description: path,
    inputSchema: { type: 'object' },
  }))
  const body = { name: 'bad', base_url: upstream.url, tools, upstream_auth: { type: 'bearer', token: SECRET } }
  const made = await gateway.admin('/register', { method: 'POST', body })
  expect(made.status, made.text).toBe(200)

  const outcomes = MISDEEDS.map(async ({ what, becomes, text }, at) => {
    const result = await call(gateway, `m${at}`, {}, '/mcp/bad')
    const kind = result.isError === true ? failureOf(result).kind : 'ok'
    const shown = result.content[0]?.text ?? ''
    const wrong = [
      ...(becomes.includes(String(kind)) ? [] : [`is ${String(kind)}: ${shown.slice(0, 200)}`]),
      ...(text === undefined || text.test(shown) ? [] : [`says ${JSON.stringify(shown.slice(0, 200))}`]),
      ...(JSON.stringify(result).includes(SECRET) ? ['shows the credential'] : []),
    ]
    return wrong.map((each) => `${what}: ${each}`)
  })
  const beside = Array.from({ length: 20 }, async () => (await call(gateway, 'good', {}, '/mcp/bad')).structuredContent)
  expect((await Promise.all(outcomes)).flat()).toEqual([])
  for (const given of await Promise.all(beside)) expect(given).toEqual({ path: '/good' })
  // A POST is sent once, and no redirect is followed.
  const sent = upstream.seen.filter((path) => path !== '/good')
  expect(sent.toSorted()).toEqual(answers.map(([path]) => path).toSorted())
  expect(elsewhere.seen).toEqual([])
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect((await gateway.ask('/readyz')).status).toBe(200)
  // Of what came too much or too late, nothing is read as the answer of another call.
  for (let at = 0; at < 20; at++)
    expect((await call(gateway, 'good', {}, '/mcp/bad')).structuredContent).toEqual({ path: '/good' })
})
