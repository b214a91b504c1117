// Captured traffic over real sockets: what is kept of calls, who reads it, calls made again, and what is removed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TrafficRow } from '#contract'
import { body, callIn, change, code, type Mall, make, member, startMall } from './curation.fixture.ts'
import { aShop, call, configure, type Result } from './data-plane.fixture.ts'
import { ADMIN_KEY, aUser, type Env, type Gateway } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'

const GENEROUS = { timeout: 20_000, interval: 20 }
const AWS = `AKIA${'A2'.repeat(8)}`

let mall: Mall & { end(): Promise<void> }
let operator: Env
beforeAll(async () => {
  mall = await startMall({ TRAFFIC_CAPTURE: 'true', TRAFFIC_MAX_BODY_BYTES: '60', RETRY_MAX_ATTEMPTS: '0' })
  operator = await aUser(mall.gateway, 'olga', 'operator')
})
afterAll(() => mall.end())

async function list(query: string, gateway: Gateway = mall.gateway): Promise<readonly TrafficRow[]> {
  const { items } = body(await gateway.admin(`/admin-api/traffic?${query}`))
  return items as TrafficRow[] // the reply of the route
}

/** Once so many calls are written down; they are, a moment after their answers. */
async function captured(query: string, count: number, gateway?: Gateway): Promise<readonly TrafficRow[]> {
  await expect.poll(async () => (await list(query, gateway)).length, GENEROUS).toBe(count)
  return list(query, gateway)
}

const requestOf = ({ _meta }: Result): string => String(_meta['gantry/call']?.request_id)
/** The row of one call. */
async function rowOf(result: Result): Promise<TrafficRow> {
  const [row] = await captured(`q=${requestOf(result)}`, 1)
  if (row === undefined) throw new Error('No row')
  return row
}
const replay = (id: number, given: object = {}, headers = operator) =>
  mall.gateway.ask(`/admin-api/traffic/${id}/replay`, { method: 'POST', body: given, headers })

