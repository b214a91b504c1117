// Scripts over real sockets: a reviewed text over tools, as one tool, each of its calls under the whole guard stack of its caller.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { bearer, mint } from './access.fixture.ts'
import { callsWhere, FIRST, type Fields, SECOND, step } from './composites.fixture.ts'
import { body, callIn, change, code, custom, listed, type Mall, make, startMall } from './curation.fixture.ts'
import { configure, failureOf, openSession, type Result, refusalOf, rpc } from './data-plane.fixture.ts'
import { ADMIN_KEY } from './gateway.fixture.ts'

let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall({
    RETRY_MAX_ATTEMPTS: '0',
    SCRIPT_CPU_MS: '300',
    SCRIPT_TIMEOUT_MS: '30000',
    TRAFFIC_CAPTURE: 'true',
  })
})
afterAll(() => mall.end())
beforeEach(() => {
  mall.shop.seen.length = 0
  mall.bank.seen.length = 0
})

const PET = 'petstore__getPetById'
const main = (text: string) => `export default async function (input: Input): Promise<any> ${text}`
const one = (name: string) => `/admin-api/composites/${name}`
const post = (path: string, given: object = {}) => mall.gateway.admin(path, { method: 'POST', body: given })

async function approve(name: string): Promise<void> {
  const { review } = body(await mall.gateway.admin(one(name)))
  const approved = await post(`${one(name)}/approve`, { hash: (review as Fields).hash })
  expect([approved.status, approved.text]).toEqual([200, expect.any(String)])
}

let serial = 0
/** In a bundle of its own, and approved. */
async function aScript(text: string, more: object = {}) {
  serial += 1
  const name = `script${serial}`
  const steps = [step('petstore', 'getPetById'), step('bank', 'ok'), step('petstore', 'broken')]
  await make(mall.gateway, 'composites', { name, steps, script: { source: main(text) }, ...more })
  const bundle = `scripts${serial}`
  await make(mall.gateway, 'bundles', { name: bundle, tools: [], composites: [name] })
  await approve(name)
  return { name, bundle, call: (args: object = {}) => callIn(mall.gateway, bundle, name, args) }
}
const rowsOf = async ({ _meta }: Result) => {
  await mall.gateway.admin('/admin-api/calls?limit=1')
  return callsWhere(mall.gateway, `request_id = '${String(_meta['gantry/call']?.request_id)}'`)
}

