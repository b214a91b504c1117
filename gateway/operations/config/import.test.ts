// A document into the configuration: refused whole, tried, merged or replacing, in one transaction.
import { describe, expect, it } from 'vitest'
import { backend, document, type Thing, usePets } from './config.fixture.ts'

const HEX = 'c'.repeat(64)
const PETS = { client: 'pets', tool: 'get_pet' }
const schedule = (clientName: string, over: object = {}) => ({
  targetType: 'client',
  clientName,
  action: 'disable',
  cron: '0 3 * * *',
  ...over,
})
const gateway = usePets()
const { exported, clientOf, configure, configOf, refusal, snapshots } = gateway

describe('a document that cannot be used', () => {
  it.each([
    ['no version', {}, 'IMPORT_ERROR'],
    ['another kind', { kind: 'compose', version: 1 }, 'IMPORT_ERROR'],
    ['another version', { kind: 'gantry.config', version: 2 }, 'UNSUPPORTED_VERSION'],
    ['a version as text', { version: '1' }, 'UNSUPPORTED_VERSION'],
    ['a section that is no list', document({ bundles: {} }), 'IMPORT_ERROR'],
    ['a name twice', document({ teams: [{ name: 'x' }, { name: 'x' }] }), 'IMPORT_ERROR'],
    ['a value out of range', document({ consumers: [{ name: 'x', monthlyQuota: -1 }] }), 'IMPORT_ERROR'],
    [
      'a registration under another name',
      document({ clients: [{ name: 'a', registration: backend('b') }] }),
      'IMPORT_ERROR',
    ],
    [
      'a pattern that may not run',
      document({ clients: [{ name: 'pets', tools: [{ name: 'get_pet', guardrails: { denyPatterns: ['(?=x)'] } }] }] }),
      'IMPORT_ERROR',
    ],
    [
      'a composite that makes no sense',
      document({
        composites: [{ name: 'c', steps: [{ targetClient: 'pets', targetTool: 'get_pet', when: '${steps.9.text}' }] }],
      }),
      'IMPORT_ERROR',
    ],
    [
      'a secret in the open',
      document({ clients: [{ name: 'pets', upstreamAuth: { type: 'bearer', token: 'hunter2' } }] }),
      'IMPORT_ERROR',
    ],
    [
      'a secret from elsewhere in the environment',
      document({ clients: [{ name: 'pets', upstreamAuth: { type: 'bearer', token: { $env: 'ADMIN_API_KEYS' } } }] }),
      'IMPORT_ERROR',
    ],
    [
      'a program to be started',
      document({ clients: [{ name: 'x', registration: { ...backend('x'), command: 'sh' } }] }),
      'VALIDATION_ERROR',
    ],
  ])(
    '%s is refused, and nothing of it is done [ct.12.versions ct.18.import_error ct.18.unsupported_version]',
    async (_what, data, code) => {
      const before = (await gateway.export()).text
      const [status, answer, message] = await refusal(
        { ...data, guardPolicies: [{ name: 'kept out' }] },
        { registerClients: true },
      )
      expect([status, answer]).toEqual([400, code])
      expect(String(message)).not.toContain('hunter2')
      expect((await gateway.export()).text).toBe(before)
    },
  )

  it('is reported by the names in it', async () => {
    const { json } = await gateway.ask('POST', '/admin-api/config/import?confirm=true', {
      data: document({ clients: [{ name: 'pets', tools: [{ name: 'get_pet', guards: { timeoutMs: 0 } }] }] }),
    })
    expect(json).toMatchObject({ error: { fields: [{ path: 'clients.pets.tools.get_pet.guards.timeoutMs' }] } })
  })

  it.each([
    ['no YAML', { format: 'yaml', raw: 'a: [' }, 'IMPORT_ERROR'],
    ['an unknown field beside it', { data: document({}), force: true }, 'VALIDATION_ERROR'],
    ['an unknown mode', { data: document({}), mode: 'overwrite' }, 'VALIDATION_ERROR'],
    ['data and text at once', { data: document({}), format: 'yaml', raw: 'version: 1' }, 'VALIDATION_ERROR'],
  ])('%s is refused', async (_what, body, code) => {
    const { status, json } = await gateway.ask('POST', '/admin-api/config/import?confirm=true', body)
    expect([status, (json.error as Thing).code]).toEqual([400, code])
  })

  it('is refused when it is larger than a registration may be, and taken up to that [ct.1.3.import-body]', async () => {
    const filled = (bytes: number) => document({ gadgets: 'x'.repeat(bytes) })
    expect((await gateway.ask('POST', '/admin-api/config/import?confirm=true', { data: filled(190_000) })).status).toBe(
      200,
    )
    expect((await gateway.ask('POST', '/admin-api/config/import?confirm=true', { data: filled(210_000) })).status).toBe(
      413,
    )
  })
})

