// A client that reaches another gateway than the one that holds its call: cancellations, answers, approvals and live pages cross over, breakers and purges reach all.
import { describe, expect, it } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { bearer, mint, outcome } from './access.fixture.ts'
import { configure, type Upstream } from './data-plane.fixture.ts'
import { listen, recordsOf } from './events.fixture.ts'
import { aFleet, SOON } from './fleet.fixture.ts'
import type { Env, Gateway } from './gateway.fixture.ts'
import { all, aSession, aStateless, type Client, type Message, messagesOf, until } from './transparent.fixture.ts'

const address = usePostgres()
const ENGINES: readonly (readonly [name: string, here: boolean, env: () => Promise<Env>])[] = [
  ['a SQLite file', true, async () => ({})],
  [`PostgreSQL (${postgresHere})`, hasPostgres, async () => ({ DATABASE_URL: await address('migrated') })],
]
/** Where the engine makes no difference. */
const LAST = ENGINES.filter(([, here]) => here).slice(-1)

const ASKS = { elicitation: {} }
const PATH = '/mcp/petstore'
const YES = { action: 'accept', content: { confirm: true } }

async function pair(env: Env, size = 2) {
  const fleet = await aFleet(env, size)
  const [holder, other] = fleet.all
  if (holder === undefined || other === undefined) throw new Error('A fleet has at least two')
  // Each must have seen the others before it sends them anything.
  for (const each of fleet.all)
    await expect
      .poll(async () => (await each.ask('/readyz?for=traffic')).json, SOON)
      .toMatchObject({ fleet: { instances: size } })
  return { ...fleet, holder, other }
}

/** A message of a session to any gateway. */
const say = (gateway: Gateway, { headers }: Pick<Client, 'headers'>, message: object) =>
  gateway.ask(PATH, { method: 'POST', headers, body: { jsonrpc: '2.0', ...message } })

const asks = ({ method }: Message): boolean => method === 'elicitation/create'
const isFailed = ({ result }: Message): boolean => result === undefined || result.isError === true

async function everywhere(gateways: readonly Gateway[], name: string, patch: object): Promise<void> {
  const [first] = gateways
  if (first === undefined) return
  const path = `/admin-api/clients/petstore/tools/${name}?wait=fleet`
  // A confirmation waits 5 s, which a busy machine may exceed.
  const pending = async () => (await first.admin(path, { method: 'PATCH', body: patch })).headers.get('x-fleet-pending')
  await expect.poll(pending, SOON).toBe('')
}

describe.each(ENGINES)('gateways on %s', (_name, here, env) => {
  it.skipIf(!here)(
    'pass on what a client of a session says to the wrong one: a cancellation, and the answer to a question',
    { timeout: 60_000 },
    async () => {
      const { holder, other, upstream, headers } = await pair(await env())
      const session = await aSession(holder, ASKS, { path: PATH, headers })

      const hanging = session.post({ id: 71, method: 'tools/call', params: { name: 'hang', arguments: {} } })
      await expect.poll(() => upstream.seen.includes('GET /hang'), SOON).toBe(true)
      await say(other, session, { method: 'notifications/cancelled', params: { requestId: 71 } })
      expect(await all(await hanging)).toEqual([])
      await expect.poll(upstream.aborted, SOON).toBe(1)

      await everywhere([holder, other], 'ok', { sensitive: true })
      const answer = messagesOf(await session.post({ id: 72, method: 'tools/call', params: { name: 'ok' } }))
      const { id } = await until(answer, asks)
      await say(other, session, { id, result: YES })
      expect(isFailed(await until(answer, (message) => message.id === 72))).toBe(false)

      await other.ask(PATH, { method: 'DELETE', headers: session.headers })
      await expect
        .poll(async () => (await say(holder, session, { id: 73, method: 'tools/list' })).status, SOON)
        .toBe(404)
    },
  )
})