describe('a script', () => {
  it('is one tool: its calls feed each other, each with a row and a trace of its own', async () => {
    const { name, call, bundle } = await aScript(
      `{
        const first = await call('${PET}', { id: input.id })
        const rest = await callMany([1, 2].map((id) => ({ tool: '${PET}' as const, args: { id } })))
        return { first: first.url, rest: rest.map((pet) => pet.url) }
      }`,
      {
        inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      },
    )
    const result = await call({ id: 3 })
    expect(result.structuredContent).toEqual({ first: '/pets/3', rest: ['/pets/1', '/pets/2'] })
    const rows = await rowsOf(result)
    const own = rows.at(-1)
    expect(rows).toMatchObject([
      { surface: 'composite', client: 'petstore', tool: 'getPetById', outcome: 'success', trace_id: own?.trace_id },
      { surface: 'composite', client: 'petstore', tool: 'getPetById' },
      { surface: 'composite', client: 'petstore', tool: 'getPetById' },
      { surface: 'bundle', bundle, client: null, tool: name, outcome: 'success' },
    ])
    // Its input is judged before anything of it runs.
    expect(failureOf(await call({ id: 'x' })).kind).toBe('invalid_arguments')
    expect(mall.shop.seen).toHaveLength(3)
  })

  it('ends 31 serial calls as one, as fast as its slowest chain', async () => {
    let most = 0
    let first = true
    const held: (() => void)[] = []
    mall.shop.answer = (_request, response) => {
      const answer = () => void response.setHeader('content-type', 'application/json').end('{"v":1}')
      if (first) {
        first = false
        return answer()
      }
      // No answer before 15 calls are here: serial calls would wait for ever.
      most = Math.max(most, held.push(answer))
      if (held.length === 15) for (const each of held.splice(0)) each()
    }
    try {
      const { call } = await aScript(`{
        const calls = Array.from({ length: 30 }, (_, id) => ({ tool: '${PET}' as const, args: { id } }))
        const root = await call('${PET}', { id: 99 })
        const values = await callMany(calls, { parallel: 15 })
        return { sum: values.reduce((sum, { v }) => sum + v, root.v) }
      }`)
      expect((await call()).structuredContent).toEqual({ sum: 31 })
      expect([mall.shop.seen.length, most]).toEqual([31, 15])
    } finally {
      mall.shop.answer = undefined
    }
  })

  it('reaches the tools of its list, as its caller, and no others', async () => {
    const { call } = await aScript(`{
      const answers = await callMany([{ tool: 'bank__deletePet' as any, args: { id: 1 } }, { tool: 'x' as any, args: {} }], { settle: true })
      return { codes: answers.map((answer: any) => answer.code) }
    }`)
    expect((await call()).structuredContent).toEqual({ codes: ['unknown_tool', 'unknown_tool'] })
    expect(mall.bank.seen).toEqual([])
  })

  it('stops with the error of a call that it does not catch, and passes its code on', async () => {
    const failing = await aScript(`{ await call('bank__ok', {}); return call('petstore__broken', {}) }`)
    const failed = await failing.call()
    expect(failed.content[0]?.text).toBe('Step 2 (petstore__broken) failed: HTTP 500 from petstore: broken')
    expect(failureOf(failed)).toMatchObject({ kind: 'upstream_status', status: 500, details: { step: 2 } })
    const caught = await aScript(
      `{ try { await call('petstore__broken', {}) } catch (error: any) { return { code: error.code } } }`,
    )
    expect((await caught.call()).structuredContent).toEqual({ code: 'upstream_status' })
    const invalid = await aScript(`{ return call('${PET}', { id: 'no' } as any) }`)
    expect(failureOf(await invalid.call())).toMatchObject({ kind: 'invalid_arguments' })
    expect(mall.shop.seen).toEqual(['GET /broken', 'GET /broken'])
  })

  it('fails with its own code, and what it throws, computes or returns against its output schema', async () => {
    const threw = await aScript(`{ throw new Error('not today') }`)
    const result = await threw.call()
    expect([failureOf(result).kind, result.content[0]?.text]).toEqual(['script_error', 'Error: not today (line 1)'])
    const spun = await aScript(`{ for (;;); }`)
    expect(failureOf(await spun.call()).kind).toBe('timeout')
    const typed = await aScript(`{ return { count: input.text } }`, {
      script: {
        source: main(`{ return { count: (input as any).count } }`),
        outputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
      },
    })
    expect((await typed.call({ count: 2 })).structuredContent).toEqual({ count: 2 })
    expect((await typed.call({})).content[0]?.text).toContain('count is required')
    const { json } = await rpc(mall.gateway, 'tools/list', {}, { path: custom(typed.bundle) })
    const { result: list } = json as { result: { tools: Fields[] } } // of tools/list
    expect(list.tools[0]).toMatchObject({ outputSchema: { required: ['count'] } })
  })
})

it('keeps a value for its caller, and passes values of kept ones to tools by their reference', async () => {
  const keeping = await aScript(
    `{ const { $ref, handle } = await keep({ items: [{ id: 41 }] }); return { $ref, handle } }`,
  )
  const kept = (await keeping.call()).structuredContent
  const { handle } = kept as { handle: string }
  const asked = await callIn(mall.gateway, keeping.bundle, 'result_query', { handle, path: 'items.0.id' })
  expect(asked.content[0]?.text).toBe('{"value":41}')
  const using = await aScript(`{ return call('${PET}', { id: { $ref: input.handle + '#/items/0/id' } as any }) }`)
  expect((await using.call({ handle })).structuredContent).toMatchObject({ url: '/pets/41' })
  const wrong = await using.call({ handle: `result:${'x'.repeat(22)}` })
  expect(failureOf(wrong)).toMatchObject({ kind: 'invalid_arguments' })
  // An argument of the script itself may be one too, where its bundle keeps results.
  const both = await aScript(`{ await keep(1); return { id: input.id } }`)
  expect((await both.call({ id: { $ref: `${handle}#/items/0/id` } })).structuredContent).toEqual({ id: 41 })
})