describe('an import', () => {
  it('merges: named items are created or changed, the rest stays, and all is reported [ct.12.merge ct.7.8.import ct.10.10.import ct.10.10.diff]', async () => {
    await gateway.must('POST', '/admin-api/bundles', { name: 'mine', tools: [PETS] })
    await configure('get_pet', { sensitive: true, guards: { timeoutMs: 9 } })
    const answer = await gateway.import(
      document({
        clients: [{ name: 'pets', tags: ['b', 'a'], tools: [{ name: 'get_pet', guards: { rateLimitPerMin: 5 } }] }],
        bundles: [{ name: 'theirs', tools: [PETS] }],
        consumers: [{ name: 'ci', monthlyQuota: 7 }],
      }),
    )
    expect(answer).toMatchObject({ dryRun: false, mode: 'merge', skipped: [], needsSecret: [] })
    expect(answer.applied).toMatchObject({
      clients: { created: 0, updated: 1, deleted: 0, unchanged: 0 },
      tools: { updated: 1 },
      bundles: { created: 1, updated: 0, deleted: 0, unchanged: 0 },
      consumers: { created: 1 },
    })
    expect(answer.changes).toEqual([
      {
        path: '/bundles/theirs',
        kind: 'added',
        before: null,
        after: { name: 'theirs', description: null, enabled: true, listMode: 'full', tools: [PETS], composites: [] },
      },
      { path: '/clients/pets/tags', kind: 'changed', before: [], after: ['a', 'b'] },
      {
        path: '/clients/pets/tools/get_pet/guards',
        kind: 'changed',
        before: { timeoutMs: 9 },
        after: { rateLimitPerMin: 5, timeoutMs: 9 },
      },
      {
        path: '/consumers/ci',
        kind: 'added',
        before: null,
        after: { name: 'ci', monthlyQuota: 7, endUserRateLimitPerMin: null },
      },
    ])
    expect(await configOf('get_pet')).toMatchObject({ sensitive: true, guards: { timeoutMs: 9, rateLimitPerMin: 5 } })
    // Live, and not only stored.
    const { items } = (await gateway.must('GET', '/admin-api/bundles')) as { items: Thing[] }
    expect(items.map(({ name }) => name)).toEqual(['mine', 'theirs'])
  })

  it('leaves items out: those stay as they are, also where it replaces', async () => {
    await gateway.must('POST', '/admin-api/policies', { name: 'strict', timeoutMs: 5 })
    await gateway.must('POST', '/admin-api/policies', { name: 'spare', timeoutMs: 5 })
    await configure('get_pet', { sensitive: true })
    const data = document({
      clients: [{ name: 'pets', tools: [] }],
      guardPolicies: [
        { name: 'strict', timeoutMs: 9 },
        { name: 'unwanted', timeoutMs: 9 },
      ],
    })
    const leaveOut = ['/guardPolicies/strict', '/guardPolicies/unwanted', '/clients/pets/tools/get_pet']
    const answer = await gateway.import(data, { mode: 'replace', leaveOut })
    expect((answer.changes as { path: string }[]).map(({ path }) => path)).toEqual(['/guardPolicies/spare'])
    expect(await exported('?sections=guardPolicies')).toMatchObject({
      guardPolicies: [{ name: 'strict', timeoutMs: 5 }],
    })
    expect((await clientOf()).tools).toEqual([{ name: 'get_pet', sensitive: true }])
  })

  it('replaces: of the sections it has, what it does not name goes, but no backend and no team in use [ct.12.replace]', async () => {
    const team = await gateway.must('POST', '/admin-api/teams', { name: 'Blue' })
    await gateway.must('POST', '/admin-api/teams', { name: 'Empty' })
    await gateway.must('PUT', '/admin-api/clients/pets/team', { teamId: team.id })
    await gateway.must('POST', '/admin-api/policies', { name: 'strict', timeoutMs: 5 })
    await gateway.must('POST', '/admin-api/consumers', { name: 'ci' })
    await gateway.must('POST', '/register', backend('other'))
    await configure('get_pet', { sensitive: true })
    await configure('list_pets', { enabled: false })
    const answer = await gateway.import(
      document({
        clients: [{ name: 'pets', tools: [{ name: 'get_pet', redactPaths: ['a'] }] }],
        teams: [],
        guardPolicies: [],
      }),
      { mode: 'replace' },
    )
    expect(answer.skipped).toEqual([{ type: 'teams', id: 'Blue', reason: expect.stringContaining('in use') }])
    expect(answer.applied).toMatchObject({
      clients: { deleted: 0, unchanged: 2 },
      tools: { updated: 1, deleted: 1 },
      teams: { deleted: 1, unchanged: 1 },
      guardPolicies: { deleted: 1 },
      consumers: { deleted: 0 },
    })
    expect(await exported('?sections=teams,consumers,guardPolicies')).toMatchObject({
      teams: [{ name: 'Blue' }],
      consumers: [{ name: 'ci' }],
      guardPolicies: [],
    })
    expect((await clientOf()).tools).toEqual([{ name: 'get_pet', redactPaths: ['a'] }])
    expect(await clientOf('other')).toMatchObject({ name: 'other' })
  })

  it('creates alert rules whose webhooks may be dialled, again where their event differs, and removes what is not named', async () => {
    const rule = (name: string, over: object = {}) => ({
      name,
      eventType: 'error_rate',
      webhookUrl: 'http://127.0.0.1:50909/hook',
      ...over,
    })
    const inside = { webhookUrl: 'http://169.254.169.254/' }
    const answer = await gateway.import(
      document({
        alertRules: [rule('a'), rule('b', { client: 'pets' }), rule('c', inside), rule('d', { client: 'no' })],
      }),
    )
    expect(answer).toMatchObject({ applied: { alertRules: { created: 2 } } })
    expect((answer.skipped as Thing[]).map(({ type, id }) => `${type} ${id}`)).toEqual(['alertRules c', 'alertRules d'])
    const moved = document({ alertRules: [rule('a', { eventType: 'usage_spike', threshold: 5 })] })
    expect(await gateway.import(moved, { mode: 'replace' })).toMatchObject({
      skipped: [],
      applied: { alertRules: { created: 0, updated: 1, deleted: 1 } },
    })
    expect((await gateway.must('GET', '/admin-api/alerts')).items).toMatchObject([
      { name: 'a', eventType: 'usage_spike', threshold: 5, client: null, state: 'ok' },
    ])
  })

  it('makes schedules, known by what they do and when, and takes back what is not named', async () => {
    const nightly = schedule('pets')
    const twin = { ...nightly, note: 'the same again', enabled: false }
    const ofTool = { ...schedule('pets'), targetType: 'tool', toolName: 'get_pet' }
    const answer = await gateway.import(
      document({ schedules: [nightly, twin, ofTool, { ...ofTool, toolName: 'nope' }, schedule('away')] }),
    )
    expect(answer).toMatchObject({ applied: { schedules: { created: 3 } } })
    expect((answer.skipped as Thing[]).map(({ id, reason }) => [id, reason])).toEqual([
      ['away disable 0 3 * * * UTC', 'there is no backend "away"'],
      ['pets nope disable 0 3 * * * UTC', '"pets" has no tool "nope"'],
    ])
    const { schedules } = (await exported('?sections=schedules')) as { schedules: Thing[] }
    expect(schedules).toMatchObject([twin, nightly, { toolName: 'get_pet', timezone: 'UTC', note: null }])
    const kept = document({ schedules: [{ ...nightly, note: 'kept' }] })
    expect(await gateway.import(kept, { mode: 'replace' })).toMatchObject({
      skipped: [],
      applied: { schedules: { created: 0, updated: 1, deleted: 2, unchanged: 0 } },
    })
    expect((await gateway.must('GET', '/admin-api/schedules')).items).toMatchObject([
      { ...nightly, note: 'kept', nextRunAt: expect.stringMatching(/T03:00:00.000Z$/) },
    ])
  })

  it.each([
    ['an invalid cron', { cron: '61 * * * *' }, 'cron: minute: "61" must be 0 to 59'],
    ['a day that never comes', { cron: '0 0 30 2 *' }, 'cron: names no day that ever comes'],
    ['a zone of another planet', { timezone: 'Mars/Olympus' }, 'timezone: must be an IANA time zone'],
    ['a tool without a name', { targetType: 'tool' }, 'toolName: must name the tool'],
  ])('refuses a schedule of %s', async (_case, over, why) => {
    const { status, json } = await gateway.ask('POST', '/admin-api/config/import?confirm=true', {
      data: document({ schedules: [schedule('pets', over)] }),
    })
    expect([status, json]).toMatchObject([
      400,
      { error: { code: 'IMPORT_ERROR', message: expect.stringContaining(why) } },
    ])
  })

  it('leaves out what it does not support, and reports it [ct.12.unknown]', async () => {
    const answer = await gateway.import(
      document({
        gadgets: [],
        schedules: [schedule('away')],
        clients: [
          {
            name: 'pets',
            colour: 'red',
            canary: { secondaryBaseUrl: 'http://169.254.169.254/' },
            tools: [{ name: 'get_pet', flavour: 'sweet', sensitive: true }, { name: 'nope' }],
          },
        ],
        bundles: [{ name: 'b', tools: [PETS, { client: 'pets', tool: 'nope' }], composites: ['none'] }],
        composites: [{ name: 'c', steps: [{ targetClient: 'away', targetTool: 'x' }] }],
        catalogEntries: [{ slug: 'x', name: 'X', kind: 'rest', openapiUrl: 'ftp://example.com/x' }],
      }),
    )
    expect((answer.skipped as Thing[]).map(({ type, id }) => `${type} ${id}`).sort()).toEqual([
      'bundles b',
      'bundles b',
      'catalogEntries x',
      'clients pets',
      'clients pets',
      'composites c',
      'document gadgets',
      'schedules away disable 0 3 * * * UTC',
      'tools pets__get_pet',
      'tools pets__nope',
    ])
    expect(await configOf('get_pet')).toMatchObject({ sensitive: true })
    expect(await exported('?sections=bundles')).toMatchObject({
      bundles: [{ name: 'b', tools: [PETS], composites: [] }],
    })
  })

  it('registers backends only when it is asked to [ct.12.register]', async () => {
    const data = document({
      clients: [
        { name: 'new', registration: backend('new'), enabled: false },
        { name: 'pets', registration: backend('pets', ['get_pet', 'another']) },
      ],
    })
    const held = await gateway.import(data)
    expect((held.skipped as Thing[]).map(({ id }) => id)).toEqual(['new', 'pets'])
    expect((await gateway.ask('GET', '/admin-api/clients/new')).status).toBe(404)
    const tried = await gateway.import(data, { registerClients: true, dryRun: true })
    expect((await gateway.ask('GET', '/admin-api/clients/new')).status).toBe(404)
    const answer = await gateway.import(data, { registerClients: true })
    expect(tried).toEqual({ ...answer, dryRun: true })
    expect(answer).toMatchObject({ skipped: [], applied: { clients: { created: 1, updated: 1 } } })
    expect(await gateway.must('GET', '/admin-api/clients/new')).toMatchObject({
      enabled: false,
      live: true,
      toolsCount: 2,
    })
    const unreachable = document({
      clients: [{ name: 'gone', registration: { name: 'gone', openapi_url: 'http://127.0.0.1:50909/spec.json' } }],
    })
    expect(await gateway.import(unreachable, { registerClients: true })).toMatchObject({
      skipped: [{ type: 'clients', id: 'gone', reason: expect.stringContaining('could not be registered') }],
    })
  })

  it('keeps a secret that is stored, and names the place of one that is not [ct.12.needs-secret]', async () => {
    const $secret = 'clients/pets/upstream-auth'
    const data = document({ clients: [{ name: 'pets', upstreamAuth: { $secret } }] })
    expect(await gateway.import(data)).toMatchObject({ needsSecret: [$secret], changes: [] })
    await gateway.must('PUT', '/admin-api/clients/pets/upstream-auth', { type: 'bearer', token: 'kept' })
    expect(await gateway.import(data)).toMatchObject({ needsSecret: [], changes: [] })
    expect(await gateway.must('GET', '/admin-api/clients/pets/upstream-auth')).toMatchObject({ configured: true })
    expect(await gateway.import(document({ clients: [{ name: 'pets', upstreamAuth: null }] }))).toMatchObject({
      changes: [{ path: '/clients/pets/upstreamAuth', before: { $secret }, after: null }],
    })
    expect(await gateway.must('GET', '/admin-api/clients/pets/upstream-auth')).toMatchObject({ configured: false })
  })

  it('reads a secret from the environment of the gateway, by names that start with GANTRY_SECRET_ [ct.12.env ct.17.env-references]', async () => {
    const data = (name: string) =>
      document({
        clients: [{ name: 'pets', upstreamAuth: { type: 'header', headerName: 'X-Key', value: { $env: name } } }],
      })
    expect(await gateway.import(data('GANTRY_SECRET_ABSENT'))).toMatchObject({
      needsSecret: ['clients/pets/upstream-auth'],
      skipped: [{ reason: expect.stringContaining('GANTRY_SECRET_ABSENT is not set') }],
    })
    const answer = await gateway.import(data('GANTRY_SECRET_PETS'))
    expect(JSON.stringify(answer)).not.toContain('a token of the tests')
    expect(answer).toMatchObject({
      needsSecret: [],
      changes: [{ path: '/clients/pets/upstreamAuth' }, { path: '/clients/pets/upstreamAuth/secret' }],
    })
    expect(await gateway.must('GET', '/admin-api/clients/pets/upstream-auth')).toMatchObject({
      type: 'header',
      headerName: 'X-Key',
    })
    const { revision } = await gateway.must('GET', '/admin-api/clients/pets')
    expect(await gateway.import(data('GANTRY_SECRET_PETS'))).toMatchObject({ changes: [] })
    expect((await gateway.must('GET', '/admin-api/clients/pets')).revision).toBe(revision)
  })

  it('is one transaction, and a dry run reports the same and writes nothing [ct.12.transaction]', async () => {
    const data = document({
      teams: [{ name: 'Green' }],
      guardPolicies: [{ name: 'p', timeoutMs: 3 }],
      clients: [{ name: 'pets', team: 'Green', tools: [{ name: 'get_pet', enabled: false }] }],
    })
    const [before, count] = [(await gateway.export()).text, (await snapshots()).length]
    const tried = await gateway.import(data, { dryRun: true })
    expect((await gateway.export()).text).toBe(before)
    expect(await snapshots()).toHaveLength(count)
    expect(tried).toEqual({ ...(await gateway.import(data)), dryRun: true })
    // Wrong at its very end, and nothing of its beginning is there.
    const after = (await gateway.export()).text
    const [status] = await refusal(
      document({
        teams: [{ name: 'Red' }],
        composites: [{ name: 'search_tools', steps: [{ targetClient: 'pets', targetTool: 'get_pet' }] }],
      }),
    )
    expect(status).toBe(400)
    expect((await gateway.export()).text).toBe(after)
  })

  it('goes ahead only on the configuration that was seen, when its hash is named', async () => {
    const { headers } = await gateway.export()
    const send = (etag: string) =>
      gateway.ask('POST', '/admin-api/config/import?confirm=true', document({ teams: [{ name: 'Late' }] }), {
        'if-match': etag,
      })
    expect((await send('"7"')).status).toBe(400)
    expect((await send(`"${HEX}"`)).status).toBe(412)
    expect((await send(String(headers.etag))).status).toBe(200)
    expect((await send(String(headers.etag))).status).toBe(412)
  })

  it('takes the bare document with its wishes in the query, YAML text, and a document that says no kind', async () => {
    const bare = await gateway.must('POST', '/admin-api/config/import?dryRun=true&mode=replace&confirm=true', {
      version: 1,
      teams: [{ name: 'T' }],
    })
    expect(bare).toMatchObject({ dryRun: true, mode: 'replace', applied: { teams: { created: 1 } } })
    const raw = 'version: 1\nteams:\n  - name: Typed\n'
    expect(await gateway.must('POST', '/admin-api/config/import?confirm=true', { format: 'yaml', raw })).toMatchObject({
      applied: { teams: { created: 1 } },
    })
  })
})
