import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { openFront } from './http.fixture.ts'
import type { ReadinessFacts } from './probes.ts'

async function ready(facts: ReadinessFacts, query = ''): Promise<{ status: number; body: unknown }> {
  const front = await openFront({}, { facts })
  const answer = await request(`${front.url}/readyz${query}`)
  const body = await answer.body.json()
  await front.stop()
  return { status: answer.statusCode, body }
}

describe('/readyz (security case LK-09)', () => {
  it('is 503 and names each reason [ct.3.readyz-db gw.error.4-readyz ct.3.readyz-leader gw.ops.readyz-leader]', async () => {
    const failing = [
      () => false,
      () => Promise.reject(new Error('locked')),
      () => {
        throw new Error('closed')
      },
    ]
    for (const database of failing)
      expect(await ready({ leader: () => true, database })).toEqual({
        status: 503,
        body: { status: 'not_ready', reasons: ['db_unavailable'] },
      })
    expect(await ready({ leader: () => false, database: () => false })).toEqual({
      status: 503,
      body: { status: 'not_ready', reasons: ['not_leader', 'db_unavailable'] },
    })
  })

  it('is 200 without reasons otherwise [ct.3.readyz gw.ops.readyz]', async () => {
    expect(await ready({ leader: () => true, database: async () => true })).toEqual({
      status: 200,
      body: { status: 'ready', reasons: [] },
    })
  })
})

describe('/readyz?for=traffic', () => {
  const asBalancer = (facts: ReadinessFacts) => ready(facts, '?for=traffic')

  it('is 200 on an instance that does not lead', async () => {
    expect(await asBalancer({ leader: () => false, database: () => true })).toEqual({
      status: 200,
      body: { status: 'ready', reasons: [] },
    })
  })

  it('is 503 while the database does not answer', async () => {
    expect(await asBalancer({ leader: () => false, database: () => Promise.reject(new Error('locked')) })).toEqual({
      status: 503,
      body: { status: 'not_ready', reasons: ['db_unavailable'] },
    })
  })

  it('refuses a purpose that it does not know, so that a typing error is not taken for a state', async () => {
    for (const query of ['?for=trafic', '?for=', '?for=traffic&for=traffic'])
      expect(await ready({ leader: () => true, database: () => true }, query)).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION_ERROR' } },
      })
    const other = await ready({ leader: () => true, database: () => true }, '?probe=1')
    expect(other).toEqual({ status: 200, body: { status: 'ready', reasons: [] } })
  })
})

describe('/health and /livez (security case LK-09)', () => {
  it('answer without a credential, in every state [ct.3.health ct.3.livez gw.ops.health gw.ops.livez gw.auth.public]', async () => {
    const front = await openFront({}, { facts: { leader: () => false, database: () => false } })
    const health = (await (await request(`${front.url}/health`)).body.json()) as { uptime_seconds: number }
    expect(health).toEqual({ status: 'ok', uptime_seconds: expect.any(Number) })
    expect(health.uptime_seconds).toBeGreaterThan(0)
    expect(await (await request(`${front.url}/livez`)).body.json()).toEqual({ status: 'ok' })
    await front.stop()
  })
})

describe('/metrics', () => {
  it('does not exist when switched off [ct.3.metrics-off gw.ops.metrics-off gw.setting.metrics_enabled]', async () => {
    const front = await openFront({ METRICS_ENABLED: false })
    const answer = await request(`${front.url}/metrics`, { headers: { authorization: 'Bearer good' } })
    expect(answer.statusCode).toBe(404)
    expect(await answer.body.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
    await front.stop()
  })

  it('needs a viewer and answers text exposition [ct.3.metrics gw.ops.metrics]', async () => {
    const front = await openFront()
    expect((await request(`${front.url}/metrics`)).statusCode).toBe(401)
    const answer = await request(`${front.url}/metrics`, { headers: { authorization: 'Bearer good' } })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await answer.body.text()).toBe('mcp_build_info 1\n')
    await front.stop()
  })
})
