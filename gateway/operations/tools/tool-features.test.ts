// Features of a tool: set and removed through the patch, each replaced as a whole, returned and stored without defaults.

import { beforeEach, describe, expect, it } from 'vitest'
import { FEATURES, Mock } from '../../contract/admin/tool-features.ts'
import { ToolPatch, tools } from '../../contract/admin/tools.ts'
import { RegistrationPayload } from '../../contract/registration.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import { someTool } from '../../registry/backend.fixture.ts'
import type { ToolConfig } from '../../storage/stored.ts'
import { aBackendHouse, type BackendHouse, ROOT } from '../backends/backends.fixture.ts'
import { FEATURE_ACTIONS, requireFit, writtenFeatures } from './tool-features.ts'

let house: BackendHouse
beforeEach(async () => {
  house = await aBackendHouse()
  const tools = [{ name: 'one', method: 'get', endpoint: '/one', description: 'd' }]
  await house.registration.register(
    ROOT,
    RegistrationPayload.parse({ name: 'pets', tools, base_url: 'http://127.0.0.1:81' }),
  )
})
const patch = (body: object) => house.tools.update(ROOT, 'pets', 'one', ToolPatch.parse(body), [])

describe('a feature of a tool', () => {
  it('is off until it is set, returned with its defaults, and audited under its name', async () => {
    expect(house.tools.get(ROOT.actor, 'pets', 'one')).toMatchObject({ config: { mock: null }, features: [] })
    const set = { enabled: true, mode: 'always', response: 'x', isError: false, delayMs: 0 }
    expect(await patch({ mock: { mode: 'always', response: 'x' } })).toMatchObject({
      config: { mock: set },
      features: ['mock'],
    })
    expect((await house.audit()).at(-1)).toMatchObject({
      action: 'tool.mock.update',
      detail: { before: { mock: null }, after: { mock: set } },
    })
  })

  const CHANGES: readonly (readonly [string, object])[] = [
    ['disable', { enabled: false }],
    ['enable', { enabled: true }],
    ['guards.update', { guards: { timeoutMs: 5_000 } }],
    ['override.update', { overrides: { title: 'One' } }],
    ['sensitivity.update', { sensitive: true }],
    ['sensitivity.update', { sensitive: null }],
    ['redaction.update', { redactPaths: ['secret'] }],
    ['guardrails.update', { guardrails: { blockSecrets: true } }],
    ['cache.update', { cache: { ttlSeconds: 5 } }],
    ['coalesce.update', { coalesce: {} }],
    ['capture.update', { capture: { enabled: true } }],
    ['approval.update', { approval: { levels: 2 } }],
    ['quarantine.update', { quarantinePolicy: {} }],
    ['mock.update', { mock: { mode: 'fallback', response: 'x' } }],
    ['transform.update', { transform: { response: [{ op: 'remove', path: 'id' }] } }],
    ['pagination.update', { pagination: { strategy: 'page', pageParam: 'page', itemsPath: 'items' } }],
    ['pagination.update', { pagination: null }],
    ['streaming.update', { streaming: { format: 'sse' } }],
    ['context_budget.update', { contextBudget: { mode: 'truncate', maxResponseBytes: 256 } }],
    ['monitor.update', { monitor: {} }],
    ['routing.update', { routing: { failover: 'off' } }],
    ['streaming.update', { streaming: null }],
    ['ws.update', { ws: { wsUrl: 'ws://127.0.0.1:82/' } }],
    ['price.update', { price: { perCall: 0.5 } }],
    ['progress.update', { progress: { cancel: false } }],
  ]

  it('and every other change of a tool is audited under a name of its own [ct.13.2.tool]', async () => {
    for (const [action, change] of CHANGES) {
      await patch(change)
      expect([action, (await house.audit()).at(-1)?.action]).toEqual([action, `tool.${action}`])
    }
    // The one that is for tools of another kind.
    expect(FEATURE_ACTIONS).toContainEqual(['graphql', 'tool.graphql.update'])
    expect(tools.update.audit).toEqual(expect.arrayContaining(CHANGES.map(([action]) => `tool.${action}`)))
    expect(FEATURE_ACTIONS.filter(([, name]) => !CHANGES.some(([action]) => name === `tool.${action}`))).toHaveLength(1)
  })

  it('is replaced as a whole, stays when absent, and goes with null or false', async () => {
    await patch({ mock: { mode: 'always', response: 'x', delayMs: 5 } })
    expect((await patch({ mock: { mode: 'always', response: 'y' } })).config['mock']).toMatchObject({ delayMs: 0 })
    expect((await patch({ sensitive: true })).config['mock']).toMatchObject({ response: 'y' })
    expect((await patch({ mock: null })).config['mock']).toBeNull()
    await patch({ mock: { mode: 'always', response: 'x' } })
    expect((await patch({ mock: false })).features).toEqual(['sensitive'])
  })

  it('is written into a document without what is meant anyway, and means the same when it is read', () => {
    const given = { mode: 'fallback', response: { a: 1 }, delayMs: 9 }
    const written = writtenFeatures({ mock: Mock.parse(given) }, { client: 'pets', tool: 'one' })
    expect(written).toEqual({ mock: given })
    expect(Mock.parse(written.mock)).toEqual(Mock.parse(given))
  })
})