describe('the guards of its calls', () => {
  it('confirmation is asked of its caller, and a script cannot confirm', async () => {
    await configure(mall.gateway, 'getPetById', { sensitive: true })
    const { call } = await aScript(`{ return call('${PET}', { id: 1, __confirm: true } as any) }`)
    expect(refusalOf(await call())).toMatchObject({ code: 'confirm_required', details: { step: 1 } })
    expect((await call({ __confirm: true })).isError).toBeUndefined()
    await configure(mall.gateway, 'getPetById', { sensitive: null })
  })

  it('an approval is for one of its calls: the script is repeated with the ticket', async () => {
    await configure(mall.gateway, 'getPetById', { approval: { required: true, levels: 1, approvers: [] } })
    const { call } = await aScript(`{ await call('bank__ok', {}); return call('${PET}', { id: 8 }) }`)
    const refused = refusalOf(await call())
    expect(refused).toMatchObject({ code: 'approval', approval: { status: 'pending' } })
    const { id } = refused.approval as { id: number }
    expect((await post(`/admin-api/approvals/${id}/approve`)).status).toBe(200)
    expect((await call({ __approval_id: id })).structuredContent).toMatchObject({ url: '/pets/8' })
    // Used up.
    expect(refusalOf(await call({ __approval_id: id }))).toMatchObject({ code: 'approval', reason: 'consumed' })
    await configure(mall.gateway, 'getPetById', { approval: null })
  })

  it('a cancellation ends the call under way and those to come', async () => {
    const { bundle, name } = await aScript(`{ return call('hang' as any, {}) }`, {
      steps: [step('petstore', 'hang')],
      script: { source: main(`{ await call('petstore__hang', {}); return call('petstore__hang', {}) }`) },
    })
    const path = custom(bundle)
    const headers = await openSession(mall.gateway, '2025-11-25', path)
    const calling = rpc(mall.gateway, 'tools/call', { name, arguments: {} }, { path, headers, id: 'c1' })
    await expect.poll(() => mall.shop.seen.length, { timeout: 20_000 }).toBe(1)
    await mall.gateway.ask(path, {
      method: 'POST',
      headers,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c1' } },
    })
    await calling
    await expect.poll(() => mall.shop.aborted(), { timeout: 20_000 }).toBe(1)
    expect(mall.shop.seen).toEqual(['GET /hang'])
  })
})

describe('an approval', () => {
  it('is of one text: another one is refused until a person approves it', async () => {
    const { name, call } = await aScript(`{ return { v: 1 } }`)
    expect((await call()).structuredContent).toEqual({ v: 1 })
    const before = body(await mall.gateway.admin(one(name))).review as Fields
    expect((await change(mall.gateway, one(name), { script: { source: main(`{ return { v: 2 } }`) } })).status).toBe(
      200,
    )
    const refused = await call()
    expect(refusalOf(refused)).toMatchObject({ code: 'script_unapproved', gate: 'script_approval' })
    expect(code(await post(`${one(name)}/approve`, { hash: before.hash }))).toBe('PRECONDITION_FAILED')
    expect((await call()).isError).toBe(true)
    // Its tools and its schemas are part of it, its description is not.
    await approve(name)
    await change(mall.gateway, one(name), { description: 'Words' })
    expect((await call()).structuredContent).toEqual({ v: 2 })
    await change(mall.gateway, one(name), { steps: [step('bank', 'deletePet')] })
    expect(refusalOf(await call())).toMatchObject({ code: 'script_unapproved' })
    const { items } = body(await mall.gateway.admin(`${one(name)}/versions`)) as { items: Fields[] }
    expect(items).toMatchObject([
      { version: 3, tools: ['bank__deletePet'], approvedBy: null },
      { version: 2, approvedBy: expect.any(String), source: expect.stringContaining('v: 2') },
      { version: 1, hash: before.hash, approvedBy: expect.any(String) },
    ])
    const audit = body(await mall.gateway.admin(`/admin-api/audit-log?action=composite.approve&target=${name}`))
    expect(audit.items).toMatchObject([{ target: name }, { target: name, detail: { hash: before.hash } }])
  })

  it('is not given by an import', async () => {
    const { name, call } = await aScript(`{ return { v: 1 } }`)
    const doc = body(await mall.gateway.admin('/admin-api/config/export')) as Fields & { composites: Fields[] } // the document
    const own = doc.composites.find((each) => each.name === name)
    expect(own?.script).toEqual({ source: main(`{ return { v: 1 } }`), outputSchema: null })
    const imported = async (source: string) => {
      const composites = [{ ...own, script: { source, outputSchema: null } }]
      const given = { kind: doc.kind, version: doc.version, composites }
      const answer = await post('/admin-api/config/import?mode=merge&confirm=true', given)
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    }
    await imported(main(`{ return { v: 1 } }`))
    expect((await call()).structuredContent).toEqual({ v: 1 })
    await imported(main(`{ return { v: 'imported' } }`))
    expect(refusalOf(await call())).toMatchObject({ code: 'script_unapproved' })
    // A text that cannot be read is no configuration.
    const broken = { ...doc, composites: [{ ...own, script: { source: 'enum A { b }' } }] }
    expect((await post('/admin-api/config/import?mode=merge', broken)).status).toBe(400)
  })

  it('is not needed for a text that cannot be read: it is not stored', async () => {
    const steps = [step('bank', 'ok')]
    const answer = await post('/admin-api/composites', {
      name: 'unread',
      steps,
      script: { source: 'export default (' },
    })
    expect([answer.status, code(answer)]).toEqual([400, 'INVALID_SCRIPT'])
  })
})

