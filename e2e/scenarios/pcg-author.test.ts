// The author's surface of an editor over MCP: beside the twenty tools, behind the same guards, rows and teams.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { AUTHORING, CATALOG } from '#pcg-catalog'
import { aFolder, aGateway, type Gateway, startGateway } from './gateway.fixture.ts'
import { adminCall, aPcgGateway, asAgent, EDITORS, fieldsOf, itemsOf, mcpCall, PCG_ENV } from './pcg.fixture.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(PCG_ENV)
})
afterAll(() => gateway.end())

const asAuthor = (on: Gateway, tool: string, args: Record<string, unknown>) =>
  mcpCall(on, tool, args, { editor: 'pcg-author' })
const toolNames = async (on: Gateway, backend: string): Promise<string[]> => {
  const { tools } = fieldsOf(await on.admin(`/admin-api/clients/${backend}`))
  return (tools as { tool: string }[]).map(({ tool }) => tool).toSorted() // tools have names
}
const ADD = { do: 'add node', node: 'merge', class: 'PCGMergeSettings' }
const graphOf = async (on: Gateway, name: string) => {
  const { asset_path } = await asAgent(on, 'create_pcg_graph', { name })
  return { pcg_graph_path: String(asset_path) }
}

it('is a backend of its own, so that the twenty stay the twenty', async () => {
  expect(await toolNames(gateway, 'pcg-author')).toEqual(Object.keys(AUTHORING).toSorted())
  expect(await toolNames(gateway, 'pcg')).toEqual(Object.keys(CATALOG).toSorted())
})

it('changes a graph as one turn, which the admin API takes back, with a row for the call', async () => {
  const at = await graphOf(gateway, 'Turn')
  const dry = await asAuthor(gateway, 'patch_pcg_graph', { ...at, steps: [ADD], dry_run: true })
  expect(dry).toMatchObject({ structuredContent: { applied: false, batch_id: null } })
  const made = await asAuthor(gateway, 'patch_pcg_graph', { ...at, steps: [ADD, { ...ADD, node: 'other' }] })
  const { batch_id: batchId } = fieldsOf({ json: made.structuredContent, status: 200, text: '' })
  expect(await asAgent(gateway, 'get_pcg_graph_info', at)).toMatchObject({ node_count: 2 })
  const history = itemsOf(await gateway.admin(`${EDITORS}/pcg/history?graph=${at.pcg_graph_path}`))
  expect(history).toMatchObject([{ batchId, tool: 'add_pcg_node' }, { batchId }, {}])
  const undone = await gateway.admin(`${EDITORS}/pcg/undo`, { method: 'POST', body: { batchId } })
  expect(fieldsOf(undone)).toMatchObject({ applied: 2, failed: null })
  expect(await asAgent(gateway, 'get_pcg_graph_info', at)).toMatchObject({ node_count: 0 })
  const rows = itemsOf(await gateway.admin('/admin-api/calls?client=pcg-author&limit=10'))
  expect(rows).toMatchObject([{ tool: 'patch_pcg_graph', outcome: 'success' }, { tool: 'patch_pcg_graph' }])
})

const ask = async (editor: string, method: string, params: object, modern = false) => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const sent = modern ? { ...params, _meta: meta } : params
  const answer = await gateway.ask(`/mcp/${editor}`, {
    method: 'POST',
    body: { jsonrpc: '2.0', id: 1, method, params: sent },
    headers: {
      accept: 'application/json, text/event-stream',
      ...(modern ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method } : {}),
      ...(modern && 'uri' in params ? { 'mcp-name': String(params.uri) } : {}),
    },
  })
  return fieldsOf(answer)
}
const PAGE = 'ui://gantry/pcg-turn'

it('serves the page of turns as a resource, which the tools that it shows name', async () => {
  const initialized = await ask('pcg-author', 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'agent', version: '1' },
  })
  expect(initialized).toMatchObject({ result: { capabilities: { resources: {}, tools: {} } } })
  const listed = await ask('pcg-author', 'tools/list', {}, true)
  const { tools } = listed['result'] as { tools: { name: string; _meta?: unknown }[] } // by the protocol
  const linked = tools.filter(({ _meta }) => _meta !== undefined).map(({ name, _meta }) => [name, _meta])
  expect(linked).toEqual(
    expect.arrayContaining(['patch_pcg_graph', 'show_pcg_turn'].map((name) => [name, { ui: { resourceUri: PAGE } }])),
  )
  expect(linked).toHaveLength(2)
  for (const modern of [false, true]) {
    const all = await ask('pcg-author', 'resources/list', {}, modern)
    expect(all).toMatchObject({ result: { resources: [{ uri: PAGE, mimeType: 'text/html;profile=mcp-app' }] } })
    const read = await ask('pcg-author', 'resources/read', { uri: PAGE }, modern)
    expect(read).toMatchObject({
      result: {
        contents: [{ uri: PAGE, mimeType: 'text/html;profile=mcp-app', _meta: { ui: { prefersBorder: true } } }],
      },
    })
    expect(await ask('pcg-author', 'resources/templates/list', {}, modern)).toMatchObject({
      result: { resourceTemplates: [] },
    })
    const missing = await ask('pcg-author', 'resources/read', { uri: 'ui://gantry/other' }, modern)
    expect(missing).toMatchObject({ error: { code: modern ? -32_602 : -32_002 } })
    expect(await ask('pcg', 'resources/list', {}, modern)).toMatchObject({ error: { code: -32_601 } })
  }
  const rows = itemsOf(await gateway.admin('/admin-api/calls?client=pcg-author&limit=1'))
  expect(rows).toMatchObject([{ outcome: 'error' }])
})

