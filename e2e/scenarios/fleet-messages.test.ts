// A client that reaches another gateway than the one that holds its call or its stream: cancellations, answers, approvals and live pages cross over, breakers and purges reach all.
import { beforeAll, describe, expect, it } from 'vitest'
import { act, bearer, mint, openSessionAs, listen as openStream, outcome } from './access.fixture.ts'
import { configure, rpc, type Upstream } from './data-plane.fixture.ts'
import { listen, recordsOf } from './events.fixture.ts'
import { aFleet, everywhere, type Fleet, SOON, useEngines } from './fleet.fixture.ts'
import { type Env, endsOfSuite, type Gateway } from './gateway.fixture.ts'
import { all, aSession, aStateless, type Client, type Message, messagesOf, until } from './transparent.fixture.ts'

const ASKS = { elicitation: {} }
const PATH = '/mcp/petstore'
const YES = { action: 'accept', content: { confirm: true } }
const BREAKERS: Env = {
  CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
  CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '3000',
  CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: '30000',
}

/** A message of a session to any gateway. */
const say = (gateway: Gateway, { headers }: Pick<Client, 'headers'>, message: object) =>
  gateway.ask(PATH, { method: 'POST', headers, body: { jsonrpc: '2.0', ...message } })

const asks = ({ method }: Message): boolean => method === 'elicitation/create'
const isFailed = ({ result }: Message): boolean => result === undefined || result.isError === true
const failing = (upstream: Upstream): void => {
  upstream.answer = (_request, response) => void response.writeHead(500).end('broken')
}