describe('a captured call', () => {
  it('is kept with its arguments and how its answer begins, and is read alone [ct.10.12.traffic-row ct.7.7.traffic-row ct.8.6.content gw.setting.traffic_capture]', async () => {
    const result = await call(mall.gateway, 'getPetById', { id: '5', __confirm: true, __end_user: 'ann' })
    const row = await rowOf(result)
    expect(row).toEqual({
      id: expect.any(Number),
      requestId: requestOf(result),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      mcpToolName: 'getPetById',
      clientName: 'petstore',
      toolName: 'getPetById',
      keyId: null,
      principal: 'anonymous',
      argsJson: '{"id":5}',
      args: { id: 5 },
      argsRedacted: false,
      preview: result.content[0]?.text,
      previewTruncated: false,
      isError: false,
      outcome: 'success',
      denyCode: null,
      gate: null,
      failureKind: null,
      durationMs: expect.any(Number),
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const one = await mall.gateway.admin(`/admin-api/traffic/${row.id}`)
    expect([one.status, one.json]).toEqual([200, row])
  })

  it('is kept as well when it failed, was refused, or named nothing, and so is a composite [ct.8.6.refused]', async () => {
    const { gateway } = mall
    await configure(gateway, 'deletePet', { sensitive: true })
    await make(gateway, 'composites', {
      name: 'twice',
      steps: [
        { targetClient: 'petstore', targetTool: 'ok' },
        { targetClient: 'bank', targetTool: 'ok' },
      ],
    })
    await make(gateway, 'bundles', { name: 'shelf', tools: [member('petstore', 'ok')], composites: ['twice'] })
    const failed = await rowOf(await call(gateway, 'notfound'))
    expect(failed).toMatchObject({ isError: true, outcome: 'error', failureKind: 'upstream_status', args: {} })
    expect(failed.preview).toContain('404')
    expect(await rowOf(await call(gateway, 'deletePet', { id: 7 }))).toMatchObject({
      isError: true,
      outcome: 'refused',
      denyCode: 'confirm_required',
      gate: 'confirmation',
      failureKind: null,
      args: { id: 7 },
    })
    expect(await rowOf(await call(gateway, 'getPetById', { id: 'none' }))).toMatchObject({
      failureKind: 'invalid_arguments',
      args: { id: 'none' },
    })
    expect(await rowOf(await call(gateway, `no AKIA${'B3'.repeat(8)}`))).toMatchObject({
      mcpToolName: 'no [SECRET]',
      clientName: 'petstore',
      toolName: null,
      denyCode: 'unknown_tool',
      args: null,
      argsRedacted: false,
      preview: 'Unknown tool: no [SECRET]',
    })
    const both = await captured(`q=${requestOf(await callIn(gateway, 'shelf', 'twice'))}`, 3)
    expect(both.map(({ clientName, toolName, preview }) => [clientName, toolName, preview])).toEqual([
      [null, 'twice', '{"ok":true}'],
      ['bank', 'ok', '{"ok":true}'],
      ['petstore', 'ok', '{"ok":true}'],
    ])
  })

  it('has no more of the answer than the setting says, or its tool [ct.8.6.preview gw.setting.traffic_max_body_bytes]', async () => {
    const { gateway, shop } = mall
    shop.answer = (_request, response) => void response.setHeader('content-type', 'text/plain').end('é'.repeat(100))
    expect(await rowOf(await call(gateway, 'ok'))).toMatchObject({ preview: 'é'.repeat(60), previewTruncated: true })
    await configure(gateway, 'ok', { capture: { enabled: true, maxBodyBytes: 100 } })
    expect(await rowOf(await call(gateway, 'ok'))).toMatchObject({ preview: 'é'.repeat(100), previewTruncated: false })
    await configure(gateway, 'ok', { capture: { enabled: true, preview: false, args: 'none' } })
    expect(await rowOf(await call(gateway, 'ok'))).toMatchObject({
      preview: '',
      previewTruncated: false,
      args: null,
      argsRedacted: true,
    })
    await configure(gateway, 'ok', { capture: null })
    shop.answer = undefined
  })

  it('is not kept where its tool forbids it, nor a composite through it [ct.8.6.follows]', async () => {
    const { gateway } = mall
    await configure(gateway, 'ok', { capture: { enabled: false } })
    await call(gateway, 'ok')
    await callIn(gateway, 'shelf', 'twice')
    // What ended later is written later.
    const last = await rowOf(await call(gateway, 'getPetById', { id: 1 }))
    const since = (await list(`from=${last.createdAt}`)).length
    const all = await list('limit=1000')
    expect(all.slice(since).filter(({ toolName }) => toolName === 'twice')).toHaveLength(1)
    expect(all[since]).toMatchObject({ clientName: 'bank', toolName: 'ok' })
    await configure(gateway, 'ok', { capture: false })
    expect(await rowOf(await call(gateway, 'ok'))).toMatchObject({ toolName: 'ok' })
  })

  it('is cleaned, budgeted and cached before it is kept, and so is what comes from the cache [ct.5.13.order-kept ct.8.4.redacted]', async () => {
    const { gateway, shop } = mall
    shop.answer = (_request, response) =>
      void response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ pin: 'hush', list: [{ pin: 'hush' }], rest: 'x'.repeat(2_000) }))
    const settings = {
      redactPaths: ['**.pin'],
      cache: { ttlSeconds: 600 },
      contextBudget: { mode: 'truncate', maxResponseBytes: 256 },
      capture: { enabled: true, maxBodyBytes: 10_000 },
    }
    await configure(gateway, 'getPetById', settings)
    const [first, again] = [await call(gateway, 'getPetById', { id: 9 }), await call(gateway, 'getPetById', { id: 9 })]
    expect([first, again].map(({ _meta }) => _meta['gantry/call']?.cache)).toEqual(['miss', 'hit'])
    for (const result of [first, again]) {
      const { preview } = await rowOf(result)
      expect(preview).toBe(result.content.map(({ text }) => text).join('\n'))
      expect(preview.length).toBeLessThan(1_000)
      expect(preview).toContain('[REDACTED]')
      expect(JSON.stringify([preview, result])).not.toContain('hush')
    }
    shop.answer = (_request, response) =>
      void response.setHeader('content-type', 'application/json').writeHead(500).end('{"pin":"hush","why":"x"}')
    const failed = await call(gateway, 'getPetById', { id: 10 })
    expect(JSON.stringify([failed, await rowOf(failed)])).not.toContain('hush')
    await configure(gateway, 'getPetById', { redactPaths: null, cache: null, contextBudget: null, capture: null })
    shop.answer = undefined
  })

  it('holds no secret and nothing that is redacted, down to the bytes of the database (security case CA-13)', async () => {
    const { gateway, shop } = mall
    const token = `eyJ${'h'.repeat(40)}.eyJ${'p'.repeat(40)}.${'signature'.repeat(5)}`
    shop.answer = (_request, response) => void response.end(`see ${token} in ${'m'.repeat(10_000_000)}`)
    await configure(gateway, 'addPet', { redactPaths: ['name'] })
    const redacted = await rowOf(await call(gateway, 'addPet', { name: 'only-for-the-upstream' }))
    expect(redacted).toMatchObject({ args: { name: '[REDACTED]' }, argsRedacted: true, previewTruncated: true })
    expect(redacted.preview).toBe(`see [SECRET] in ${'m'.repeat(44)}`)
    await configure(gateway, 'addPet', { redactPaths: null })
    const secret = await rowOf(await call(gateway, 'addPet', { name: `with ${AWS}` }))
    expect(secret).toMatchObject({ args: { name: 'with [SECRET]' }, argsRedacted: true })
    shop.answer = undefined
    const files = readdirSync(gateway.folder).filter((name) => name.startsWith('gantry.db'))
    expect(files.length).toBeGreaterThan(1)
    const bytes = Buffer.concat(files.map((name) => readFileSync(join(gateway.folder, name))))
    for (const hidden of ['only-for-the-upstream', AWS, 'signaturesignature', token.slice(0, 30)])
      expect(bytes.includes(hidden)).toBe(false)
    const wrong = await replay(redacted.id)
    expect([wrong.status, code(wrong)]).toEqual([409, 'ARGS_REDACTED'])
  })
})

