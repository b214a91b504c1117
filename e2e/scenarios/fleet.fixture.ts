// Three gateways on one database, as programs of their own or as the processes of one, and calls that arrive at them in turn.
import { expect, onTestFinished, vi } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { bearer, mint, outcome } from './access.fixture.ts'
import { anUpstream, aShopProcess, register, type Upstream } from './data-plane.fixture.ts'
import { aFolder, type Ends, type Env, type Gateway, onLinux, UNCHECKED, unlessLinux } from './gateway.fixture.ts'
import type { GatewayProcess } from './gateway-process.fixture.ts'
import { aGatewayOfProcesses, meet } from './processes.fixture.ts'

export const SOON = { timeout: 20_000, interval: 50 }

type Engine = readonly [name: string, here: boolean, env: () => Promise<Env>]

/** Where a fleet keeps its state, for `describe.each`. The last one is one gateway of several processes. */
export function useEngines(): readonly Engine[] {
  const address = usePostgres()
  return [
    ['a SQLite file', true, async () => ({})],
    [`PostgreSQL (${postgresHere})`, hasPostgres, async () => ({ DATABASE_URL: await address('migrated') })],
    [`a SQLite file, as processes of one gateway${unlessLinux}`, onLinux, async () => ({ INSTANCES: 'several' })],
  ]
}

type Member = Gateway & Pick<GatewayProcess, 'signal'>
export type Fleet = {
  readonly all: readonly Member[]
  readonly first: Member
  readonly upstream: Upstream
  /** Of a key that every instance accepts. */
  readonly headers: Env
}

async function membersOf(env: Env, size: number, ends: Ends): Promise<readonly Member[]> {
  const folder = aFolder(ends)
  const shared = {
    ...UNCHECKED,
    LEADER_LEASE_DURATION_MS: '3000',
    RATE_LIMIT_GLOBAL: '1000000',
    ...env,
  }
  // With INSTANCES, a fleet is one gateway of as many processes.
  if (env.INSTANCES !== undefined) return (await aGatewayOfProcesses(shared, size, folder, ends)).all
  const member = (at: number): Promise<Member> => {
    const id = at === 0 ? 'one' : `instance-${at + 1}`
    const own = { ALLOW_SECOND_INSTANCE: 'true', REGISTRY_SYNC: 'true', INSTANCE_ID: id }
    return aShopProcess({ ...own, ...shared }, folder, ends)
  }
  // The first one leads.
  const first = await member(0)
  const all = [first, ...(await Promise.all(Array.from({ length: size - 1 }, (_none, at) => member(at + 1))))]
  return all
}

export async function aFleet(env: Env, size = 3, ends: Ends = onTestFinished): Promise<Fleet> {
  const all = await membersOf(env, size, ends)
  const [first] = all
  if (first === undefined) throw new Error('A fleet has at least one')
  const upstream = await anUpstream(ends)
  await register(first, upstream)
  const headers = bearer((await mint(first)).key)
  for (const each of all) await vi.waitFor(async () => expect(await outcome(each, headers)).toBe('ok'), SOON)
  await meet(all)
  return { all, first, upstream, headers }
}

/** Changes a tool, and waits until every instance has applied it. */
export async function everywhere(first: Gateway, name: string, patch: object): Promise<void> {
  const path = `/admin-api/clients/petstore/tools/${name}?wait=fleet`
  // A confirmation waits 5 s, which a busy machine may exceed.
  const pending = async () => (await first.admin(path, { method: 'PATCH', body: patch })).headers.get('x-fleet-pending')
  await expect.poll(pending, SOON).toBe('')
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