describe('a test of a script', () => {
  it('calls nothing in a dry run: answers are mocks, else captured calls', async () => {
    const { name } = await aScript(
      `{
      console.log('begins', input)
      const pet = await call('${PET}', { id: 4 })
      return { url: pet.url, ok: (await tryCall('bank__addPet', {})).isError }
    }`,
      { steps: [step('petstore', 'getPetById'), step('bank', 'addPet')] },
    )
    await change(mall.gateway, one(name), { description: 'Not approved either' })
    const mocks = { [PET]: [{ url: 'mocked' }] }
    const test = (given: object) => post(`${one(name)}/test`, { dryRun: true, args: { a: 1 }, ...given })
    expect(body(await test({ mocks }))).toMatchObject({
      result: { structuredContent: { url: 'mocked', ok: true } },
      logs: ['begins {"a":1}'],
      steps: [
        { client: 'petstore', tool: 'getPetById', args: { id: 4 }, outcome: 'success' },
        { client: 'bank', tool: 'addPet', outcome: 'error' },
      ],
    })
    expect([mall.shop.seen, mall.bank.seen]).toEqual([[], []])
    // A call that was captured answers in its place.
    expect((await post('/admin-api/clients/bank/tools/addPet/test', { args: {} })).status).toBe(200)
    const again = async () => body(await test({ mocks })).result
    await expect.poll(again, { timeout: 20_000 }).toMatchObject({ structuredContent: { url: 'mocked', ok: false } })
    expect(mall.bank.seen).toHaveLength(1)
    const invalid = `{ return call('${PET}', { id: 'no' } as any) }`
    await change(mall.gateway, one(name), { script: { source: main(invalid) } })
    expect(body(await test({ mocks }))).toMatchObject({ steps: [{ outcome: 'error' }] })
    // Live, an unapproved text does not run.
    expect(body(await post(`${one(name)}/test`, {}))).toMatchObject({
      result: { structuredContent: { code: 'script_unapproved' } },
    })
  })
})

describe('a composite of steps', () => {
  it('is converted into a script that answers the same', async () => {
    const composites = [
      {
        inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        steps: [FIRST, SECOND],
        output: {
          first: { $ref: 'steps.pet.json.url' },
          second: 'at ${steps.1.json.url} $${x}',
          none: { $ref: 'input.no' },
        },
      },
      {
        steps: [step('petstore', 'getPetById', { id: { $ref: 'input.id' } }), step('bank', 'ok', {}, { when: false })],
      },
      {
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
      },
      { steps: [step('bank', 'ok'), step('petstore', 'broken')] },
      { steps: [step('bank', 'ok', {}, { when: { $ref: 'input.no' } })] },
    ]
    for (const given of composites) {
      serial += 1
      const name = `steps${serial}`
      await make(mall.gateway, 'composites', { name, ...given })
      await make(mall.gateway, 'bundles', { name: `kit${serial}`, tools: [], composites: [name] })
      const bare = ({ _meta, ...result }: Result) => result
      const before = bare(await callIn(mall.gateway, `kit${serial}`, name, { id: 3 }))
      const { source } = body(await mall.gateway.admin(`${one(name)}/converted`))
      expect((await change(mall.gateway, one(name), { script: { source } })).text).toContain('"script"')
      await approve(name)
      expect(bare(await callIn(mall.gateway, `kit${serial}`, name, { id: 3 }))).toEqual(before)
    }
  })

  it('needs no approval, and has types as a script does', async () => {
    const { name } = await aScript(`{ return null }`)
    const types = await mall.gateway.admin(`${one(name)}/types`)
    expect(types.text).toContain('"petstore__getPetById": {\n    args: {\n      readonly id: number\n    }')
    expect(await listed(mall.gateway, custom(`scripts${serial}`))).toContain(name)
    await change(mall.gateway, one(name), { script: null })
    expect(code(await post(`${one(name)}/approve`, { hash: '0'.repeat(64) }))).toBe('NOT_APPLICABLE')
  })
})