type SessionList = {
  readonly items: readonly { readonly ref: string; readonly principal: string; readonly instances?: string[] }[]
  readonly nextCursor?: string
}
/** From page to page, as an administrator of this gateway sees them. */
async function sessionsAt(gateway: Gateway, limit: number): Promise<SessionList['items']> {
  const items: SessionList['items'][number][] = []
  let cursor: string | undefined = ''
  do {
    const query: string = `?limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const page = (await gateway.admin(`/admin-api/mcp-sessions${query}`)).json as SessionList // by the contract
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}

describe.each(useEngines())('three gateways on %s', (_name, here, env) => {
  const ends = endsOfSuite()
  let fleet: Fleet
  let holder: Gateway
  let other: Gateway
  beforeAll(async () => {
    if (!here) return
    fleet = await aFleet({ ...BREAKERS, ...(await env()) }, 3, ends)
    // The leader holds nothing that is asked for elsewhere.
    const [first, second, third] = fleet.all
    holder = second ?? fleet.first
    other = third ?? first ?? fleet.first
  })

  it.skipIf(!here)(
    'serve a session at each, and its stream receives what another one changed [ct.5.2.shared]',
    async () => {
      const key = await mint(fleet.first)
      const listTools = async (at: Gateway, given: Env) => (await rpc(at, 'tools/list', {}, { headers: given })).status
      for (const each of fleet.all) await expect.poll(() => listTools(each, bearer(key.key)), SOON).toBe(200)
      const headers = { ...bearer(key.key), ...(await openSessionAs(holder, key.key)) }
      for (const each of fleet.all) expect(await listTools(each, headers)).toBe(200)

      const stream = await openStream(holder, PATH, headers)
      expect(stream.status).toBe(200)
      await configure(other, 'deletePet', { enabled: false })
      await expect.poll(stream.text, SOON).toContain('notifications/tools/list_changed')
      await act(other, key, 'revoke')
      await stream.ended
      for (const each of fleet.all) await expect.poll(() => listTools(each, headers), SOON).toBe(401)
    },
  )

  it.skipIf(!here)('list the sessions of all, each with who holds it, and end one of another', async () => {
    const key = await mint(fleet.first)
    const at = async (gateway: Gateway, given: Env): Promise<number> =>
      (await rpc(gateway, 'tools/list', {}, { headers: given })).status
    for (const each of fleet.all) await expect.poll(() => at(each, bearer(key.key)), SOON).toBe(200)
    // One at each in turn, and the last one used at two.
    const opened: Env[] = []
    for (const each of [...fleet.all, holder])
      opened.push({ ...bearer(key.key), ...(await openSessionAs(each, key.key)) })
    const both = opened.at(-1) ?? {}
    expect(await at(other, both)).toBe(200)

    const principal = `mcp-key:${key.id}`
    const listedAt = async (gateway: Gateway, limit = 200) =>
      (await sessionsAt(gateway, limit)).filter((session) => session.principal === principal)
    const holders = async (): Promise<unknown> =>
      (await listedAt(fleet.first)).map(({ instances }) => instances?.length)
    await expect.poll(holders, SOON).toEqual([1, 1, 1, 2])
    const listed = (await listedAt(fleet.first)).map(({ ref, instances }) => ({ ref, instances }))
    expect(new Set(listed.flatMap(({ instances }) => instances)).size).toBe(3)
    for (const each of fleet.all) await expect.poll(() => listedAt(each, 1), SOON).toMatchObject(listed)

    const end = async (gateway: Gateway, ref = ''): Promise<number> =>
      (await gateway.admin(`/admin-api/mcp-sessions/${ref}`, { method: 'DELETE' })).status
    expect(await end(fleet.first, 'none')).toBe(404)
    await expect.poll(() => end(fleet.first, listed[3]?.ref), SOON).toBe(204)
    await expect.poll(() => end(other, listed[1]?.ref), SOON).toBe(204)
    for (const each of fleet.all) {
      for (const ended of [both, opened[1] ?? {}]) await expect.poll(() => at(each, ended), SOON).toBe(404)
      expect(await at(each, opened[0] ?? {})).toBe(200)
    }
    const left = async (): Promise<unknown> => (await listedAt(holder)).map(({ ref }) => ref)
    await expect.poll(left, SOON).toEqual([listed[0]?.ref, listed[2]?.ref])
  })

  it.skipIf(!here)(
    'pass on what a client of a session says to the wrong one: a cancellation, and the answer to a question',
    async () => {
      const { upstream, headers } = fleet
      const session = await aSession(holder, ASKS, { path: PATH, headers })

      const hanging = session.post({ id: 71, method: 'tools/call', params: { name: 'hang', arguments: {} } })
      await expect.poll(() => upstream.seen.includes('GET /hang'), SOON).toBe(true)
      await say(other, session, { method: 'notifications/cancelled', params: { requestId: 71 } })
      expect(await all(await hanging)).toEqual([])
      await expect.poll(upstream.aborted, SOON).toBe(1)

      await everywhere(fleet.first, 'ok', { sensitive: true })
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

  it.skipIf(!here)('resume a call of the sessionless era that another one holds', async () => {
    const { headers } = fleet
    await everywhere(fleet.first, 'ok', { sensitive: true })
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

  it.skipIf(!here)(
    'release a call that waits for an approval where another one decides it, and show it on the pages of both',
    async () => {
      const { headers } = fleet
      await everywhere(fleet.first, 'addPet', { approval: { required: true } })
      const page = await listen(other, '?topics=calls,approvals,config')
      const session = await aSession(holder, ASKS, { path: PATH, headers })
      const answer = messagesOf(await session.post({ id: 81, method: 'tools/call', params: { name: 'addPet' } }))
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
      await holder.admin('/admin-api/bundles', { method: 'POST', body: { name: 'fresh', tools: [] } })
      expect(await page.until('"record":"bundle"')).toContain('event: config')
    },
  )

  it.skipIf(!here)(
    'open a breaker together, send one probe, and close together; a purge reaches all caches',
    async () => {
      const { all: gateways, headers, upstream } = fleet
      await everywhere(fleet.first, 'ok', { sensitive: false, cache: { ttlSeconds: 600 } })
      const counted = (path: string): number => upstream.seen.filter((line) => line === `GET ${path}`).length
      for (const each of gateways) await outcome(each, headers)
      const before = counted('/ok')
      for (const each of gateways) expect(await outcome(each, headers)).toBe('ok')
      expect(counted('/ok')).toBe(before)
      await holder.admin('/admin-api/clients/petstore/tools/ok/cache/purge', { method: 'POST' })
      for (const each of gateways.slice(1))
        await expect
          .poll(async () => [await outcome(each, headers), counted('/ok') > before], SOON)
          .toEqual(['ok', true])

      const pets = { name: 'getPetById', args: { id: 1 } }
      failing(upstream)
      // Each counts its own failures: the first that has two opens it on all.
      for (const each of [...gateways, holder]) expect(await outcome(each, headers, pets)).not.toBe('circuit_open')
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
    },
  )
})
