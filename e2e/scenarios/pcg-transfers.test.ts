// Graphs from one editor to another, to text and back, and refused readings of a level, over the admin API.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { ADMIN_KEY, aUser, type Gateway, startGateway } from './gateway.fixture.ts'
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

describe('a graph as a document and as text', () => {
  let gateway: Gateway
  let folder = ''
  const cli = (...args: string[]) =>
    gantry({ HOME: folder, GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY }, ['pcg', ...args])
  const document = (editor: string, graph: string) =>
    gateway.admin(`${EDITORS}/${editor}/document?graph=${encodeURIComponent(graph)}`)

  beforeAll(async () => {
    gateway = await startGateway(PCG_ENV)
    folder = mkdtempSync(path.join(tmpdir(), 'gantry-text-'))
    await anEditor(gateway, 'other')
    const call = async (tool: string, args: Record<string, unknown>) =>
      gateway.admin(`${EDITORS}/pcg/call`, { method: 'POST', body: { tool, args } })
    await call('create_pcg_graph', { name: 'Wood' })
    const at = { pcg_graph_path: '/Game/PCG/Wood' }
    await call('add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    await call('set_pcg_node_properties', { ...at, node_name: 'DensityFilter_0', properties: { LowerBound: 0.25 } })
    await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: 'DensityFilter_0' })
  })
  afterAll(async () => {
    await gateway.end()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers 404 without the editor, 400 without the graph, and 403 to a viewer', async () => {
    expect((await document('missing', '/Game/PCG/Wood')).status).toBe(404)
    expect((await document('pcg', '/Game/PCG/None')).status).toBe(400)
    const headers = await aUser(gateway, 'looks-at-documents', 'viewer')
    expect((await gateway.ask(`${EDITORS}/pcg/document?graph=/Game/PCG/Wood`, { headers })).status).toBe(403)
    const request = { method: 'POST', body: { documents: [] }, headers }
    expect((await gateway.ask(`${EDITORS}/pcg/document`, request)).status).toBe(403)
    expect((await gateway.admin(`${EDITORS}/pcg/document`, { method: 'POST', body: { documents: [] } })).status).toBe(
      400,
    )
  })

  it('is exported, compared, checked and built in another editor on the command line', async () => {
    const text = path.join(folder, 'Wood.pcg.yaml')
    expect(await cli('export', '/Game/PCG/Wood', '--from', 'pcg', '-o', text)).toMatchObject({ code: 0, error: '' })
    expect(readFileSync(text, 'utf8')).toContain('      LowerBound: 0.25\n    inputs:\n      In: Input.In\n')
    expect(await cli('diff', text, '/Game/PCG/Wood', '--from', 'pcg')).toMatchObject({
      code: 0,
      out: 'no differences\n',
    })
    // An editor is also named by the project that is open in it.
    const { project } = fieldsOf(await gateway.admin(`${EDITORS}/pcg`))
    expect(await cli('lint', '/Game/PCG/Wood', '--from', String(project))).toMatchObject({
      code: 1,
      out: expect.stringContaining('unused-result'),
    })
    expect(await cli('lint', '/Game/PCG/Wood', '--from', 'Elsewhere')).toMatchObject({
      code: 2,
      error: expect.stringContaining(`pcg (${project})`),
    })
    expect(await cli('import', text, '--to', 'other')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\/Game\/PCG\/Wood +created +1 +1/),
    })
    expect(await cli('diff', text, '/Game/PCG/Wood', '--from', 'other')).toMatchObject({ code: 0 })
    expect(await cli('import', text, '--to', 'other')).toMatchObject({
      code: 1,
      error: expect.stringContaining('replace it'),
    })
    writeFileSync(text, readFileSync(text, 'utf8').replace('0.25', '0.75'))
    expect(await cli('diff', text, '/Game/PCG/Wood', '--from', 'other')).toMatchObject({
      code: 1,
      out: expect.stringContaining('0.75 → 0.25'),
    })
    expect(await cli('import', text, '--to', 'other', '--replace')).toMatchObject({
      code: 0,
      out: expect.stringContaining('replaced'),
    })
    const kept = itemsOf(await gateway.admin(`${EDITORS}/other/snapshots`))
    expect(kept).toMatchObject([{ graph: '/Game/PCG/Wood', label: 'Before the import' }])
    expect(itemsOf(await gateway.admin('/admin-api/audit-log?action=pcg.graph.import'))).toHaveLength(2)
    expect(await cli('export', '/Game/PCG/None', '--from', 'pcg')).toMatchObject({ code: 1 })
  })

  it('carries assertions into an editor, where the command line runs them', async () => {
    const text = path.join(folder, 'Tested.pcg.yaml')
    const graph = (most: number) =>
      `pcg: 1\ngraph: /Game/PCG/Tested\nnodes:\n  Grid:\n    class: PCGCreatePointsGridSettings\noutputs:\n  Out: Grid.Out\ntests:\n  assertions:\n    - { check: count, max: ${most}, of: Grid }\n    - { check: deterministic }\n`
    writeFileSync(text, graph(5))
    expect(await cli('import', text, '--to', 'other')).toMatchObject({ code: 0 })
    expect(await cli('test', '/Game/PCG/Tested', '--from', 'other')).toMatchObject({
      code: 1,
      out: expect.stringContaining('at most 5'),
    })
    writeFileSync(text, graph(1000))
    expect(await cli('import', text, '--to', 'other', '--replace')).toMatchObject({ code: 0 })
    const junit = path.join(folder, 'tested.xml')
    expect(await cli('test', '/Game/PCG/Tested', '--from', 'other', '--junit', junit)).toMatchObject({ code: 0 })
    expect(readFileSync(junit, 'utf8')).toContain('tests="2" failures="0"')
    const back = path.join(folder, 'Back.pcg.yaml')
    expect(await cli('export', '/Game/PCG/Tested', '--from', 'other', '-o', back)).toMatchObject({ code: 0 })
    expect(readFileSync(back, 'utf8')).toContain('check: deterministic')
    expect(await cli('test', '/Game/PCG/Wood', '--from', 'other')).toMatchObject({ code: 2 })
  })

  it('is changed by a patch on the command line, as one undo with one audit row', async () => {
    const steps = path.join(folder, 'steps.yaml')
    writeFileSync(
      steps,
      '- { do: add node, node: keep, class: PCGSelfPruningSettings }\n- { do: connect, from: DensityFilter_0, fromPin: Out, to: keep, toPin: In }\n',
    )
    const line = ['patch', '/Game/PCG/Wood', steps, '--to', 'pcg']
    const rows = async () => itemsOf(await gateway.admin('/admin-api/audit-log?action=pcg.graph.patch'))
    expect(await cli(...line, '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^2 changes \(dry run\)\nwarning keep: no node reads its result/),
    })
    expect(await rows()).toEqual([])
    expect(await cli(...line)).toMatchObject({ code: 0, error: expect.stringContaining('keep is named SelfPruning_0') })
    expect(await rows()).toHaveLength(1)
    const [last] = itemsOf(await gateway.admin(`${EDITORS}/pcg/history`))
    const body = { batchId: last?.['batchId'] }
    expect(await gateway.admin(`${EDITORS}/pcg/undo`, { method: 'POST', body })).toMatchObject({ json: { applied: 2 } })
    expect((await cli(...line.slice(0, 2), steps, '--to', 'missing')).code).toBe(2)
    writeFileSync(steps, '- { do: remove node, node: Ghost }\n')
    expect(await cli(...line)).toMatchObject({
      code: 1,
      error: expect.stringContaining('step 1: the graph has no node Ghost'),
    })
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
