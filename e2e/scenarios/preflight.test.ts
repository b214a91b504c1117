// `gantry preflight`: each state that refuses a call has its reason and its exit code, and no backend is asked.
import { expect, it, onTestFinished } from 'vitest'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { bearer, mint } from './access.fixture.ts'
import { compositeInABundle, step } from './composites.fixture.ts'
import { make, member } from './curation.fixture.ts'
import { anUpstream, configure, disable, ROOMY, register, rpc } from './data-plane.fixture.ts'
import { ADMIN_KEY, startGateway } from './gateway.fixture.ts'

it('says for every tool of a bundle whether it can be called, and asks no backend', async () => {
  const gateway = await startGateway({ ...ROOMY, CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1' })
  onTestFinished(() => gateway.end())
  const upstream = await anUpstream()
  await register(gateway, upstream)
  await make(gateway, 'bundles', { name: 'job', tools: [member('petstore', 'ok'), member('petstore', 'getPetById')] })
  const seen = upstream.seen.length
  const env = { GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY }
  const preflight = async (...more: string[]): Promise<readonly [number, ...string[]]> => {
    const { code, out, error } = await gantry(env, ['preflight', 'job', '--json', ...more])
    expect(error).toBe('')
    return [code, ...(JSON.parse(out) as { reasons: string[] }).reasons] // as the command prints it
  }
  const admin = (path: string, method: string, body: object) => gateway.admin(`/admin-api${path}`, { method, body })

  expect(await preflight()).toEqual([0])
  expect((await gantry(env, ['preflight', 'job'])).out).toMatch(/petstore__ok +ready/)
  await configure(gateway, 'ok', { sensitive: true })
  expect(await preflight()).toEqual([12, 'confirmation'])
  await configure(gateway, 'ok', { approval: { required: true } })
  expect(await preflight()).toEqual([12, 'approval', 'confirmation'])
  const elevated = await mint(gateway, { elevated: true })
  expect(await preflight('--key', String(elevated.id))).toEqual([0])
  await configure(gateway, 'getPetById', { enabled: false })
  expect(await preflight()).toEqual([10, 'approval', 'confirmation', 'tool_disabled'])
  await configure(gateway, 'getPetById', { enabled: true })
  await configure(gateway, 'ok', { sensitive: false, approval: null })
  await disable(gateway)
  expect(await preflight()).toEqual([10, 'backend_disabled'])
  await disable(gateway, true)
  await admin('/bundles/job', 'PATCH', { enabled: false })
  expect(await preflight()).toEqual([10, 'bundle_disabled'])
  await admin('/bundles/job', 'PATCH', { enabled: true })

  const narrow = await mint(gateway, { scopes: { tools: ['petstore__ok'] } })
  expect(await preflight('--key', String(narrow.id))).toEqual([10, 'key_scope'])
  await admin(`/mcp-keys/${narrow.id}/revoke`, 'POST', {})
  expect(await preflight('--key', String(narrow.id))).toEqual([10, 'key_inactive'])
  const consumer = await admin('/consumers', 'POST', { name: 'team', monthlyQuota: 1 })
  const spent = await mint(gateway, { consumerId: (consumer.json as { id: number }).id })
  expect(await preflight('--key', String(spent.id))).toEqual([0])
  await rpc(gateway, 'tools/call', { name: 'ok', arguments: {} }, { headers: bearer(spent.key) })
  expect(await preflight('--key', String(spent.id))).toEqual([11, 'quota'])

  const made = await admin('/budgets', 'POST', { name: 'each', per: 'key', maxCalls: 1 })
  const art = await mint(gateway, { label: 'art' })
  expect(await preflight('--key', String(art.id))).toEqual([0])
  await rpc(gateway, 'tools/call', { name: 'ok', arguments: {} }, { headers: bearer(art.key) })
  expect(await preflight('--key', String(art.id))).toEqual([11, 'budget'])
  expect(await preflight()).toEqual([0])
  await admin(`/budgets/${(made.json as { id: number }).id}`, 'PATCH', { per: 'tool' })
  await rpc(gateway, 'tools/call', { name: 'ok', arguments: {} }, { headers: bearer(art.key) })
  expect(await preflight()).toEqual([11, 'budget'])
  await admin(`/budgets/${(made.json as { id: number }).id}`, 'DELETE', {})

  const { name } = await compositeInABundle(gateway, { steps: [step('petstore', 'ok', {})] })
  await admin('/bundles/job', 'PATCH', { composites: [name] })
  expect(await preflight()).toEqual([0])
  await admin(`/composites/${name}`, 'PATCH', { enabled: false })
  expect(await preflight()).toEqual([10, 'composite_disabled'])
  await admin('/bundles/job', 'PATCH', { composites: [] })
  // Those of the quota and the budget; a tool that was called before its budget has nothing left.
  expect(upstream.seen).toHaveLength(seen + 2)

  await rpc(gateway, 'tools/call', { name: 'broken', arguments: {} }, { headers: bearer(elevated.key) })
  expect(await preflight()).toEqual([11, 'circuit_open'])
  expect((await gantry(env, ['preflight', 'none'])).code).toBe(1)
})
