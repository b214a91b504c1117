// The features of a tool in the browser: each set by its form, shown in a line, switched, removed and brought back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { openWsBackend, wsConnect } from '../../gateway/sockets/ws-backend.fixture.ts'
import { call, NEAR, PETS, registered } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, soon, turnTo, undo, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
let upstream: UpstreamServer
const ITEMS = Array.from({ length: 120 }, (_, id) => ({ id, owner: ['ann', 'bob'][id % 2] }))
if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer(({ url }, response) =>
      answerJson(response, url === '/openapi.json' ? PETS : url === '/pets/77' ? { items: ITEMS } : { name: 'Rex' }),
    )
    const openapi_url = `${upstream.url}/openapi.json`
    await registered(gateway(), { name: 'pets', base_url: upstream.url, openapi_url })
  })
  afterAll(() => upstream.close())
}

const path = '/admin-api/clients/pets/tools/getPet'
const mockNow = async () => ((await gateway().admin(path)).json as { config: { mock: unknown } }).config.mock
const change = (body: object) => gateway().admin(path, { method: 'PATCH', body })

describe.skipIf(!hasBrowser)(`the features of a tool (${where})`, () => {
  it('are set by a form, shown in a line, switched off, removed and brought back', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=features')
    await page.getByText('GraphQL document is for tools of').waitFor()
    expect(await page.getByRole('button', { name: 'Set: GraphQL document' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Set: Mock' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mock' })
    const answer = dialog.getByLabel('Response as JSON')
    await answer.fill('{ "name": "Missing"')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await dialog.getByText('This is not JSON yet').waitFor()
    expect(await barriers(page)).toEqual([])
    await answer.fill('{ "name": "Missing" }')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByText('Mock of getPet set').waitFor()
    expect((await call(gateway(), 'pets', 'getPet', { id: 1 })).structuredContent).toEqual({ name: 'Missing' })
    const row = page.getByRole('listitem').filter({ hasText: 'Mock' })
    await row.getByText('always', { exact: true }).waitFor()
    await row.getByRole('switch', { name: 'Mock is on' }).click()
    await soon(mockNow).toMatchObject({ enabled: false })
    await row.getByText('Off', { exact: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    await row.getByRole('button', { name: 'Remove: Mock' }).click()
    await soon(mockNow).toBeNull()
    await undo(page, 'Mock of getPet removed')
    await soon(mockNow).toMatchObject({ enabled: false, mode: 'always', response: { name: 'Missing' } })
  })

  it('keep what is typed when another user saves, and ask whose it shall be', async () => {
    await change({ mock: { mode: 'always', response: 1 } })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=features', { colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Change: Mock' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mock' })
    const answer = dialog.getByLabel('Response as JSON')
    const save = dialog.getByRole('button', { name: 'Save' })
    await answer.fill('2')
    await change({ guards: { rateLimitPerMin: 60 } })
    await change({ mock: { mode: 'always', response: 3 } })
    await dialog.getByRole('alert').getByText('Someone else changed getPet').waitFor()
    expect([await answer.inputValue(), await save.isDisabled()]).toEqual(['2', true])
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await save.click()
    await soon(mockNow).toMatchObject({ response: 2 })
  })

  it('are seen in the trace of a try and in the details of a call', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=run')
    await page.getByLabel('id *').fill('1')
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('answered by a mock').waitFor()
    await change({ mock: null })
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('answered by its backend').waitFor()
    await turnTo(page, '/admin/calls')
    await page.getByRole('row').filter({ hasText: 'getPet' }).first().click()
    await page.getByRole('dialog', { name: 'getPet' }).getByText('its backend').waitFor()
  })
})

describe.skipIf(!hasBrowser)(`what is kept of a tool (${where})`, () => {
  it('its examples are kept from the runner, filled into it, changed, removed and brought back', async () => {
    const examples = async () => (await gateway().admin(`${path}/examples`)).json
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=run')
    await page.getByLabel('id *').fill('seven')
    await page.getByRole('button', { name: 'Save as example…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as example' })
    await dialog.getByLabel('Label').fill('No pet at all')
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await dialog.getByText('INVALID_ARGS').waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('checkbox', { name: 'Save although' }).click()
    await dialog.getByRole('button', { name: 'Keep' }).click()
    const list = page.getByRole('region', { name: 'Examples' })
    await list.getByRole('button', { name: 'Change No pet at all' }).click()
    const change = page.getByRole('dialog', { name: 'Change No pet at all' })
    await change.getByLabel('Label').fill('Rex')
    await change.getByLabel('Arguments').fill('{ "id": 7 }')
    await change.getByRole('button', { name: 'Save' }).click()
    await soon(examples).toMatchObject({ items: [{ label: 'Rex', args: { id: 7 } }] })
    await list.getByRole('button', { name: /^Rex/ }).click()
    expect(await page.getByLabel('id *').inputValue()).toBe('7')
    expect(await barriers(page)).toEqual([])
    await list.getByRole('button', { name: 'Remove Rex' }).click()
    await soon(examples).toEqual({ items: [] })
    await undo(page, '“Rex” was removed')
    await soon(examples).toMatchObject({ items: [{ label: 'Rex', args: { id: 7 } }] })
  })

  it('its cached answers are counted, and forgotten', async () => {
    await change({ mock: null, cache: { ttlSeconds: 60, scope: 'shared' } })
    for (let twice = 0; twice < 2; twice += 1) await call(gateway(), 'pets', 'getPet', { id: 77 })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=features')
    await page.getByText(/^1 of \d+ calls in 7 days were answered from it/).waitFor()
    await page.getByRole('button', { name: 'Clear cache' }).click()
    await page.getByText('1 answer forgotten').waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('its key for a model is shown as stored, kept where nothing is typed, and removed', async () => {
    const llm = { provider: 'openai', baseUrl: upstream.url, model: 'small', apiKey: 'sk-of-the-model' }
    await change({ contextBudget: { mode: 'llm_summarize', maxResponseBytes: 5000, llm } })
    const budget = async () =>
      ((await gateway().admin(path)).json as { config: { contextBudget: unknown } }).config.contextBudget
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=features')
    const row = page.getByRole('listitem').filter({ hasText: 'Context budget' })
    await row.getByText('summarized, with a stored key').waitFor()
    const dialog = page.getByRole('dialog', { name: 'Context budget' })
    const save = async () => {
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await row.getByRole('button', { name: 'Change: Context budget' }).click()
    await dialog.getByLabel('Model').fill('large')
    expect(await barriers(page)).toEqual([])
    await save()
    expect(await budget()).toMatchObject({ llm: { model: 'large', apiKeySet: true } })
    await row.getByRole('button', { name: 'Change: Context budget' }).click()
    await dialog.getByRole('checkbox', { name: 'Remove the stored one' }).click()
    expect(await dialog.getByLabel('API key').isDisabled()).toBe(true)
    await save()
    expect(await budget()).toMatchObject({ llm: { model: 'large', apiKeySet: false } })
    await row.getByText('summarized, without a key').waitFor()
    await change({ contextBudget: null })
  })

  it('its hits are counted towards its quarantine, which is shown with its reason, and ended', async () => {
    await change({ quarantinePolicy: { consecutiveThreshold: 2 }, guardrails: { denyPatterns: ['666'] } })
    await call(gateway(), 'pets', 'getPet', { id: 666 })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=features')
    await page.getByText('1 hit in a row now; one more begins it.').waitFor()
    await call(gateway(), 'pets', 'getPet', { id: 666 })
    const note = page.getByRole('status').filter({ hasText: 'In quarantine since' })
    await note.waitFor()
    await page.getByText('In quarantine after 2 hits in a row.').waitFor()
    expect(await barriers(page)).toEqual([])
    await note.getByRole('button', { name: 'End quarantine' }).click()
    await note.waitFor({ state: 'detached' })
    await page.getByText('No hit now; 2 in a row begin it.').waitFor()
    expect((await gateway().admin(path)).json).toMatchObject({ quarantine: { active: false, consecutiveHits: 0 } })
  })

  it('its large answers are kept, listed with their tool on the page Context, and asked there in SQL and page by page', async () => {
    await change({ mock: null, contextBudget: { mode: 'handle', maxResponseBytes: 1_000 } })
    const kept = await call(gateway(), 'pets', 'getPet', { id: 77 })
    const [handle = ''] = /result:[\w-]{22}/.exec(JSON.stringify(kept.content)) ?? []
    const page = await visitAs('admin', '/admin/context?view=results')
    await page.getByRole('table', { name: 'Kept results' }).getByText('getPet', { exact: true }).first().waitFor()
    await page.getByLabel('Handle').fill(handle)
    const question = page.getByLabel('Path, JSONPath or SQL (optional)')
    const open = page.getByRole('button', { name: 'Open result' })
    const shown = page.getByRole('region', { name: 'Result', exact: true })
    await question.fill('SELECT owner, count(*) AS n FROM items GROUP BY owner')
    await open.click()
    await shown.getByText('60').first().waitFor()
    await question.fill('$.items[?@.id >= 10].id')
    await open.click()
    await shown.getByText('59', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Next rows' }).click()
    await shown.getByText('109', { exact: true }).first().waitFor()
    expect(await barriers(page)).toEqual([])
    await question.fill('SELECT nothing FROM items')
    await open.click()
    await page
      .getByText(/no row has "nothing"/)
      .first()
      .waitFor()
    await change({ contextBudget: null })
  })
})

describe.skipIf(!hasBrowser)(`the sign-in at a backend (${where})`, () => {
  it('is set with its secret, tried, and removed', async () => {
    const oauth = async () => (await gateway().admin('/admin-api/clients/pets/oauth')).json
    const page = await visitAs('admin', '/admin/backends/pets?view=credential')
    const card = page.getByRole('region', { name: 'OAuth2' })
    await card.getByRole('button', { name: 'Set…' }).click()
    const dialog = page.getByRole('dialog', { name: 'OAuth2 of pets' })
    await dialog.getByLabel('Token URL').fill('nowhere')
    await dialog.getByLabel('Client id').fill('gantry')
    await dialog.getByLabel('Client secret').fill('hush-hush')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('[aria-invalid=true]').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByLabel('Token URL').fill(`${upstream.url}/token`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await card.getByText('Signs in as gantry').waitFor()
    expect(await oauth()).toMatchObject({ oauth: { clientId: 'gantry', clientSecretSet: true } })
    await card.getByRole('button', { name: 'Fetch a token' }).click()
    await page.getByText(/^No token received/).waitFor()
    await card.getByRole('button', { name: 'Remove' }).click()
    await card.getByText('No OAuth2').waitFor()
    expect(await oauth()).toEqual({ oauth: null })
  })
})

describe.skipIf(!hasBrowser)(`the other servers of a backend (${where})`, () => {
  it('are a second one and a pool, each set, switched, shown and taken out', async () => {
    const detail = async () => (await gateway().admin('/admin-api/clients/pets')).json
    const page = await visitAs('admin', '/admin/backends/pets?view=servers')
    const second = page.getByRole('region', { name: 'Second server' })
    await second.getByRole('button', { name: 'Set…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Base URL').fill(`${upstream.url}/second`)
    await dialog.getByLabel('Share of the calls').fill('101')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await dialog.locator('[aria-invalid=true]').first().waitFor()
    await dialog.getByLabel('Share of the calls').fill('25')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await second.getByText('25 % of the calls').waitFor()
    // What is sent names what was read, and what another user saved in between is not overwritten unseen.
    await second.getByRole('button', { name: 'Change…' }).click()
    await dialog.getByLabel('Share of the calls').fill('30')
    const inBetween = { secondaryBaseUrl: `${upstream.url}/second`, weight: 26 }
    await gateway().admin('/admin-api/clients/pets/canary', { method: 'PUT', body: inBetween })
    await dialog.getByRole('alert').getByText('Someone else changed the second server of pets').waitFor()
    expect(await dialog.getByLabel('Share of the calls').inputValue()).toBe('30')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Take theirs' }).click()
    await dialog.getByLabel('Share of the calls').fill('25')
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'PUT' && request.url().endsWith('/canary')),
      dialog.getByRole('button', { name: 'Save' }).click(),
    ])
    expect(await sent.headerValue('if-match')).toBe('"2"')
    await second.getByText('25 % of the calls').waitFor()
    await second.getByRole('switch').click()
    await soon(detail).toMatchObject({ canary: { enabled: false, weight: 25 } })

    const pool = page.getByRole('region', { name: 'Load balancing' })
    await pool.getByRole('button', { name: 'Add a server…' }).click()
    await dialog.getByLabel('Base URL').fill(`${upstream.url}/third`)
    await dialog.getByRole('button', { name: 'Add' }).click()
    await pool.getByRole('button', { name: `Change ${upstream.url}/third` }).click()
    await dialog.getByLabel('Weight').fill('9')
    const { lb } = (await detail()) as { lb: { targets: readonly { id: number }[] } }
    const upstreamOf = `/admin-api/clients/pets/lb/upstreams/${lb.targets[0]?.id}`
    await gateway().admin(upstreamOf, { method: 'PATCH', body: { weight: 4 } })
    await dialog.getByRole('alert').getByText('Someone else changed').waitFor()
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = pool.getByRole('row').filter({ hasText: '/third' })
    await row.getByText('9', { exact: true }).waitFor()
    await pool.getByRole('switch', { name: 'Calls are balanced' }).click()
    await page.getByText('Load balancing of pets was changed').waitFor()
    await soon(detail).toMatchObject({ lb: { enabled: false, targets: [{ weight: 9 }] } })
    expect(await barriers(page)).toEqual([])
    await row.getByRole('button', { name: /^Remove/ }).click()
    await soon(detail).toMatchObject({ lb: { targets: [] } })
    await undo(page, '/third was removed')
    await soon(detail).toMatchObject({ lb: { targets: [{ weight: 9 }] } })
  })
})

describe.skipIf(!hasBrowser)(`WebSocket targets (${where})`, () => {
  it('are added, seen with who is connected, disconnected, changed and deleted', async () => {
    const backend = await openWsBackend()
    try {
      const page = await visitAs('admin', '/admin/websockets')
      await page.getByText('No WebSocket target yet').waitFor()
      await page.getByRole('button', { name: 'New target' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('prices')
      await dialog.getByLabel('Address').fill('http://prices.example')
      await dialog.getByRole('button', { name: 'Add' }).click()
      await dialog.getByText('INVALID_URL').waitFor()
      expect(await barriers(page)).toEqual([])
      await dialog.getByLabel('Address').fill(`${backend.url}/echo`)
      await dialog.getByRole('button', { name: 'Add' }).click()
      const row = page.getByRole('row').filter({ hasText: 'prices' })
      await row.getByText('Ready').waitFor()
      const client = await wsConnect(`${gateway().url}/ws-proxy/prices`, {})
      await row.getByText('1', { exact: true }).waitFor()
      const act = async (name: string) => {
        await row.getByRole('button', { name: 'Actions for prices' }).click()
        await page.getByRole('menuitem', { name }).click()
      }
      await act('Disconnect all…')
      await page.getByRole('button', { name: 'Disconnect all' }).click()
      await client.closed
      await row.getByText('0', { exact: true }).waitFor()
      await act('Change…')
      await dialog.getByLabel('Maximum connections').fill('3')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await row.getByText('of 3').waitFor()
      expect(await barriers(page)).toEqual([])
      await act('Delete…')
      await page.getByRole('button', { name: 'Delete target' }).click()
      await page.getByText('No WebSocket target yet').waitFor()
    } finally {
      await backend.close()
    }
  })
})
