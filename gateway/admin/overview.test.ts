import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EVENT_TOPICS, Overview, PostureFinding } from '#contract'
import { aHouse, type House, KEY } from './admin.fixture.ts'

const key = { authorization: `Bearer ${KEY}` }

/** Follows the stream and gathers its records. */
async function follow(house: House, headers: Record<string, string>, query = '') {
  const hangUp = new AbortController()
  onTestFinished(() => hangUp.abort())
  const response = await fetch(`${house.front.url}/admin-api/events${query}`, { headers, signal: hangUp.signal })
  const records: { event: string; data: Record<string, unknown> }[] = []
  const state = { ended: false }
  const read = async (): Promise<void> => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event = '', data = '{}'] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? []
        if (event !== '') records.push({ event, data: JSON.parse(data) as Record<string, unknown> })
      }
    }
  }
  void read()
    .catch(() => undefined)
    .finally(() => (state.ended = true))
  const events = () => records.map(({ event, data }) => `${event} ${String(data.type)}`)
  const until = async (count: number): Promise<void> => {
    for (let turn = 0; turn < 2500 && records.length < count; turn++) await pause(10)
    expect(records.length).toBeGreaterThanOrEqual(count)
  }
  return { response, records, events, until, state, hangUp: () => hangUp.abort() }
}

describe('the event stream', () => {
  it('has no topic that is not listed, and none above the role', async () => {
    const house = await aHouse()
    const viewer = await house.aSession('ada', 'viewer')
    for (const topics of ['nonsense', 'audit,nonsense', '', 'audit,', 'Audit'])
      expect(await house.ask(`/admin-api/events?topics=${topics}`, { headers: viewer })).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
      })
    expect(await house.ask('/admin-api/events?topics=audit,calls', { headers: viewer })).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
  })

  it('begins with ready and the topics of the role [ct.7.7.events-ready ct.7.7.events]', async () => {
    const house = await aHouse()
    const viewer = await follow(house, await house.aSession('ada', 'viewer'))
    await viewer.until(1)
    expect(viewer.response.headers.get('content-type')).toBe('text/event-stream')
    expect(viewer.records[0]).toMatchObject({
      event: 'ready',
      data: { type: 'ready', topics: EVENT_TOPICS.filter((topic) => topic !== 'calls' && topic !== 'pcg') },
    })
    const operator = await follow(house, key)
    await operator.until(1)
    expect(operator.records[0]?.data.topics).toEqual(EVENT_TOPICS)
  })

  it('sends the requested topics as they happen [ct.7.7.events ct.7.7.events-audit ct.7.7.events-config ct.7.7.events-record]', async () => {
    const house = await aHouse()
    const [all, some] = [await follow(house, key), await follow(house, key, '?topics=config,%20clients')]
    await Promise.all([all.until(1), some.until(1)])
    await house.asKey('/admin-api/users', { method: 'POST', body: { username: 'ada', password: 'long enough to do' } })
    house.events.emit('clients', 'health', { client: 'pets' })
    await Promise.all([all.until(4), some.until(3)])
    expect(all.events()).toEqual(['ready ready', 'audit appended', 'config changed', 'clients health'])
    expect(some.events()).toEqual(['ready ready', 'config changed', 'clients health'])
    expect(all.records[1]?.data).toMatchObject({
      entry: { action: 'user.create', target: 'ada' },
      at: expect.stringMatching(/Z$/),
    })
  })

  it('says bye when the session is ended, at once [ct.7.7.events-bye]', async () => {
    const house = await aHouse()
    const [session, other] = [await house.aSession('ada', 'viewer'), await house.aSession('grace', 'viewer')]
    const [ends, stays] = [
      await follow(house, session, '?topics=clients'),
      await follow(house, other, '?topics=clients'),
    ]
    await Promise.all([ends.until(1), stays.until(1)])
    await house.asKey('/admin-api/users/ada', { method: 'PATCH', body: { isActive: false } })
    await ends.until(2)
    expect(ends.events()).toEqual(['ready ready', 'bye bye'])
    for (let turn = 0; turn < 2500 && !ends.state.ended; turn++) await pause(10)
    expect([ends.state.ended, stays.state.ended]).toEqual([true, false])
  })

  it('says bye when the session has run out by itself, which the stream does not prevent [ct.7.7.events-bye]', async () => {
    const house = await aHouse()
    const stream = await follow(house, await house.aSession('ada', 'viewer'), '?topics=clients')
    await stream.until(1)
    house.time.nowMs += 31 * 60_000
    for (let turn = 0; turn < 2500 && !stream.state.ended; turn++) await pause(10)
    expect(stream.events()).toEqual(['ready ready', 'bye bye'])
  })

  it('is forgotten when its reader leaves', async () => {
    const house = await aHouse()
    const stream = await follow(house, key)
    await stream.until(1)
    expect(house.events.hasListeners()).toBe(true)
    stream.hangUp()
    for (let turn = 0; turn < 2500 && house.events.hasListeners(); turn++) await pause(10)
    expect(house.events.hasListeners()).toBe(false)
  })
})

