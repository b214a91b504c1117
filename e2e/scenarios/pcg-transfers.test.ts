// Graphs from one editor to another and refused readings of a level, over the admin API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aUser, type Gateway, startGateway } from './gateway.fixture.ts'
import { anEditor, EDITORS, fieldsOf, itemsOf, PCG_ENV } from './pcg.fixture.ts'

describe('copying a graph between editors', () => {
  let gateway: Gateway
  const call = async (editor: string, tool: string, args: Record<string, unknown>) =>
    fieldsOf(await gateway.admin(`${EDITORS}/${editor}/call`, { method: 'POST', body: { tool, args } }))
  const copy = (body: Record<string, unknown>) => gateway.admin(`${EDITORS}/pcg/copy`, { method: 'POST', body })

  beforeAll(async () => {
    gateway = await startGateway(PCG_ENV)
    await anEditor(gateway, 'other')
    await call('pcg', 'create_pcg_graph', { name: 'Wood' })
    const at = { pcg_graph_path: '/Game/PCG/Wood' }
    await call('pcg', 'add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    await call('pcg', 'add_pcg_graph_parameter', { ...at, name: 'Trees', type: 'int' })
  })

  afterAll(() => gateway.end())

  it('answers 404 for an editor that does not exist, on either side', async () => {
    expect((await copy({ graph: '/Game/PCG/Wood', to: 'missing' })).status).toBe(404)
    const from = await gateway.admin(`${EDITORS}/missing/copy`, {
      method: 'POST',
      body: { graph: '/Game/A', to: 'pcg' },
    })
    expect(from.status).toBe(404)
  })

  it('answers 400 for a graph that does not exist, and for one that exists in the target', async () => {
    expect((await copy({ graph: '/Game/PCG/None', to: 'other' })).status).toBe(400)
    const same = await copy({ graph: '/Game/PCG/Wood', to: 'pcg' })
    expect(same).toMatchObject({ status: 400, json: { error: { message: expect.stringContaining('replace it') } } })
  })

  it('copies, reports, writes an audit row, and takes a snapshot before it replaces', async () => {
    const made = await copy({ graph: '/Game/PCG/Wood', to: 'other' })
    expect(made).toMatchObject({
      status: 200,
      json: { graph: '/Game/PCG/Wood', graphs: [{ outcome: 'created', nodes: 1, parameters: 1 }], lost: [] },
    })
    const shown = await call('other', 'get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Wood' })
    expect(shown).toMatchObject({ ok: true, result: { node_count: 1 } })
    expect(await copy({ graph: '/Game/PCG/Wood', to: 'other', replace: true })).toMatchObject({
      status: 200,
      json: { graphs: [{ outcome: 'replaced' }] },
    })
    const kept = itemsOf(await gateway.admin(`${EDITORS}/other/snapshots`))
    expect(kept).toMatchObject([{ graph: '/Game/PCG/Wood', label: 'Before the copy from pcg' }])
    const rows = itemsOf(await gateway.admin('/admin-api/audit-log?action=pcg.graph.copy'))
    expect(rows).toHaveLength(2)
    const history = itemsOf(await gateway.admin(`${EDITORS}/other/history`))
    expect(history[0]).toMatchObject({ tool: 'copy_graph', label: 'Copy from pcg' })
  })
})

describe('reading a level into an embedded editor', () => {
  let gateway: Gateway
  const read = (editor: string, body: Record<string, unknown>) =>
    gateway.admin(`${EDITORS}/${editor}/read-level`, { method: 'POST', body })

  beforeAll(async () => {
    gateway = await startGateway(PCG_ENV)
    await anEditor(gateway, 'other')
  })

  afterAll(() => gateway.end())

  it('answers 404 for an editor that does not exist, on either side', async () => {
    expect((await read('missing', { from: 'other' })).status).toBe(404)
    expect((await read('pcg', { from: 'missing' })).status).toBe(404)
  })

  it('answers 400 for an embedded source and for a resolution out of range', async () => {
    expect(await read('pcg', { from: 'other' })).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('name a real editor') } },
    })
    expect((await read('pcg', { from: 'other', resolution: 258 })).status).toBe(400)
  })

  it('answers 403 for a viewer, and writes no audit row for what was refused', async () => {
    const headers = await aUser(gateway, 'looks-at-levels', 'viewer')
    const request = { method: 'POST', body: { from: 'other' }, headers }
    const refused = await gateway.ask(`${EDITORS}/pcg/read-level`, request)
    expect(refused.status).toBe(403)
    expect(itemsOf(await gateway.admin('/admin-api/audit-log?action=pcg.level.read'))).toEqual([])
  })
})