it('is written, checked, tested, approved and compared on the command line', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-scripts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'script.ts')
  const env = { GANTRY_URL: mall.gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY, HOME: folder }
  const ran = async (...args: string[]) => {
    const { code, out, error } = await gantry(env, ['composite', ...args])
    return [code, out.trim() || error.trim()]
  }
  const written = (text: string) => writeFileSync(file, main(`{\n  ${text}\n}`))
  written(`return { url: (await call('${PET}', { id: 'one' })).url }`)
  const output = JSON.stringify({ type: 'object', properties: { url: { type: 'string' } }, required: ['url'] })
  const input = JSON.stringify({ type: 'object', properties: { id: { type: 'integer' } } })
  const made = await ran('add', 'by-hand', file, '--tools', PET, '--input', input, '--output', output)
  expect(made).toEqual([0, expect.stringMatching(/^by-hand is saved; approve [0-9a-f]{64}$/)])
  expect(await ran('check', 'by-hand')).toEqual([1, '2:59 error: "id" is text; it must be a number'])
  written(`return { url: (await call('${PET}', { id: input.id })).url }`)
  expect(await ran('check', 'by-hand', '--from', file)).toEqual([0, 'No problems found'])
  const [, saved] = await ran('script', 'by-hand', '--from', file)
  const types = await ran('types', 'by-hand')
  expect(types[1]).toContain('type Output = {\n  readonly url: string\n}')
  const mocks = JSON.stringify({ [PET]: [{ url: 'mocked' }] })
  expect(await ran('test', 'by-hand', '--args', '{"id":4}', '--mocks', mocks)).toEqual([
    0,
    expect.stringContaining('{"url":"mocked"}'),
  ])
  expect(await ran('approve', 'by-hand', String(saved).split(' ').at(-1) ?? '')).toEqual([0, 'by-hand is approved'])
  expect(await ran('test', 'by-hand', '--args', '{"id":4}', '--live')).toEqual([0, expect.stringContaining('/pets/4')])
  const [, versions] = await ran('versions', 'by-hand')
  expect(String(versions).split('\n')).toEqual([
    expect.stringContaining('approvedBy'),
    expect.stringMatching(/^2 /),
    expect.stringMatching(/^1 .* -  /),
  ])
  expect(await ran('versions', 'by-hand', '1')).toEqual([0, expect.stringContaining("{ id: 'one' }")])
})

// Last: with a key, the gateway is closed to all others.
describe('a key', () => {
  it('each call counts against the quota of its consumer', async () => {
    const made = await post('/admin-api/consumers', { name: 'metered', monthlyQuota: 3 })
    expect(made.status).toBe(201)
    const key = await mint(mall.gateway, { consumerId: body(made).id })
    const { bundle, name } = await aScript(`{
      const answers = await callMany([1, 2, 3, 4].map((id) => ({ tool: '${PET}' as const, args: { id } })), { parallel: 1, settle: true })
      return { codes: answers.map((answer: any) => answer.code ?? 'ok') }
    }`)
    const { json } = await rpc(
      mall.gateway,
      'tools/call',
      { name, arguments: {} },
      { path: custom(bundle), headers: bearer(key.key) },
    )
    expect(json).toMatchObject({ result: { structuredContent: { codes: ['ok', 'ok', 'ok', 'quota'] } } })
    await mall.gateway.admin(`/admin-api/mcp-keys/${key.id}`, { method: 'DELETE' })
  })
})