describe('the overview', () => {
  const CALL = {
    request_id: 'r',
    principal: 'p',
    surface: 'shard',
    client: 'pets',
    tool: 't',
    called_as: 't',
    status_class: '2xx',
    attempts: 1,
    request_bytes: 0,
    response_bytes: 0,
  }

  it('counts nothing where nothing has happened [ct.7.7.overview]', async () => {
    const house = await aHouse()
    const { json } = await house.ask('/admin-api/overview', { headers: await house.aSession('ada', 'viewer') })
    expect(Overview.strict().parse(json)).toMatchObject({
      version: '1.0.0',
      instanceId: 'one',
      leader: true,
      adminUsers: 1,
      clients: { total: 0, live: 0 },
      sessions: { streamable: 0, max: 100 },
      calls24h: { calls: 0, errors: 0, refused: 0, avgMs: 0, p95Ms: 0 },
      refusals24h: [],
      onboarding: { backend: false, bundle: false, key: false, firstCall: false, sampleUrl: expect.any(String) },
    })
  })

  it('takes what the parts know, and the tables [ct.7.7.overview]', async () => {
    const clients = { total: 2, live: 1, disabled: 0, healthy: 1, degraded: 0, unreachable: 1 }
    const house = await aHouse({ facts: { clients } })
    const iso = (inMs: number): string => new Date(house.time.nowMs + inMs).toISOString()
    const DAY = 86_400_000
    await house.database.write(async (tx) => {
      const made = { scopes: null, elevated: 0, created_at: iso(0), updated_at: iso(0), revision: 1 } as const
      const keys = [
        { label: 'stays', enabled: 1, expires_at: null, revoked_at: null },
        { label: 'ends soon', enabled: 1, expires_at: iso(DAY), revoked_at: null },
        { label: 'has ended', enabled: 1, expires_at: iso(-1), revoked_at: null },
        { label: 'is off', enabled: 0, expires_at: null, revoked_at: null },
        { label: 'was revoked', enabled: 1, expires_at: null, revoked_at: iso(-1) },
      ] as const
      for (const key of keys)
        await tx
          .insertInto('mcp_keys')
          .values({ ...made, ...key, key_hash: key.label, key_prefix: 'gmk' })
          .execute()
      const at_ms = house.time.nowMs - 1000
      for (let at = 0; at < 20; at++)
        await tx
          .insertInto('calls')
          .values({ ...CALL, at_ms, outcome: 'success', duration_ms: at < 18 ? 10 : 100 })
          .execute()
      await tx
        .insertInto('calls')
        .values({ ...CALL, at_ms, outcome: 'refused', deny_code: 'quota', duration_ms: 0 })
        .execute()
      await tx
        .insertInto('calls')
        .values({ ...CALL, at_ms: at_ms - 86_400_000, outcome: 'error', duration_ms: 9999 })
        .execute()
    })
    const { json } = await house.asKey('/admin-api/overview')
    expect(json).toMatchObject({
      clients,
      keys: { active: 2, expiringSoon: 1 },
      calls24h: { calls: 21, errors: 0, refused: 1, avgMs: 18, p95Ms: 100 },
      refusals24h: [{ code: 'quota', count: 1 }],
      onboarding: { backend: false, bundle: false, key: true, firstCall: true },
    })
  })

  it('keeps the numbers of others from who has a team', async () => {
    const house = await aHouse()
    await house.database.write((tx) =>
      tx
        .insertInto('calls')
        .values({
          ...CALL,
          at_ms: house.time.nowMs,
          outcome: 'success',
          duration_ms: 5,
        })
        .execute(),
    )
    const { json } = await house.ask('/admin-api/overview', {
      headers: await house.aSession('lead', 'admin', { teamId: 7 }),
    })
    expect(json).toMatchObject({ adminUsers: null, calls24h: { calls: 0 }, onboarding: { firstCall: false } })
  })
})

describe('the posture', () => {
  it('lists the findings, and the overview counts them [ct.7.7.posture]', async () => {
    const house = await aHouse({ postureFacts: { dataPlaneOpen: true, secretBoxConfigured: false } })
    const { json } = await house.ask('/admin-api/security-posture', { headers: await house.aSession('ada', 'auditor') })
    const { findings, worst } = json as { findings: PostureFinding[]; worst: string }
    expect(findings.map((finding) => PostureFinding.strict().parse(finding).id)).toEqual(
      expect.arrayContaining(['mcp_data_plane_open', 'secret_box_unset']),
    )
    expect((await house.asKey('/admin-api/overview')).json).toMatchObject({
      posture: { worst, count: findings.length },
    })
  })
})