describe.each(LAST)('gateways on %s', (_name, _here, env) => {
  it('resume a call of the sessionless era that another one holds', { timeout: 60_000 }, async () => {
    const { holder, other, all: gateways, headers } = await pair(await env())
    await everywhere(gateways, 'ok', { sensitive: true })
    const call = { name: 'ok', arguments: {} }
    const first = await aStateless(holder, ASKS, { path: PATH, headers }).ask('tools/call', call)
    const { resultType, requestState } = first.answer.result ?? {}
    expect(resultType).toBe('input_required')
    const again = { ...call, requestState, inputResponses: { input_1: YES } }
    const resumed = await aStateless(other, ASKS, { path: PATH, headers }).ask('tools/call', again)
    expect(resumed.answer.result).toMatchObject({ resultType: 'complete' })
    expect(isFailed(resumed.answer)).toBe(false)
    // Once: the state names nothing any more, at either.
    for (const gateway of [holder, other]) {
      const { answer } = await aStateless(gateway, ASKS, { path: PATH, headers }).ask('tools/call', again)
      expect(answer.error?.code).toBe(-32_602)
    }
    // And for its caller only.
    const begun = await aStateless(holder, ASKS, { path: PATH, headers }).ask('tools/call', call)
    const another = bearer((await mint(holder)).key)
    await expect.poll(() => outcome(other, another), SOON).toBe('confirm_required')
    const copied = { ...again, requestState: begun.answer.result?.requestState }
    const { answer } = await aStateless(other, ASKS, { path: PATH, headers: another }).ask('tools/call', copied)
    expect(answer.error?.code).toBe(-32_602)
  })

  it('release a call that waits for an approval where another one decides it, and show it on the pages of both', {
    timeout: 60_000,
  }, async () => {
    const { holder, other, all: gateways, headers } = await pair(await env())
    await everywhere(gateways, 'ok', { approval: { required: true } })
    const page = await listen(other, '?topics=calls,approvals,config')
    const session = await aSession(holder, ASKS, { path: PATH, headers })
    const answer = messagesOf(await session.post({ id: 81, method: 'tools/call', params: { name: 'ok' } }))
    await until(answer, asks)
    await expect
      .poll(async () => JSON.stringify((await other.admin('/admin-api/approvals')).json), SOON)
      .toContain('"pending"')
    const { items } = (await other.admin('/admin-api/approvals')).json as { items: { id: number }[] } // by the contract
    expect((await other.admin(`/admin-api/approvals/${items[0]?.id}/approve`, { method: 'POST' })).status).toBe(200)
    expect(isFailed(await until(answer, (message) => message.id === 81))).toBe(false)

    // A call begun before the page was announced is not shown: repeat it until one is.
    let shown = ''
    const reading = page.until('"tool":"getPetById"').then((text) => {
      shown = text
    })
    await expect
      .poll(async () => {
        await outcome(holder, headers, { name: 'getPetById', args: { id: 1 } })
        return shown
      }, SOON)
      .not.toBe('')
    await reading
    expect(recordsOf(shown).find(({ data }) => data.tool === 'getPetById')?.event).toBe('calls')
    await configure(holder, 'hang', { enabled: false })
    await holder.admin('/admin-api/bundles', { method: 'POST', body: { name: 'fresh', tools: [] } })
    expect(await page.until('"record":"bundle"')).toContain('event: config')
  })
})

const failing = (upstream: Upstream): void => {
  upstream.answer = (_request, response) => void response.writeHead(500).end('broken')
}

describe.each(LAST)('three gateways on %s', (_name, _here, env) => {
  it('open a breaker together, send one probe, and close together; a purge reaches all caches', {
    timeout: 120_000,
  }, async () => {
    const settings = {
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
      CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '3000',
      CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: '30000',
    }
    const { all: gateways, holder, headers, upstream } = await pair({ ...(await env()), ...settings }, 3)
    await everywhere(gateways, 'ok', { cache: { ttlSeconds: 600 } })
    const counted = (path: string): number => upstream.seen.filter((line) => line === `GET ${path}`).length
    for (const each of gateways) await outcome(each, headers)
    const before = counted('/ok')
    for (const each of gateways) expect(await outcome(each, headers)).toBe('ok')
    expect(counted('/ok')).toBe(before)
    await holder.admin('/admin-api/clients/petstore/tools/ok/cache/purge', { method: 'POST' })
    for (const each of gateways.slice(1))
      await expect.poll(async () => [await outcome(each, headers), counted('/ok') > before], SOON).toEqual(['ok', true])

    const pets = { name: 'getPetById', args: { id: 1 } }
    failing(upstream)
    for (let call = 0; call < 2; call += 1) await outcome(holder, headers, pets)
    for (const each of gateways) await expect.poll(() => outcome(each, headers, pets), SOON).toBe('circuit_open')
    // One probe hangs at the backend; the others, whose breakers are half open as well, send none.
    const held: (() => void)[] = []
    upstream.answer = (_request, response) => void held.push(() => response.end('{}'))
    const state = async (each: Gateway): Promise<unknown> =>
      ((await each.admin('/admin-api/clients/petstore')).json as Record<string, unknown>).circuitBreakerState // by the contract
    for (const each of gateways) await expect.poll(() => state(each), SOON).toBe('half_open')
    const probing = gateways.map((each) => outcome(each, headers, pets))
    await expect.poll(() => held.length, SOON).toBe(1)
    for (const each of gateways) expect(await outcome(each, headers, pets)).toBe('circuit_open')
    expect(held).toHaveLength(1)
    upstream.answer = undefined
    held[0]?.()
    expect((await Promise.all(probing)).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'circuit_open',
      'circuit_open',
      'ok',
    ])
    for (const each of gateways) await expect.poll(() => state(each), SOON).toBe('closed')
  })
})