it('a feature with a secret is not stored where there is no key to seal it with', async () => {
  const bare = await aBackendHouse({ env: { SECRET_ENCRYPTION_KEY: '' } })
  const tools = [{ name: 'one', method: 'get', endpoint: '/one', description: 'd' }]
  const payload = { name: 'pets', tools, base_url: 'http://127.0.0.1:81' }
  await bare.registration.register(ROOT, RegistrationPayload.parse(payload))
  const llm = { provider: 'openai', baseUrl: 'http://127.0.0.1:82', model: 'm' }
  const set = (more: object) =>
    bare.tools.update(
      ROOT,
      'pets',
      'one',
      ToolPatch.parse({ contextBudget: { mode: 'llm_summarize', maxResponseBytes: 256, llm: { ...llm, ...more } } }),
      [],
    )
  await expect(set({ apiKey: 'sk-1' })).rejects.toMatchObject({ code: 'SECRET_BOX_NOT_CONFIGURED' })
  expect(bare.tools.get(ROOT.actor, 'pets', 'one').config['contextBudget']).toBeNull()
  // A model of one's own may need none, and a missing one can be removed.
  expect((await set({ apiKey: null })).config['contextBudget']).toMatchObject({ llm: { apiKeySet: false } })
  expect((await set({})).config['contextBudget']).toMatchObject({ llm: { ...llm, apiKeySet: false } })
})

it('a sealed secret is kept where none is given, and removed by null', async () => {
  const house = await aBackendHouse()
  const tools = [{ name: 'one', method: 'get', endpoint: '/one', description: 'd' }]
  const payload = { name: 'pets', tools, base_url: 'http://127.0.0.1:81' }
  await house.registration.register(ROOT, RegistrationPayload.parse(payload))
  const isSet = async (more: object): Promise<unknown> => {
    const llm = { provider: 'openai', baseUrl: 'http://127.0.0.1:82', model: 'm', ...more }
    const patch = ToolPatch.parse({ contextBudget: { mode: 'llm_summarize', maxResponseBytes: 256, llm } })
    return (await house.tools.update(ROOT, 'pets', 'one', patch, [])).config['contextBudget']
  }
  const report = (apiKeySet: boolean) => expect.objectContaining({ llm: expect.objectContaining({ apiKeySet }) })
  expect(await isSet({ apiKey: 'sk-1' })).toEqual(report(true))
  expect(await isSet({})).toEqual(report(true))
  expect(await isSet({ apiKey: null })).toEqual(report(false))
  expect(await isSet({})).toEqual(report(false))
})

describe('an answer that is kept or shared', () => {
  type Given = { kind: string; definition: Partial<DiscoveredTool>; config?: ToolConfig }
  const fits = ({ kind, definition, config = {} }: Given): boolean => {
    const whole = someTool({ client: 'pets', name: 'one' }, definition).definition
    const subject = { kind, definition: () => whole, config }
    const wanted = [{ cache: FEATURES.cache.parse({ ttlSeconds: 1 }) }, { coalesce: FEATURES.coalesce.parse({}) }]
    const refused = wanted.map((each) => {
      try {
        requireFit(each, subject)
        return false
      } catch (error) {
        expect(error).toMatchObject({ code: 'NOT_APPLICABLE' })
        return true
      }
    })
    expect(refused[0]).toBe(refused[1])
    return !refused[0]
  }
  const graphql = (operation: 'query' | 'mutation') => ({
    operation,
    operationName: 'x',
    document: `${operation} x { y }`,
  })
  const reading = { annotations: { readOnlyHint: true } }

  it.each<[string, Given, boolean]>([
    ['GET', { kind: 'rest', definition: { method: 'GET' } }, true],
    ['HEAD', { kind: 'rest', definition: { method: 'HEAD' } }, true],
    ['POST', { kind: 'rest', definition: { method: 'POST' } }, false],
    ['DELETE', { kind: 'rest', definition: { method: 'DELETE' } }, false],
    ['a method that is missing', { kind: 'rest', definition: {} }, false],
    ['a POST that says it only reads', { kind: 'rest', definition: { method: 'POST', ...reading } }, false],
    ['a query', { kind: 'graphql', definition: { method: 'POST', graphql: graphql('query') } }, true],
    ['a mutation', { kind: 'graphql', definition: { method: 'POST', graphql: graphql('mutation') } }, false],
    ['an upstream that says it only reads', { kind: 'mcp', definition: reading }, true],
    ['an upstream that says nothing', { kind: 'mcp', definition: {} }, false],
    ['an editor that only reads', { kind: 'pcg', definition: reading }, true],
    [
      'an upstream that claims so and is not believed',
      { kind: 'mcp', definition: reading, config: { overrides: { annotations: { readOnlyHint: false } } } },
      false,
    ],
    ['an upstream that is sensitive', { kind: 'mcp', definition: reading, config: { sensitive: true } }, false],
    [
      'an upstream that an administrator vouches for',
      { kind: 'mcp', definition: {}, config: { overrides: { annotations: { readOnlyHint: true } } } },
      true,
    ],
    ['an unknown kind', { kind: 'other', definition: { method: 'GET' } }, false],
  ])('is for tools that read: %s [ct.8.5.reads-only]', (_what, given, expected) => {
    expect(fits(given)).toBe(expected)
  })

  it('is judged by the tool as the same patch leaves it, and goes where it is no longer valid', async () => {
    await patch({ cache: { ttlSeconds: 60 }, coalesce: { scope: 'shared' } })
    expect(house.tools.get(ROOT.actor, 'pets', 'one')).toMatchObject({
      features: ['cache', 'coalesce'],
      config: { cache: { ttlSeconds: 60, scope: 'principal' }, coalesce: { enabled: true, scope: 'shared' } },
    })
    expect((await house.audit()).slice(-2).map(({ action }) => action)).toEqual([
      'tool.cache.update',
      'tool.coalesce.update',
    ])
    expect((await patch({ cache: null })).features).toEqual(['coalesce'])
  })
})
