// The tool runner: the whole guard stack for one call, as an administrator or on behalf of a key, stage by stage.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { body, change, code, type Mall, make, member, startMall } from './curation.fixture.ts'
import { configure } from './data-plane.fixture.ts'

type Fields = Record<string, unknown>
type Reply = {
  readonly outcome: string
  readonly code: string | null
  readonly gate: string | null
  readonly failureKind: string | null
  readonly requestId: string
  readonly result: { content: { text?: string }[]; isError?: boolean; structuredContent?: Fields; _meta?: Fields }
  readonly pipeline: { stage: string; outcome: string; durationMs: number }[]
}
let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall({ RETRY_MAX_ATTEMPTS: '0' })
})
afterAll(() => mall.end())
beforeEach(() => {
  mall.shop.seen.length = 0
})

const answer = (tool: string, given: object = {}, client = 'petstore') =>
  mall.gateway.admin(`/admin-api/clients/${client}/tools/${tool}/test`, { method: 'POST', body: given })
async function tried(tool: string, given: object = {}): Promise<Reply> {
  const reply = await answer(tool, given)
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  return reply.json as Reply // a test result
}
const passed = ({ pipeline }: Reply): string[] =>
  pipeline.filter(({ outcome }) => outcome !== 'skip').map(({ stage, outcome }) => `${stage} ${outcome}`)

const STAGES = [
  'resolve',
  'availability',
  'admission',
  'arguments',
  'ssrf',
  'guardrails',
  'quota',
  'confirm',
  'quarantine',
  'approval',
  'rate_limit',
  'mock',
  'cache',
  'coalesce',
  'breaker',
  'dispatch',
  'shape',
  'audit',
]

async function aKey(given: object): Promise<{ id: number }> {
  const made = await mall.gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: 'tried', ...given } })
  expect(made.status).toBe(201)
  return made.json as { id: number } // a key record
}

