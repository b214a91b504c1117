// Composites over real sockets: several tools as one, each step under the whole guard stack, reached through a bundle and nowhere else.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callsWhere, compositeInABundle, FIRST, type Fields, SECOND, step } from './composites.fixture.ts'
import { body, callIn, change, code, custom, listed, type Mall, make, member, startMall } from './curation.fixture.ts'
import { configure, failureOf, openSession, refusalOf, rpc } from './data-plane.fixture.ts'

let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall({ RETRY_MAX_ATTEMPTS: '0' })
})
afterAll(() => mall.end())

const create = (given: object) => mall.gateway.admin('/admin-api/composites', { method: 'POST', body: given })
const aComposite = (given: object) => compositeInABundle(mall.gateway, given)
const rowsOf = async (query: string) => {
  // A read of the call log waits for the rows of the calls before it.
  await mall.gateway.admin('/admin-api/calls?limit=1')
  return callsWhere(mall.gateway, query)
}

beforeEach(() => {
  mall.shop.seen.length = 0
  mall.bank.seen.length = 0
})

describe('a composite', () => {
  it('runs its steps in order, each answer feeding the next, as one tool [gw.bundles.composite ct.5.8.composite ct.10.8.rows ct.10.8.templates]', async () => {
    const { name, bundle } = await aComposite({
      inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      steps: [FIRST, SECOND],
      output: { first: { $ref: 'steps.pet.json.url' }, second: 'at ${steps.1.json.url}' },
    })
    const result = await callIn(mall.gateway, bundle, name, { id: 3 })
    expect(result.structuredContent).toEqual({ first: '/pets/3', second: 'at /pets/5' })
    expect(result.content).toEqual([{ type: 'text', text: '{"first":"/pets/3","second":"at /pets/5"}' }])
    expect([mall.shop.seen, mall.bank.seen]).toEqual([['GET /pets/3'], ['GET /pets/5']])
    const { request_id } = result._meta['gantry/call'] ?? {}
    expect(await rowsOf(`request_id = '${String(request_id)}'`)).toMatchObject([
      { surface: 'composite', bundle, client: 'petstore', tool: 'getPetById', outcome: 'success' },
      { surface: 'composite', bundle, client: 'bank', tool: 'getPetById', outcome: 'success' },
      { surface: 'bundle', bundle, client: null, tool: name, called_as: name, outcome: 'success' },
    ])
    // Its own arguments are looked at before any step is.
    const invalid = await callIn(mall.gateway, bundle, name, { id: 'x' })
    expect([failureOf(invalid).kind, mall.shop.seen.length]).toEqual(['invalid_arguments', 1])
  })

  it('without an output answers what its last step answered', async () => {
    const { name, bundle } = await aComposite({ steps: [{ ...FIRST, when: false }, step('bank', 'ok')] })
    const result = await callIn(mall.gateway, bundle, name)
    expect([result.structuredContent, mall.shop.seen]).toEqual([{ ok: true }, []])
    const none = await aComposite({ steps: [step('bank', 'ok', {}, { when: { $ref: 'input.nope' } })] })
    expect((await callIn(mall.gateway, none.bundle, none.name)).content).toMatchObject([
      { text: 'Every step was skipped.' },
    ])
  })

  it('stops at the first error, with its number, its target and the code of a refusal [ct.10.8.stop]', async () => {
    const { name, bundle } = await aComposite({
      steps: [step('bank', 'ok'), step('petstore', 'deletePet', { id: 1 }), step('bank', 'ok')],
    })
    await configure(mall.gateway, 'deletePet', { sensitive: true })
    const result = await callIn(mall.gateway, bundle, name)
    expect(refusalOf(result)).toMatchObject({
      code: 'confirm_required',
      gate: 'confirmation',
      tool: name,
      details: { step: 2 },
    })
    expect(result.content[0]?.text).toMatch(
      /^Step 2 \(petstore__deletePet\) failed: Tool 'petstore__deletePet' is sensitive/,
    )
    expect([mall.bank.seen, mall.shop.seen]).toEqual([['GET /ok'], []])
    const failing = await aComposite({ steps: [step('petstore', 'broken'), step('bank', 'ok')] })
    const failed = await callIn(mall.gateway, failing.bundle, failing.name)
    expect(failed.content[0]?.text).toBe('Step 1 (petstore__broken) failed: HTTP 500 from petstore: broken')
    expect([failed.structuredContent, failureOf(failed)]).toEqual([
      undefined,
      expect.objectContaining({ kind: 'upstream_status', status: 500, details: { step: 1 } }),
    ])
  })

  it('goes on where a step is configured so, and a later one can ask how it went [ct.10.8.step]', async () => {
    const { name, bundle } = await aComposite({
      steps: [
        step('petstore', 'broken', {}, { id: 'try', onError: 'continue' }),
        step('bank', 'ok', {}, { when: { $ref: 'steps.try.isError' } }),
        step('bank', 'notfound', {}, { when: { $ref: 'steps.try.skipped' } }),
      ],
      output: {
        failed: { $ref: 'steps.try.isError' },
        text: '${steps.try.text}',
        skipped: { $ref: 'steps.2.skipped' },
      },
    })
    const result = await callIn(mall.gateway, bundle, name)
    expect(result.structuredContent).toEqual({ failed: true, text: 'HTTP 500 from petstore: broken', skipped: true })
    expect(mall.bank.seen).toEqual(['GET /ok'])
  })

  it('passes __confirm to its steps, and a template cannot confirm on behalf of a caller (security case AN-17) [ct.5.7.composite]', async () => {
    await configure(mall.gateway, 'deletePet', { sensitive: true })
    const { name, bundle } = await aComposite({
      steps: [step('petstore', 'deletePet', { id: { $ref: 'input.id' }, __confirm: true })],
    })
    expect(refusalOf(await callIn(mall.gateway, bundle, name, { id: 1 }))).toMatchObject({ code: 'confirm_required' })
    expect((await callIn(mall.gateway, bundle, name, { id: 1, __confirm: true })).isError).toBeUndefined()
    expect(mall.shop.seen).toEqual(['DELETE /pets/1'])
    // Nor does it see what was sent to Gantry.
    const echo = await aComposite({ steps: [step('bank', 'ok')], output: { $ref: 'input' } })
    const printed = await callIn(mall.gateway, echo.bundle, echo.name, {
      a: 1,
      __confirm: true,
      __end_user: 'u',
      __approval_id: 3,
    })
    expect(printed.structuredContent).toEqual({ a: 1 })
  })

  it('is reached through a bundle that lists it, and nowhere else [gw.bundles.composite-only ct.5.8.unknown_tool]', async () => {
    const { name, bundle } = await aComposite({ steps: [FIRST] })
    await make(mall.gateway, 'bundles', { name: `without-${name}`, tools: [member('petstore', 'ok')] })
    for (const path of ['/mcp/petstore', custom(`without-${name}`)]) {
      expect(await listed(mall.gateway, path)).not.toContain(name)
      const { json } = await rpc(mall.gateway, 'tools/call', { name }, { path })
      expect(json).toMatchObject({ result: { structuredContent: { code: 'unknown_tool' } } })
    }
    await change(mall.gateway, `/admin-api/composites/${name}`, { enabled: false })
    expect(await listed(mall.gateway, custom(bundle))).toEqual([])
    const hidden = await callIn(mall.gateway, bundle, name)
    const nothing = await callIn(mall.gateway, bundle, 'nothing')
    const bare = (result: typeof hidden) =>
      JSON.stringify(result)
        .replaceAll(name, 'nothing')
        .replaceAll(/"request_id":"[^"]*"/g, '')
    expect(bare(hidden)).toEqual(bare(nothing))
  })

  it('is listed after the tools, with the hints of its steps, and keeps its name before an alias [ct.5.11.composite]', async () => {
    await configure(mall.gateway, 'deletePet', { sensitive: null })
    const reads = await aComposite({ description: 'Reads', steps: [FIRST, SECOND] })
    const writes = await aComposite({ steps: [FIRST, step('petstore', 'deletePet', { id: 1 })] })
    await configure(mall.gateway, 'addPet', { overrides: { displayName: reads.name } })
    await make(mall.gateway, 'bundles', {
      name: 'mixed',
      tools: [member('petstore', 'addPet'), member('petstore', 'getPetById')],
      composites: [writes.name, reads.name],
    })
    const { json } = await rpc(mall.gateway, 'tools/list', {}, { path: custom('mixed') })
    const { result } = json as { result: { tools: Fields[] } } // a list
    expect(result.tools.map(({ name }) => name)).toEqual([
      'petstore__addPet',
      'petstore__getPetById',
      ...[reads.name, writes.name].sort(),
      'search_tools',
    ])
    const found = (name: string) => result.tools.find((tool) => tool.name === name)
    expect(found(reads.name)).toEqual({
      name: reads.name,
      title: expect.any(String),
      description: 'Reads',
      inputSchema: { type: 'object', properties: {} },
      annotations: {
        title: expect.any(String),
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      },
    })
    expect(found(writes.name)?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    })
    const preview = body(await mall.gateway.admin('/admin-api/bundles/mixed/preview'))
    expect(preview.tools).toContainEqual(expect.objectContaining({ client: null, tool: reads.name }))
    expect(preview.clashes).toEqual([{ name: reads.name, tools: [member('petstore', 'addPet')] }])
    const search = await callIn(mall.gateway, 'mixed', 'search_tools', { query: reads.name })
    expect(search.structuredContent).toMatchObject({ matches: [{ name: reads.name }] })
    // A step that became sensitive makes the whole destructive, and takes the confirmation.
    await configure(mall.gateway, 'getPetById', { sensitive: true })
    const again = await rpc(mall.gateway, 'tools/list', {}, { path: custom('mixed') })
    expect(again.text).toContain(`"name":"${reads.name}"`)
    const after = (again.json as { result: { tools: Fields[] } }).result.tools.find(({ name }) => name === reads.name)
    expect(after).toMatchObject({
      annotations: { destructiveHint: true, readOnlyHint: false },
      inputSchema: { properties: { __confirm: {} } },
    })
    await configure(mall.gateway, 'getPetById', { sensitive: null })
    await configure(mall.gateway, 'addPet', { overrides: null })
  })

  it('reports its progress step by step', async () => {
    const { name, bundle } = await aComposite({
      steps: [FIRST, SECOND].map((each) => ({ ...each, argsTemplate: { id: 1 } })),
    })
    const answer = await rpc(
      mall.gateway,
      'tools/call',
      { name, arguments: {}, _meta: { progressToken: 'p' } },
      { path: custom(bundle), headers: { accept: 'text/event-stream, application/json' } },
    )
    const messages = answer.text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as Fields)
    expect(messages.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/progress',
      undefined,
    ])
    expect(messages[1]?.params).toEqual({ progressToken: 'p', progress: 2, total: 2, message: 'bank__getPetById' })
  })

  it('ends with the call that asked for it: no further step is taken', async () => {
    const { name, bundle } = await aComposite({ steps: [step('petstore', 'hang'), step('bank', 'ok')] })
    const path = custom(bundle)
    const session = await openSession(mall.gateway, '2025-11-25', path)
    const calling = rpc(mall.gateway, 'tools/call', { name }, { path, headers: session, id: 77 })
    await expect.poll(() => mall.shop.seen).toEqual(['GET /hang'])
    await mall.gateway.ask(path, {
      method: 'POST',
      headers: session,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } },
    })
    expect((await calling).status).toBe(202)
    await expect
      .poll(async () => (await rowsOf(`tool = '${name}'`)).map(({ outcome }) => outcome))
      .toEqual(['cancelled'])
    expect(mall.bank.seen).toEqual([])
  })

  it('may not take longer than its steps together', async () => {
    await configure(mall.gateway, 'drip', { guards: { timeoutMs: 300 } })
    const { name, bundle } = await aComposite({ steps: [step('petstore', 'drip'), step('bank', 'ok')] })
    const result = await callIn(mall.gateway, bundle, name)
    expect(failureOf(result)).toMatchObject({ kind: 'timeout' })
    expect(mall.bank.seen).toEqual([])
    await configure(mall.gateway, 'drip', { guards: null })
  })
})

