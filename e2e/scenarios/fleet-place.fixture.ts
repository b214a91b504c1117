// Set up by vitest where GANTRY_SCENARIOS_ON is fleet: what a scenario starts is three instances that look like one gateway.
import { expect, vi } from 'vitest'
import { startBalancer } from './balancer.fixture.ts'
import { type Env, type Gateway, speaksTo, startInstead } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

const INSTANCES = 3
const SHARED: Env = {
  ALLOW_SECOND_INSTANCE: 'true',
  REGISTRY_SYNC: 'true',
  RATE_LIMIT_SHARED: 'true',
  LEADER_LEASE_DURATION_MS: '3000',
}
const SOON = { timeout: 60_000, interval: 20 }

/** Changes are confirmed by all instances: the next request may reach another one. */
const confirmed = (path: string, method = 'GET'): string =>
  method === 'GET' || !/^\/(admin-api|clients|register)/.test(path)
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}wait=fleet`

async function startFleet(env: Env, folder: string): Promise<Gateway> {
  const balancer = await startBalancer()
  const all: GatewayProcess[] = []
  const seen = (one: Gateway) => one.ask('/readyz?for=traffic').then(({ json }) => json)
  try {
    for (let at = 1; at <= INSTANCES; at += 1) {
      const one = await spawnGateway({ ...SHARED, INSTANCE_ID: `instance-${at}`, ...env }, folder)
      all.push(one)
      balancer.add(one.url)
    }
    for (const one of all) {
      await vi.waitFor(async () => expect(await seen(one)).toMatchObject({ fleet: { instances: INSTANCES } }), SOON)
      await vi.waitFor(() => expect(balancer.inRotation(one.url)).toBe(true), SOON)
    }
  } catch (error) {
    await Promise.all([balancer.close(), ...all.map((one) => one.end())])
    throw error
  }
  const { ask, admin } = speaksTo(balancer.url)
  const stop = async (): Promise<void> => {
    await Promise.all(all.map((one) => one.stop()))
    await balancer.close()
  }
  return {
    url: balancer.url,
    folder,
    output: () => all.map((one) => one.output()).join(''),
    ask: (path, what) => ask(confirmed(path, what?.method), what),
    admin: (path, what) => admin(confirmed(path, what?.method), what),
    stop,
    end: stop,
  }
}

startInstead(startFleet)