describe('a tool that is tried', () => {
  it('answers what a caller would get, and how the call went through every stage [ct.7.3.test ct.7.3.result ct.7.3.outcome ct.10.2.result]', async () => {
    const reply = await tried('getPetById', { args: { id: '5' } })
    expect(reply).toMatchObject({
      outcome: 'success',
      code: null,
      gate: null,
      failureKind: null,
      result: {
        structuredContent: { id: 5, name: 'Rex' },
        _meta: { 'gantry/call': { attempts: 1, target: 'primary' } },
      },
    })
    expect(reply.pipeline.map(({ stage }) => stage)).toEqual(STAGES)
    expect(reply.pipeline.every(({ durationMs }) => durationMs >= 0)).toBe(true)
    expect(passed(reply)).toEqual([
      'resolve pass',
      'availability pass',
      'admission pass',
      'arguments pass',
      'ssrf pass',
      'quota pass',
      'quarantine pass',
      'approval pass',
      'breaker pass',
      'dispatch pass',
      'shape pass',
      'audit pass',
    ])
    const { items } = body(await mall.gateway.admin('/admin-api/audit-log?action=tool.test'))
    expect(items).toMatchObject([{ target: 'petstore__getPetById', detail: { outcome: 'success', dryRun: false } }])
  })

  it('is refused and fails as for a caller, with the stage that ended it [ct.7.3.outcome]', async () => {
    await configure(mall.gateway, 'deletePet', { sensitive: true, guardrails: { denyPatterns: ['666'] } })
    // The key of the environment is elevated; a person who signed in is not.
    expect(await tried('deletePet', { args: { id: 1 } })).toMatchObject({ outcome: 'success' })
    const { id } = await aKey({ scopes: null })
    const refused = await tried('deletePet', { args: { id: 1 }, keyId: id })
    expect(refused).toMatchObject({
      outcome: 'refused',
      code: 'confirm_required',
      gate: 'confirmation',
      result: { isError: true },
    })
    expect(passed(refused).at(-2)).toBe('confirm refuse')
    expect(await tried('deletePet', { args: { id: 1, __confirm: true }, keyId: id })).toMatchObject({
      outcome: 'success',
    })
    const blocked = await tried('deletePet', { args: { id: 666 } })
    expect([blocked.code, passed(blocked).at(-2)]).toEqual(['guardrail_input', 'guardrails refuse'])
    const invalid = await tried('getPetById', { args: {} })
    expect([invalid.outcome, invalid.failureKind, passed(invalid).at(-2)]).toEqual([
      'error',
      'invalid_arguments',
      'arguments fail',
    ])
    const failed = await tried('broken')
    expect([failed.outcome, failed.failureKind, failed.code, passed(failed).at(-3)]).toEqual([
      'error',
      'upstream_status',
      null,
      'dispatch fail',
    ])
    await configure(mall.gateway, 'deletePet', { sensitive: null, guardrails: null })
  })

  it('stops before the dispatch when it is a dry run, and is no call [ct.7.3.test]', async () => {
    const before = body(await mall.gateway.admin('/admin-api/overview')).calls24h
    const reply = await tried('getPetById', { args: { id: 5 }, dryRun: true })
    expect([reply.outcome, passed(reply).at(-1), mall.shop.seen]).toEqual(['success', 'breaker pass', []])
    expect(body(await mall.gateway.admin('/admin-api/overview')).calls24h).toEqual(before)
  })

  it('is tried against a draft of its guards: the real stack says what it would say, and nothing is sent, spent or kept [ct.7.3.test]', async () => {
    const { id } = await aKey({ scopes: null })
    const drafted = (draft: object, given: object = {}) =>
      tried('deletePet', { args: { id: 666 }, keyId: id, dryRun: true, draft, ...given })
    const kept = body(await mall.gateway.admin('/admin-api/clients/petstore/tools/deletePet'))
    expect((await drafted({})).outcome).toBe('success')
    expect(await drafted({ sensitive: true })).toMatchObject({ code: 'confirm_required' })
    expect(await drafted({ guardrails: { denyPatterns: ['666'] } })).toMatchObject({ code: 'guardrail_input' })
    expect(await drafted({ guards: { allowedKeyIds: [id + 1] } })).toMatchObject({ code: 'allowed_key' })
    expect(await drafted({ guards: { allowedKeyIds: [id] } })).toMatchObject({ outcome: 'success' })
    const waiting = await drafted({ approval: { required: true } })
    expect([waiting.code, waiting.result.structuredContent]).toEqual([
      'approval',
      expect.not.objectContaining({ approval: expect.anything() }),
    ])
    for (let round = 0; round < 3; round += 1)
      expect(await drafted({ guards: { rateLimitPerMin: 1 } })).toMatchObject({ outcome: 'success' })
    // What is in force is loosened as well, in the mind alone; and the limit counts the calls there were.
    await configure(mall.gateway, 'deletePet', { sensitive: true, guards: { rateLimitPerMin: 2 } })
    expect(await drafted({ sensitive: false })).toMatchObject({ outcome: 'success' })
    expect(await tried('deletePet', { args: { id: 1, __confirm: true }, keyId: id })).toMatchObject({
      outcome: 'success',
    })
    const over = await drafted({ sensitive: false, guards: { rateLimitPerMin: 1 } })
    expect([over.code, passed(over).at(-1)]).toEqual(['rate_limit', 'rate_limit refuse'])
    expect(mall.shop.seen).toEqual(['DELETE /pets/1'])
    expect(body(await mall.gateway.admin('/admin-api/approvals')).items).toEqual([])
    await configure(mall.gateway, 'deletePet', { sensitive: null, guards: null })
    const after = body(await mall.gateway.admin('/admin-api/clients/petstore/tools/deletePet'))
    expect([after.config, after.guards]).toEqual([kept.config, kept.guards])
    const [entry] = body(await mall.gateway.admin('/admin-api/audit-log?action=tool.test')).items as Fields[]
    expect(entry).toMatchObject({ detail: { dryRun: true, draft: ['guards', 'sensitive'], code: 'rate_limit' } })

    // Past guards that are not in force nothing is sent; and a tool may well take an argument of that name.
    expect(code(await answer('deletePet', { args: { id: 1 }, draft: {} }))).toBe('VALIDATION_ERROR')
    expect(code(await answer('deletePet', { args: { id: 1 }, dryRun: true, draft: { mock: {} } }))).toBe(
      'VALIDATION_ERROR',
    )
    const unsafe = { guardrails: { denyPatterns: ['(a)\\1'] } }
    expect(code(await answer('deletePet', { dryRun: true, draft: unsafe }))).toBe('UNSAFE_PATTERN')
    expect(await tried('getPetById', { id: 7, draft: true })).toMatchObject({ outcome: 'success' })
  })

  it('is tried on behalf of a key, with what the key may reach [ct.7.3.test ct.7.4.bundle-preview]', async () => {
    const narrow = await aKey({ scopes: { tools: ['petstore__getPetById'] } })
    expect(await tried('getPetById', { args: { id: 5 }, keyId: narrow.id })).toMatchObject({ outcome: 'success' })
    const outside = await tried('ok', { keyId: narrow.id })
    expect([outside.code, passed(outside).at(-2)]).toEqual(['key_scope', 'admission refuse'])
    expect(code(await answer('ok', { keyId: 999 }))).toBe('MCP_KEY_NOT_FOUND')
    // A key of a bundle reaches it there and nowhere else.
    await make(mall.gateway, 'bundles', { name: 'pets', tools: [member('petstore', 'ok'), member('bank', 'ok')] })
    const bound = await aKey({ scopes: { bundles: ['pets'] } })
    expect(await tried('ok', { keyId: bound.id, bundle: 'pets' })).toMatchObject({ outcome: 'success' })
    expect(await tried('ok', { keyId: bound.id })).toMatchObject({ code: 'key_scope' })
    expect(await tried('getPetById', { bundle: 'pets', args: { id: 5 } })).toMatchObject({
      code: 'unknown_tool',
      gate: 'resolution',
    })
    expect(code(await answer('ok', { bundle: 'none' }))).toBe('BUNDLE_NOT_FOUND')
    // And the preview of the bundle shows each of them what it would list.
    const preview = async (keyId: number) => {
      const { tools } = body(await mall.gateway.admin(`/admin-api/bundles/pets/preview?keyId=${keyId}`))
      return (tools as { name: string }[]).map(({ name }) => name)
    }
    expect(await preview(bound.id)).toEqual(['bank__ok', 'petstore__ok', 'search_tools'])
    const half = await aKey({ scopes: { clients: ['bank'] } })
    expect(await preview(half.id)).toEqual(['bank__ok', 'search_tools'])
    expect(await preview(narrow.id)).toEqual([])
  })

  it('takes the arguments themselves for a body, where it has no field of its own [ct.7.3.compat]', async () => {
    expect(await tried('getPetById', { id: 7 })).toMatchObject({ outcome: 'success' })
    expect(mall.shop.seen).toEqual(['GET /pets/7'])
    expect(code(await answer('getPetById', { args: { id: 7 }, id: 7 }))).toBe('VALIDATION_ERROR')
  })

  it('of nothing is nothing', async () => {
    expect(code(await answer('nope'))).toBe('TOOL_NOT_FOUND')
    expect(code(await answer('ok', {}, 'missing'))).toBe('TOOL_NOT_FOUND')
    await change(mall.gateway, '/admin-api/clients/petstore', { enabled: false })
    expect(await tried('ok')).toMatchObject({ code: 'disabled', gate: 'availability' })
    await change(mall.gateway, '/admin-api/clients/petstore', { enabled: true })
  })
})