it('answers a patch with pictures as images and a text for clients without pages, and undoes the turn of the same agent', async () => {
  const at = await graphOf(gateway, 'Shown')
  const grid = { do: 'add node', node: 'grid', class: 'PCGCreatePointsGridSettings' }
  const made = await asAuthor(gateway, 'patch_pcg_graph', { ...at, picture: 64, steps: [grid] })
  const content = made['content'] as { type: string; mimeType?: string; data?: string }[] // by the protocol
  expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'image', 'image'])
  expect(content[1]).toMatchObject({ mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) })
  expect(made).toMatchObject({
    structuredContent: {
      diff: expect.stringContaining('+ node'),
      before_and_after: { picture_graph: 'image 1', picture_before: 'image 2', picture_after: 'image 3' },
    },
  })
  const asPerson = fieldsOf(await adminCall(gateway, 'show_pcg_turn', at))
  expect(asPerson).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } })
  // What the agent edits at the address of the twenty tools belongs to the same turn.
  await asAgent(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
  const shown = await asAuthor(gateway, 'show_pcg_turn', { ...at, picture: 64 })
  const { batch_ids } = shown['structuredContent'] as { batch_ids: string[] } // by the catalogue
  expect(batch_ids).toHaveLength(2)
  const undone = await asAuthor(gateway, 'undo_pcg_turn', { batch_ids })
  expect(undone).toMatchObject({ structuredContent: { undone: batch_ids, error: null } })
  expect(await asAgent(gateway, 'get_pcg_graph_info', at)).toMatchObject({ node_count: 0 })
})

it('is guarded like the tools of any backend, and the studio calls it through the same stack', async () => {
  const at = await graphOf(gateway, 'Guarded')
  const tool = '/admin-api/clients/pcg-author/tools/patch_pcg_graph'
  expect((await gateway.admin(tool, { method: 'PATCH', body: { enabled: false } })).status).toBe(200)
  const refused = await asAuthor(gateway, 'patch_pcg_graph', { ...at, steps: [ADD] })
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'disabled' } })
  const asPerson = await adminCall(gateway, 'patch_pcg_graph', { ...at, steps: [ADD] })
  expect(fieldsOf(asPerson)).toMatchObject({ ok: false, refusal: { code: 'disabled' } })
  expect(fieldsOf(await adminCall(gateway, 'lint_pcg_graph', at))).toMatchObject({ ok: true })
  expect((await gateway.admin(tool, { method: 'PATCH', body: { enabled: true } })).status).toBe(200)
})

function withoutAuthor(folder: string): void {
  const database = new Database(join(folder, 'gantry.db'))
  database.exec(`DELETE FROM tools WHERE backend_id = (SELECT id FROM backends WHERE name = 'pcg-author')`)
  database.exec(`DELETE FROM backends WHERE name = 'pcg-author'`)
  database.close()
}

it('comes to an editor that was added before it existed', async () => {
  const folder = aFolder()
  await (await aPcgGateway({}, folder)).stop()
  withoutAuthor(folder)
  const again = await aPcgGateway({}, folder)
  expect(await toolNames(again, 'pcg-author')).toEqual(Object.keys(AUTHORING).toSorted())
})

it('leaves a backend alone that has its name', async () => {
  const folder = aFolder()
  await (await aPcgGateway({}, folder)).stop()
  withoutAuthor(folder)
  const { PCG_ENABLED: _off, ...rest } = PCG_ENV
  const plain = await aGateway(rest, folder)
  const tools = [{ name: 'mine', method: 'GET', endpoint: '/', description: 'd' }]
  const body = { name: 'pcg-author', tools, base_url: 'http://93.184.215.14' }
  expect((await plain.admin('/register', { method: 'POST', body })).status).toBe(200)
  await plain.stop()
  const again = await aPcgGateway({}, folder)
  expect(await toolNames(again, 'pcg-author')).toEqual(['mine'])
  expect(await toolNames(again, 'pcg')).toHaveLength(20)
  expect((await adminCall(again, 'mine', {})).status).toBe(404)
  expect((await again.admin(`${EDITORS}/pcg`, { method: 'DELETE' })).status).toBe(204)
  expect(await toolNames(again, 'pcg-author')).toEqual(['mine'])
})
