// Two backends behind one gateway, and what a bundle of theirs shows and answers.
import { expect, onTestFinished } from 'vitest'
import { call, openUpstream, type Result, ROOMY, register, rpc, type Upstream } from './data-plane.fixture.ts'
import { type Answer, type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

export type Record = Readonly<{ [field: string]: unknown }>
export type Mall<G extends Gateway = Gateway> = {
  readonly gateway: G
  readonly shop: Upstream
  readonly bank: Upstream
}
type OwnMall<G extends Gateway> = Mall<G> & { readonly end: () => Promise<void> }

/** The same tools twice, behind `petstore` and `bank`. */
export const aMall = (env: Env = {}): Promise<Mall> => ofTheTest(startMall(env))
export const aProcessMall = (env: Env = {}): Promise<Mall<GatewayProcess>> => ofTheTest(spawnMall(env))

async function ofTheTest<G extends Gateway>(starting: Promise<OwnMall<G>>): Promise<Mall<G>> {
  const mall = await starting
  onTestFinished(mall.end)
  return mall
}

/** One for all tests of a file: the file that starts it ends it. */
export const startMall = (env: Env = {}): Promise<OwnMall<Gateway>> => opened(startGateway({ ...ROOMY, ...env }))
export const spawnMall = (env: Env = {}): Promise<OwnMall<GatewayProcess>> => opened(spawnGateway({ ...ROOMY, ...env }))

async function opened<G extends Gateway>(starting: Promise<G>): Promise<OwnMall<G>> {
  const [gateway, shop, bank] = await Promise.all([starting, openUpstream(), openUpstream()])
  await register(gateway, shop)
  await register(gateway, bank, 'bank')
  return {
    gateway,
    shop,
    bank,
    async end() {
      await gateway.end()
      await Promise.all([shop.close(), bank.close()])
    },
  }
}

/** The shelves as they were at first: no bundles, and every tool as its source has it. */
export async function restock({ gateway, shop, bank }: Mall): Promise<void> {
  const { items } = body(await gateway.admin('/admin-api/bundles'))
  for (const { name } of items as { name: string }[]) // a list
    await gateway.admin(`/admin-api/bundles/${name}`, { method: 'DELETE' })
  for (const [name, upstream] of [
    ['petstore', shop],
    ['bank', bank],
  ] as const) {
    await gateway.admin(`/admin-api/clients/${name}`, { method: 'DELETE' })
    await register(gateway, upstream, name)
    upstream.seen.length = 0
  }
}

export const member = (client: string, tool: string) => ({ client, tool })
export const body = ({ json }: Answer): Record => json as Record // every answer of the admin API is an object
export const code = (answer: Answer): unknown => (body(answer).error as Record | undefined)?.code

export async function make(gateway: Gateway, noun: 'bundles' | 'composites', given: object): Promise<Record> {
  const made = await gateway.admin(`/admin-api/${noun}`, { method: 'POST', body: given })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return body(made)
}

export const change = (gateway: Gateway, path: string, given: object, headers: Env = {}): Promise<Answer> =>
  gateway.admin(path, { method: 'PATCH', body: given, headers })

export const custom = (name: string): string => `/mcp-custom/${name}`

/** The names of one page of `tools/list`. */
export async function listed(gateway: Gateway, path: string, headers: Env = {}): Promise<string[]> {
  const { json, text } = await rpc(gateway, 'tools/list', {}, { path, headers })
  const { result } = json as { result?: { tools: { name: string }[] } } // what a list answers
  if (result === undefined) throw new Error(`No list: ${text}`)
  return result.tools.map(({ name }) => name)
}

export const callIn = (gateway: Gateway, bundle: string, name: string, args: object = {}): Promise<Result> =>
  call(gateway, name, args, custom(bundle))