describe('the list', () => {
  // cites: ct.7.7.traffic gw.route.traffic
  it('is newest first, for operators, page by page, and filtered by what a row says', async () => {
    const { gateway } = mall
    await call(gateway, 'ok', {}, '/mcp/bank')
    await call(gateway, 'broken', {}, '/mcp/bank')
    const bank = await captured('client=bank&from=2000-01-01T00:00:00Z', 3 + 1)
    expect(bank.map(({ id }) => id)).toEqual(bank.map(({ id }) => id).sort((a, b) => b - a))
    const names = async (query: string) => (await list(`client=bank&${query}`)).map(({ toolName }) => toolName)
    expect(await names('tool=broken')).toEqual(['broken'])
    expect(await names('outcome=error')).toEqual(['broken'])
    expect(await names('errors=true')).toEqual(['broken'])
    expect(await names('errors=false')).toEqual(['ok', 'ok', 'ok'])
    expect(await names('q=100%25')).toEqual([])
    expect(await names(`from=${bank[0]?.createdAt}&to=${bank[0]?.createdAt}&limit=1`)).toEqual(['broken'])
    expect(await names('to=2000-01-01T00:00:00Z')).toEqual([])
    expect(await names('keyId=999')).toEqual([])
    expect((await list('code=confirm_required')).map(({ args }) => args)).toEqual([{ id: 7 }])
    expect((await list('q=%22id%22%3A7')).map(({ toolName }) => toolName)).toEqual(['deletePet'])
    const first = body(await gateway.ask('/admin-api/traffic?client=bank&limit=3', { headers: operator }))
    const rest = body(await gateway.admin(`/admin-api/traffic?client=bank&limit=3&cursor=${String(first.nextCursor)}`))
    expect([...(first.items as TrafficRow[]), ...(rest.items as TrafficRow[])]).toEqual(bank)
    expect(rest.nextCursor).toBeUndefined()
    expect((await gateway.admin('/admin-api/traffic?limit=100000')).status).toBe(200)
    expect((await gateway.admin('/admin-api/traffic?outcome=odd')).status).toBe(400)
  })

  it('is not for viewers, and an unknown one is not found [ct.18.traffic_not_found]', async () => {
    const viewer = await aUser(mall.gateway, 'vera', 'viewer')
    expect((await mall.gateway.ask('/admin-api/traffic', { headers: viewer })).status).toBe(403)
    for (const id of ['999999', 'none']) {
      const absent = await mall.gateway.admin(`/admin-api/traffic/${id}`)
      expect([absent.status, code(absent)]).toEqual([404, 'TRAFFIC_NOT_FOUND'])
    }
  })
})

