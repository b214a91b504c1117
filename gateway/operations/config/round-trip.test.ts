// For every configuration of a gateway, its document makes an empty one the same, to the byte.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BUDGET_PERIODS, BUDGET_SCOPES } from '../../contract/admin/budgets.ts'
import { backend, document, openGateway, type Thing } from './config.fixture.ts'

const TOOLS = ['get_pet', 'list_pets', 'x.y-z']
const name = fc.constantFrom('a', 'b0', 'c-d', 'e_f', 'z9')
const label = fc
  .string({ minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() === text && /^[^\p{C}]+$/u.test(text))
const limit = fc.option(fc.integer({ min: 1, max: 600 }), { nil: null })
const some = (record: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(record, { requiredKeys }) as fc.Arbitrary<Thing>
const named = (item: fc.Arbitrary<Thing>, key = 'name') =>
  fc.uniqueArray(item, { maxLength: 3, selector: (each) => each[key] })

const guards = some({
  rateLimitPerMin: limit,
  rateLimitScope: fc.constantFrom('tool', 'principal'),
  timeoutMs: limit,
  allowedKeyHashes: fc.array(fc.constantFrom('a'.repeat(64), 'b'.repeat(64)), { maxLength: 3 }),
})
const tool = some(
  {
    name: fc.constantFrom(...TOOLS),
    enabled: fc.boolean(),
    tags: fc.array(fc.constantFrom('z', 'a', 'm'), { maxLength: 3 }),
    guards: fc.option(guards),
    overrides: fc.option(
      some({ title: fc.option(fc.string({ maxLength: 9 })), description: fc.string({ maxLength: 9 }) }),
    ),
    sensitive: fc.option(fc.boolean()),
    approval: fc.option(
      some({
        required: fc.boolean(),
        levels: fc.constantFrom(1, 2),
        approvers: fc.constantFrom([], ['bob', 'ann']),
        ttlMs: fc.constantFrom(60_000, 604_800_000),
      }),
    ),
    redactPaths: fc.option(fc.array(fc.constantFrom('a.b', 'c'), { maxLength: 2 })),
    guardrails: fc.option(
      some({ denyPatterns: fc.constantFrom([], ['x+']), blockSecrets: fc.boolean(), scanResponses: fc.boolean() }),
    ),
  },
  ['name'],
)
const client = fc
  .record({
    name,
    enabled: fc.boolean(),
    team: fc.constantFrom(null, 'Blue'),
    tags: fc.array(fc.constantFrom('q', 'b'), { maxLength: 2 }),
    guards: fc.constantFrom(null, { circuitBreaker: { failureThreshold: 3 } }),
    tools: named(tool),
  })
  .map((given) => ({ ...given, registration: backend(given.name, TOOLS) }))
const member = fc.record({ client: name, tool: fc.constantFrom(...TOOLS) })
const step = fc.record({
  targetClient: name,
  targetTool: fc.constantFrom(...TOOLS),
  argsTemplate: fc.constantFrom({}, { z: 1, a: '${input.x}' }),
})
const configuration = fc.record({
  teams: fc.constant([{ name: 'Blue' }]),
  clients: named(client),
  composites: named(
    fc.record({
      name,
      description: fc.option(fc.string({ maxLength: 9 })),
      enabled: fc.boolean(),
      steps: fc.array(step, { minLength: 1, maxLength: 2 }),
    }),
  ),
  bundles: named(
    fc.record({
      name,
      description: fc.option(fc.string({ maxLength: 9 })),
      enabled: fc.boolean(),
      tools: fc.array(member, { maxLength: 4 }),
      composites: fc.uniqueArray(name, { maxLength: 2 }),
    }),
  ),
  consumers: named(fc.record({ name: label, monthlyQuota: limit, endUserRateLimitPerMin: limit })),
  budgets: named(
    fc.record({
      name: label,
      per: fc.constantFrom(...BUDGET_SCOPES),
      only: fc.option(label, { nil: null }),
      period: fc.constantFrom(...BUDGET_PERIODS),
      maxCalls: limit,
      maxBytes: limit,
      maxTokens: limit,
      maxCost: limit,
      stopLoops: fc.boolean(),
      keepAboveBytes: fc.option(fc.integer({ min: 512, max: 1_000_000 })),
    }),
  ),
  guardPolicies: named(fc.record({ name: label, rateLimitPerMin: limit, timeoutMs: limit })),
  alertRules: named(
    fc.record({
      name: label,
      eventType: fc.constantFrom('error_rate', 'circuit_breaker_open', 'schema_drift'),
      webhookUrl: fc.constantFrom('http://127.0.0.1:50909/hook', 'http://127.0.0.2:50909/hook?for=us'),
      enabled: fc.boolean(),
      threshold: fc.constantFrom(null, 0, 0.25),
      minCalls: limit,
    }),
  ),
  // Twins among them.
  schedules: fc.array(
    some(
      {
        targetType: fc.constant('client'),
        clientName: name,
        action: fc.constantFrom('enable', 'disable'),
        cron: fc.constantFrom('0 3 * * *', '0   3 * * *', '*/5 * 1-7 * mon'),
        timezone: fc.constantFrom('UTC', 'Europe/Berlin'),
        enabled: fc.boolean(),
        note: fc.option(fc.string({ maxLength: 9 })),
      },
      ['targetType', 'clientName', 'action', 'cron'],
    ),
    { maxLength: 4 },
  ),
  catalogEntries: named(
    fc.record({
      slug: fc.constantFrom('my-a', 'my-b'),
      name: label,
      kind: fc.constant('rest'),
      openapiUrl: fc.constant('http://127.0.0.1:50909/spec.json'),
      featured: fc.boolean(),
    }),
    'slug',
  ),
})

it('comes out of an empty gateway as it went in (security case ST-13) [ct.12.bytes ct.12.names ct.12.defaults ct.19.27.config]', async () => {
  await fc.assert(
    fc.asyncProperty(configuration, async (sections) => {
      const [first, second] = [await openGateway(), await openGateway()]
      try {
        const made = await first.import(document(sections), { registerClients: true })
        expect(made.applied).toMatchObject({ clients: { created: sections.clients.length } })
        const out = await first.export()
        expect((await first.export()).text).toBe(out.text)
        const answer = await second.import(JSON.parse(out.text), { registerClients: true, mode: 'replace' })
        expect(answer.skipped).toEqual([])
        const again = await second.export()
        expect(again.text).toBe(out.text)
        expect(again.headers.etag).toBe(out.headers.etag)
        // A second time there is nothing to do, whichever way it is asked for.
        for (const mode of ['merge', 'replace'])
          expect((await second.import(JSON.parse(out.text), { mode })).changes).toEqual([])
      } finally {
        await Promise.all([first.close(), second.close()])
      }
    }),
    { numRuns: Number(process.env.GANTRY_FUZZ_RUNS ?? 12) },
  )
})