describe('a composite is managed', () => {
  it('by what it may be made of (security case CA-11) [ct.7.4.composite-create ct.10.8.input ct.1.2.composite-separator ct.1.2.search_tools-composite ct.10.8.paths ct.10.8.no-nesting ct.18.invalid_name ct.18.unknown_tool ct.18.invalid_steps ct.18.invalid_schema]', async () => {
    const codes = async (given: object) => {
      const answer = await create({ name: 'macro', steps: [FIRST], ...given })
      return [answer.status, code(answer)]
    }
    for (const name of ['two__parts', 'search_tools', 'Upper', ''])
      expect(await codes({ name })).toEqual([400, 'INVALID_NAME'])
    for (const inputSchema of [
      { type: 'array' },
      {},
      { type: 'object', properties: { a: { type: 'nonsense' } } },
      { type: 'object', $ref: 'https://elsewhere' },
    ])
      expect([inputSchema, await codes({ inputSchema })]).toEqual([inputSchema, [400, 'INVALID_SCHEMA']])
    for (const steps of [
      [SECOND, FIRST],
      [FIRST, FIRST],
      [step('petstore', 'ok', { a: { $ref: 'steps.0.text' } })],
      [step('petstore', 'ok', { a: '${nowhere}' })],
      [step('petstore', 'ok', {}, { when: '${input.a' })],
    ])
      expect(await codes({ steps })).toEqual([400, 'INVALID_STEPS'])
    expect(await codes({ output: { $ref: 'steps.9.text' } })).toEqual([400, 'INVALID_STEPS'])
    for (const steps of [
      [],
      Array.from({ length: 21 }, () => step('petstore', 'ok')),
      [{ targetClient: 'petstore' }],
      [step('petstore', 'ok', {}, { id: 'Upper' })],
    ])
      expect(await codes({ steps })).toEqual([400, 'VALIDATION_ERROR'])
    const { name } = await aComposite({ steps: [FIRST] })
    for (const [client, tool] of [
      ['petstore', 'nope'],
      ['missing', 'ok'],
      ['petstore', name],
      [name, name],
    ] as const) {
      const answer = await create({ name: 'macro', steps: [step(client, tool)] })
      expect(body(answer).error).toMatchObject({ code: 'UNKNOWN_TOOL', details: { missing: [{ client, tool }] } })
    }
    expect((await mall.gateway.admin('/admin-api/composites/macro')).status).toBe(404)
    expect(await codes({ name })).toEqual([409, 'ALREADY_EXISTS'])
    // A bundle and a backend may have the same name.
    expect(await codes({ name: 'petstore' })).toEqual([201, undefined])
  })

  it('read, listed, changed and removed, from its bundles too [ct.7.4.composites ct.7.4.composite ct.10.8.summary ct.18.composite_not_found ct.1.2.own-namespaces ct.13.2.bundle]', async () => {
    const { name, bundle } = await aComposite({ description: 'Old', steps: [FIRST, SECOND] })
    const path = `/admin-api/composites/${name}`
    const read = await mall.gateway.admin(path)
    expect(read.json).toMatchObject({
      name,
      enabled: true,
      stepsCount: 2,
      bundles: [bundle],
      steps: [FIRST, SECOND],
      output: null,
      revision: 1,
    })
    expect(read.headers.get('etag')).toBe('"1"')
    const { items } = body(await mall.gateway.admin(`/admin-api/composites?q=${name}`))
    expect(items).toEqual([
      { name, description: 'Old', enabled: true, stepsCount: 2, approved: null, bundles: [bundle], teamId: null },
    ])
    expect((await change(mall.gateway, path, { description: null }, { 'if-match': '"9"' })).status).toBe(412)
    expect(code(await change(mall.gateway, path, { steps: [SECOND] }))).toBe('INVALID_STEPS')
    expect(body(await change(mall.gateway, path, { description: null, steps: [FIRST] }))).toMatchObject({
      description: null,
      stepsCount: 1,
      revision: 2,
    })
    const session = await openSession(mall.gateway, '2025-11-25', custom(bundle))
    expect(await listed(mall.gateway, custom(bundle), session)).toEqual([name, 'search_tools'])
    expect((await mall.gateway.admin(path, { method: 'DELETE' })).status).toBe(204)
    expect(code(await mall.gateway.admin(path, { method: 'DELETE' }))).toBe('COMPOSITE_NOT_FOUND')
    expect(await listed(mall.gateway, custom(bundle), session)).toEqual([])
    expect(body(await mall.gateway.admin(`/admin-api/bundles/${bundle}`))).toMatchObject({
      composites: [],
      revision: 2,
    })
    for (const [action, target] of [
      ['composite.create', name],
      ['composite.update', name],
      ['composite.delete', name],
      ['bundle.create', bundle],
      ['bundle.update', bundle],
    ]) {
      const { items: entries } = body(
        await mall.gateway.admin(`/admin-api/audit-log?action=${action}&target=${target}`),
      )
      expect([action, (entries as unknown[]).length]).toEqual([action, 1])
    }
    await mall.gateway.admin(`/admin-api/bundles/${bundle}`, { method: 'DELETE' })
    const { items: deleted } = body(
      await mall.gateway.admin(`/admin-api/audit-log?action=bundle.delete&target=${bundle}`),
    )
    expect(deleted).toHaveLength(1)
  })

  it('tried, or only resolved [ct.7.4.composite-test]', async () => {
    const { name } = await aComposite({
      steps: [FIRST, { ...SECOND, onError: 'continue' }, step('petstore', 'broken', {}, { when: false })],
    })
    const tried = (given: object) =>
      mall.gateway.admin(`/admin-api/composites/${name}/test`, { method: 'POST', body: given })
    const ran = body(await tried({ args: { id: 9 } }))
    expect(ran.steps).toMatchObject([
      {
        index: 0,
        client: 'petstore',
        tool: 'getPetById',
        args: { id: 9 },
        outcome: 'success',
        text: expect.stringContaining('Rex'),
      },
      { index: 1, client: 'bank', tool: 'getPetById', args: { id: 5 }, outcome: 'success' },
      { index: 2, outcome: 'skipped', args: {}, text: '' },
    ])
    expect(ran.result).toMatchObject({ structuredContent: { id: 5 } })
    expect(await rowsOf(`tool = '${name}'`)).toMatchObject([{ surface: 'admin', bundle: null, outcome: 'success' }])
    mall.shop.seen.length = 0
    const dry = body(await tried({ args: { id: 9 }, dryRun: true }))
    expect(dry.steps).toMatchObject([
      { args: { id: 9 }, outcome: 'skipped' },
      { args: { id: null }, outcome: 'skipped' },
      { args: {}, outcome: 'skipped' },
    ])
    expect([mall.shop.seen, (await rowsOf(`tool = '${name}'`)).length]).toEqual([[], 1])
    expect(code(await mall.gateway.admin('/admin-api/composites/none/test', { method: 'POST', body: {} }))).toBe(
      'COMPOSITE_NOT_FOUND',
    )
    const { items } = body(await mall.gateway.admin(`/admin-api/audit-log?action=composite.test&target=${name}`))
    expect(items).toHaveLength(2)
  })

  it('a step whose tool is gone is refused as unknown, and the rest is reported so', async () => {
    const gone = {
      name: 'gone',
      base_url: mall.bank.url,
      tools: [{ name: 'x', method: 'GET', endpoint: '/ok', description: 'X' }],
    }
    await mall.gateway.admin('/register', { method: 'POST', body: gone })
    const { name, bundle } = await aComposite({ steps: [step('gone', 'x')] })
    expect((await callIn(mall.gateway, bundle, name)).isError).toBeUndefined()
    await mall.gateway.admin('/admin-api/clients/gone', { method: 'DELETE' })
    const result = await callIn(mall.gateway, bundle, name)
    expect(refusalOf(result)).toMatchObject({ code: 'unknown_tool', details: { step: 1 } })
    expect(result.content[0]?.text).toBe('Step 1 (gone__x) failed: Unknown tool: gone__x')
  })
})