describe('a replay', () => {
  it('makes the call again as the person, and shows how the answer differs [ct.7.7.traffic-replay ct.13.2.traffic]', async () => {
    const { gateway, shop } = mall
    const answered = (value: object) => {
      shop.answer = (_request, response) =>
        void response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    }
    answered({ n: 1, same: true })
    const row = await rowOf(await call(gateway, 'getPetById', { id: 5 }))
    answered({ n: 2, same: true })
    const again = await replay(row.id)
    expect(again.json).toMatchObject({
      replayOf: row.id,
      outcome: 'success',
      diff: [{ path: '/n', before: 1, after: 2 }],
      result: { structuredContent: { n: 2 } },
    })
    const made = await captured(`q=${String(body(again).requestId)}`, 1)
    expect(made[0]).toMatchObject({ principal: 'olga', args: { id: 5 }, outcome: 'success' })
    answered({ n: 1, same: true })
    expect(body(await replay(row.id)).diff).toEqual([])
    shop.seen.length = 0
    expect(body(await replay(row.id, { dryRun: true }))).toMatchObject({ outcome: 'success', diff: null })
    expect(shop.seen).toEqual([])
    shop.answer = (_request, response) => void response.end('words')
    expect(body(await replay(row.id)).diff).toEqual([{ path: '', before: '{"n":1,"same":true}', after: 'words' }])
    shop.answer = undefined
    const { items } = body(await gateway.admin('/admin-api/audit-log?action=traffic.replay'))
    expect((items as object[]).at(-1)).toMatchObject({
      actor: 'olga',
      target: String(row.id),
      detail: { tool: 'petstore__getPetById', dryRun: false, outcome: 'success', code: null },
    })
    expect(items).toHaveLength(4)
  })

  it('of a sensitive tool requires a confirmation of every user', async () => {
    const [row] = await list('code=confirm_required')
    const id = row?.id ?? 0
    mall.shop.seen.length = 0
    for (const headers of [operator, { authorization: `Bearer ${ADMIN_KEY}` }])
      expect(body(await replay(id, {}, headers))).toMatchObject({ outcome: 'refused', code: 'confirm_required' })
    expect(mall.shop.seen).toEqual([])
    expect(body(await replay(id, { confirm: true }))).toMatchObject({ outcome: 'success' })
    expect(mall.shop.seen).toEqual(['DELETE /pets/7'])
  })

  it('is refused where there is no tool, or not what was sent [ct.18.tool_not_live ct.18.args_redacted]', async () => {
    const [composite] = await list('tool=twice')
    const [unknown] = await list('code=unknown_tool')
    for (const row of [composite, unknown]) {
      const refused = await replay(row?.id ?? 0)
      expect([refused.status, code(refused)]).toEqual([409, 'TOOL_NOT_LIVE'])
    }
    const none = await replay(999_999)
    expect([none.status, code(none)]).toEqual([404, 'TRAFFIC_NOT_FOUND'])
    const [row] = await list('q=%5BREDACTED%5D&tool=addPet')
    const redacted = await replay(row?.id ?? 0)
    expect([redacted.status, code(redacted)]).toEqual([409, 'ARGS_REDACTED'])
    const [bank] = await list('client=bank&tool=ok')
    await mall.gateway.admin('/admin-api/clients/bank', { method: 'DELETE' })
    const gone = await replay(bank?.id ?? 0)
    expect([gone.status, code(gone)]).toEqual([409, 'TOOL_NOT_LIVE'])
    expect(await list('client=bank&tool=ok')).not.toEqual([])
  })
})

