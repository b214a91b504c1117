// The clock of the machine is set while the gateway serves (security case NF-10): what is counted in time goes on, what has a date keeps to it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { anIssuer, signingKey, tokenOf } from '../../gateway/auth/jwt.fixture.ts'
import { bearer, mint, outcome } from './access.fixture.ts'
import { aProcessShop, openSession, rpc } from './data-plane.fixture.ts'
import { type GatewayProcess } from './gateway-process.fixture.ts'

const HOUR = 3_600_000
const YEARS = 10 * 365 * 24 * HOUR
const KEY = signingKey('one')

async function setClock(gateway: GatewayProcess, offMs: number): Promise<void> {
  writeFileSync(join(gateway.folder, 'clock'), String(offMs))
  gateway.signal('SIGUSR2')
  await vi.waitUntil(() => gateway.output().includes(`the clock is off by ${offMs} ms`), { timeout: 20_000 })
}

it('ends no session, opens no breaker, loses no lease and brings no key back (security cases NF-10, EL-18; skipped: a real suspend, a real VPN)', async () => {
  const idp = await anIssuer(KEY)
  const { gateway } = await aProcessShop({
    REQUIRE_MCP_AUTH: 'true',
    JWT_JWKS_URL: idp.url,
    JWT_AUDIENCE: 'gantry',
    CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
    CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '600000',
    LEADER_LEASE_DURATION_MS: '3000',
    NODE_OPTIONS: `--import=${new URL('moved-clock.mjs', import.meta.url).href}`,
  })
  const steady = bearer((await mint(gateway)).key)
  const dated = bearer((await mint(gateway, { expiresAt: new Date(Date.now() + 2 * HOUR).toISOString() })).key)
  const claims = { iss: 'https://idp.test', aud: 'gantry', sub: 'ada', exp: Math.floor((Date.now() + 2 * HOUR) / 1000) }
  const token = bearer(tokenOf({ alg: KEY.alg, kid: KEY.kid }, claims, KEY))
  const session = { ...steady, ...(await openSession(gateway, '2025-11-25', '/mcp/petstore', steady)) }
  // Calls go on through all of it.
  const over = new AbortController()
  const seen = new Set<string>()
  const traffic = (async () => {
    while (!over.signal.aborted) seen.add(await outcome(gateway, session))
  })()
  const looks = async (): Promise<readonly unknown[]> => [
    await outcome(gateway, dated),
    await outcome(gateway, token),
    (await gateway.ask('/readyz')).status,
    (await rpc(gateway, 'ping', {}, { headers: session })).status,
  ]
  const rows: (readonly [number, readonly unknown[]])[] = []
  for (const offMs of [0, HOUR, -HOUR, 3 * HOUR, 0, YEARS, 0, -YEARS]) {
    await setClock(gateway, offMs)
    rows.push([offMs, await looks()])
  }
  over.abort()
  await traffic
  const valid = ['ok', 'ok', 200, 200]
  const expired = ['401 UNAUTHORIZED', '401 UNAUTHORIZED', 200, 200]
  // Once its date has been reached it stays reached, on any later clock.
  expect(rows).toEqual([
    [0, valid],
    [HOUR, valid],
    [-HOUR, valid],
    ...[3 * HOUR, 0, YEARS, 0, -YEARS].map((offMs) => [offMs, expired]),
  ])
  expect([...seen]).toEqual(['ok'])
  // A breaker that is open is so for its time, and not for that of the clock.
  for (let turn = 0; turn < 2; turn += 1) await outcome(gateway, steady, { name: 'broken' })
  for (const offMs of [HOUR, -HOUR, YEARS]) {
    await setClock(gateway, offMs)
    expect(await outcome(gateway, steady)).toBe('circuit_open')
  }
})
