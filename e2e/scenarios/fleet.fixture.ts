// Three gateways as processes on one database, and calls that arrive at them in turn.
import { expect } from 'vitest'
import { bearer, mint, outcome } from './access.fixture.ts'
import { anUpstream, aShopProcess, register, type Upstream } from './data-plane.fixture.ts'
import { aFolder, type Env, type Gateway, UNCHECKED } from './gateway.fixture.ts'
import type { GatewayProcess } from './gateway-process.fixture.ts'

export const SOON = { timeout: 20_000, interval: 50 }

export type Fleet = {
  readonly all: readonly GatewayProcess[]
  readonly first: GatewayProcess
  readonly upstream: Upstream
  /** Of a key that every instance accepts. */
  readonly headers: Env
}

export async function aFleet(env: Env, size = 3, minted: object = {}): Promise<Fleet> {
  const folder = aFolder()
  const shared = {
    ...UNCHECKED,
    ALLOW_SECOND_INSTANCE: 'true',
    REGISTRY_SYNC: 'true',
    LEADER_LEASE_DURATION_MS: '3000',
    RATE_LIMIT_GLOBAL: '1000000',
    ...env,
  }
  const first = await aShopProcess({ ...shared, INSTANCE_ID: 'one' }, folder)
  const others: GatewayProcess[] = []
  for (let at = 1; at < size; at += 1)
    others.push(await aShopProcess({ ...shared, INSTANCE_ID: `instance-${at + 1}` }, folder))
  const upstream = await anUpstream()
  await register(first, upstream)
  const headers = bearer((await mint(first, minted)).key)
  const all = [first, ...others]
  for (const each of all) await expect.poll(() => outcome(each, headers), SOON).toBe('ok')
  return { all, first, upstream, headers }
}

/** How many of `calls` calls were answered, sent to the instances in turn and several at a time. */
export async function answered(
  { all, headers }: Pick<Fleet, 'all' | 'headers'>,
  calls: number,
  options: { readonly name?: string; readonly atOnce?: number } = {},
): Promise<{ readonly ok: number; readonly others: readonly string[] }> {
  const { name = 'ok', atOnce = 12 } = options
  let left = calls
  let ok = 0
  const others = new Set<string>()
  const agent = async (from: number): Promise<void> => {
    for (let turn = from; left > 0; turn += 1) {
      left -= 1
      const code = await outcome(all[turn % all.length] as Gateway, headers, { name })
      if (code === 'ok') ok += 1
      else others.add(code)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_none, from) => agent(from)))
  return { ok, others: [...others] }
}