it('is removed by an administrator, by subject and time, and recorded [ct.7.7.traffic-delete ct.13.2.traffic]', async () => {
  const { gateway } = mall
  const purge = (query: string, headers?: Env) =>
    gateway.ask(`/admin-api/traffic?${query}`, {
      method: 'DELETE',
      headers: headers ?? { authorization: `Bearer ${ADMIN_KEY}` },
    })
  expect((await purge('', operator)).status).toBe(403)
  // Captures are written after their answers: those of the tests before may still come.
  let before = -1
  await expect
    .poll(
      async () => {
        const last = before
        before = (await list('limit=1000')).length
        return before === last
      },
      { timeout: 20_000, interval: 300 },
    )
    .toBe(true)
  const bank = await list('client=bank')
  expect((await purge('client=bank&tool=broken')).json).toEqual({ removed: 1 })
  expect((await purge(`client=bank&before=${bank.at(-1)?.createdAt}`)).json).toEqual({ removed: 0 })
  expect((await purge('client=bank')).json).toEqual({ removed: bank.length - 1 })
  expect(await list('client=bank')).toEqual([])
  const left = (await list('limit=1000')).length
  expect(left).toBeGreaterThan(5)
  expect((await purge('')).json).toEqual({ removed: left })
  expect(await list('')).toEqual([])
  const { items } = body(await gateway.admin('/admin-api/audit-log?action=traffic.purge'))
  expect((items as object[]).at(-1)).toMatchObject({ detail: { client: 'bank', tool: 'broken', removed: 1 } })
})

it('is off by default, and costs no call anything when it cannot be written [ct.8.6.follows ct.8.6.harmless]', async () => {
  const { gateway } = await aShop()
  await configure(gateway, 'ok', { capture: { enabled: true } })
  expect(body(await gateway.admin('/admin-api/clients/petstore/tools/ok')).config).toMatchObject({
    capture: { enabled: true, args: 'redacted', preview: true },
  })
  await call(gateway, 'getPetById', { id: 1 })
  await call(gateway, 'nothing-of-this-name')
  await call(gateway, 'ok')
  expect((await captured('', 1, gateway)).map(({ toolName }) => toolName)).toEqual(['ok'])
  expect((await reading(gateway))('mcp_traffic_rows_total')).toBe(1)
  const file = new Database(join(gateway.folder, 'gantry.db'))
  file.exec('ALTER TABLE traffic RENAME TO away')
  for (let turn = 0; turn < 5; turn += 1) expect((await call(gateway, 'ok')).isError).toBeUndefined()
  const lost = async () => (await reading(gateway))('mcp_db_errors_total{op="traffic"}')
  await expect.poll(lost, GENEROUS).toBe(5)
  file.exec('ALTER TABLE away RENAME TO traffic')
  file.close()
  await call(gateway, 'ok')
  await captured('', 2, gateway)
  await change(gateway, '/admin-api/clients/petstore/tools/ok', { capture: null })
})
