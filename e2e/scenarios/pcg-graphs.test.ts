// What is kept of graphs beside their nodes: who changed what, how to take it back, how they are arranged, how they stood.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import {
  aPcgGateway,
  asAgent,
  asPerson,
  EDITORS,
  fieldsOf,
  itemsOf,
  listen,
  mcpCall,
  PCG_ENV,
  until,
} from './pcg.fixture.ts'

// Several gateways start in one test, and the machine may be busy with others.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ ...PCG_ENV, MCP_API_KEYS: 'key-of-one-agent,key-of-another' })
})
afterAll(() => gateway.end())

type Fields = Record<string, unknown>
const AT = `${EDITORS}/pcg`
const ONE = { authorization: 'Bearer key-of-one-agent' }
const OTHER = { authorization: 'Bearer key-of-another' }
const get = (path: string) => gateway.admin(`${AT}/${path}`)
const post = (path: string, body: unknown) => gateway.admin(`${AT}/${path}`, { method: 'POST', body })
const undo = async (body: unknown): Promise<Fields> => fieldsOf(await post('undo', body))
const change = async (graph: string, at = 0): Promise<Fields> =>
  itemsOf(await get(`history?graph=${graph}`))[at] ?? expect.unreachable('no such change')
const info = async (at: Fields): Promise<Fields> => asPerson(gateway, 'get_pcg_graph_info', at)
const stateOf = async (at: Fields): Promise<unknown> => {
  const { nodes, edges } = await info(at)
  const { parameters } = await asPerson(gateway, 'get_pcg_graph_parameters', at)
  return [nodes, edges, parameters]
}

/** A graph with a sampler wired through, made by an agent in one go. */
async function aGraph(name: string, headers = ONE): Promise<{ at: Fields; graph: string; sampler: string }> {
  const { asset_path } = await asAgent(gateway, 'create_pcg_graph', { name }, headers)
  const at = { pcg_graph_path: asset_path }
  const { node_name } = await asAgent(
    gateway,
    'add_pcg_node',
    { ...at, node_type: 'PCGSurfaceSamplerSettings' },
    headers,
  )
  await asAgent(gateway, 'connect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name }, headers)
  await asAgent(gateway, 'connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' }, headers)
  return { at, graph: String(asset_path), sampler: String(node_name) }
}

describe('history', () => {
  it('returns who, how and what, newest first, page by page [ct.7.9.history ct.7.9.change-record]', async () => {
    const { at, graph, sampler } = await aGraph('Recorded')
    await asPerson(gateway, 'remove_pcg_node', { ...at, node_name: sampler }, { batchId: 'cut', label: 'Cut it' })
    const all = itemsOf(await get(`history?graph=${graph}.Recorded`))
    expect(all.map(({ tool }) => tool)).toEqual([
      'remove_pcg_node',
      'connect_pcg_nodes',
      'connect_pcg_nodes',
      'add_pcg_node',
      'create_pcg_graph',
    ])
    expect(all[0]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      actor: expect.stringMatching(/^bearer:/),
      source: 'ui',
      batchId: 'cut',
      label: 'Cut it',
      tool: 'remove_pcg_node',
      args: { ...at, node_name: sampler },
      graph,
      undoable: true,
      undone: false,
      requestId: expect.any(String),
    })
    expect(all[1]).toMatchObject({ actor: expect.stringMatching(/^mcp-env:/), source: 'mcp', batchId: all[4]?.batchId })
    expect(all[4]).toMatchObject({ undoable: false })
    const first = await get(`history?graph=${graph}&limit=2`)
    const second = await get(`history?graph=${graph}&limit=2&cursor=${String(fieldsOf(first).nextCursor)}`)
    expect([...itemsOf(first), ...itemsOf(second)]).toEqual(all.slice(0, 4))
    expect((await get('history?graph=/Game/Nowhere')).json).toMatchObject({
      error: { code: 'VALIDATION_ERROR', fields: [{ path: 'graph', message: 'PCG graph not found' }] },
    })
  })
})

describe('an agent and a person on one graph', () => {
  it('the agent’s turn is undone as one, and the person’s edits stay [ct.7.9.undo]', async () => {
    const { at, graph, sampler } = await aGraph('Shared')
    await asPerson(gateway, 'set_pcg_node_properties', { ...at, node_name: sampler, properties: { Looseness: 0.25 } })
    // A second turn of the agent begins under another key, because the first has not paused long enough.
    const mine = { ...at, node_name: sampler }
    await asAgent(gateway, 'set_pcg_node_properties', { ...mine, properties: { PointsPerSquaredMeter: 2 } }, OTHER)
    await asAgent(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }, OTHER)
    const turn = await change(graph)
    expect((await change(graph, 1)).batchId).toBe(turn.batchId)
    expect((await change(graph, 2)).batchId).toBeNull()

    const dry = await undo({ batchId: turn.batchId, dryRun: true })
    expect(dry).toMatchObject({ applied: 0, failed: null })
    expect((dry.calls as Fields[]).map(({ tool }) => tool)).toEqual(['remove_pcg_node', 'set_pcg_node_properties'])
    expect(await info(at)).toMatchObject({ node_count: 2 })

    expect(await undo({ batchId: turn.batchId })).toMatchObject({ applied: 2, failed: null })
    const { properties } = await asPerson(gateway, 'get_pcg_node_properties', mine)
    expect(properties).toMatchObject({ Looseness: 0.25, PointsPerSquaredMeter: 0.1 })
    expect(await info(at)).toMatchObject({ node_count: 1 })
    const audit = itemsOf(await gateway.admin('/admin-api/audit-log?action=pcg.undo'))
    expect(audit[0]).toMatchObject({ target: 'pcg', detail: { batchId: turn.batchId, applied: 2 } })
  })

  it('neither takes back what the other changed since: nothing is done, and it says why', async () => {
    const { at, graph, sampler } = await aGraph('Contested')
    const set = (Looseness: number) => ({ ...at, node_name: sampler, properties: { Looseness } })
    await asAgent(gateway, 'set_pcg_node_properties', set(0.5), OTHER)
    const { batchId } = await change(graph)
    await asPerson(gateway, 'set_pcg_node_properties', set(0.75))
    const before = await stateOf(at)
    const failed = await undo({ batchId })
    expect(failed).toMatchObject({ applied: 0, failed: { message: expect.stringContaining('changed since') } })
    expect(await stateOf(at)).toEqual(before)
    expect(await change(graph, 1)).toMatchObject({ undone: false })
    // The person first, then the agent: from the newest back, everything goes.
    const { id } = await change(graph)
    expect(await undo({ changeId: id })).toMatchObject({ applied: 1, failed: null })
    expect(await undo({ batchId })).toMatchObject({ applied: 1, failed: null })
  })

  it('each sees the other’s edits live, with their author', async () => {
    const { at, graph } = await aGraph('Live')
    const { received } = await listen(gateway, `${AT}/events?graph=${graph}`)
    await until(() => received.length > 0)
    await Promise.all([
      asAgent(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }, OTHER),
      asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }),
    ])
    const changes = await until(() => {
      const found = received.filter(({ event }) => event === 'graph.changed').map(({ data }) => data.change as Fields)
      return found.length === 2 && found
    })
    expect(new Set(changes.map(({ source }) => source))).toEqual(new Set(['mcp', 'ui']))
    expect(new Set(changes.map(({ actor }) => actor)).size).toBe(2)
    expect(await info(at)).toMatchObject({ node_count: 3 })
  })

  it('a whole turn goes but for the empty graph it began with', async () => {
    const { at, graph } = await aGraph('Begun', OTHER)
    const { batchId } = await change(graph)
    expect(await undo({ batchId })).toMatchObject({ failed: null })
    expect(await info(at)).toMatchObject({ node_count: 0, edge_count: 0 })
  })
})

describe('undo', () => {
  it('of an unknown or final change is NOT_UNDOABLE [ct.7.9.undo ct.18.not_undoable]', async () => {
    const { graph } = await aGraph('Fixed')
    const { id } = itemsOf(await get(`history?graph=${graph}`)).at(-1) ?? {}
    for (const body of [{ batchId: 'unknown' }, { changeId: 999_999 }, { changeId: id }]) {
      const answer = await post('undo', body)
      expect(answer.json).toMatchObject({ error: { code: 'NOT_UNDOABLE' } })
      expect(answer.status).toBe(409)
    }
    for (const body of [{}, { batchId: 'a', changeId: 1 }])
      expect((await post('undo', body)).json).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
  })
})

describe('a layout', () => {
  const LAYOUT = {
    nodes: { Surface: { x: 1, y: 2, w: 200, h: 80, collapsed: true, color: '#aabbcc' } },
    comments: [{ id: 'c1', x: 0, y: 0, w: 300, h: 200, text: 'Ground', color: '#112233', nodes: ['Surface'] }],
    reroutes: [{ id: 'r1', edge: 'a.Out > b.In', x: 5, y: 6 }],
    bookmarks: [{ slot: 1, x: 0, y: 0, zoom: 0.5 }],
  }
  const put = (graph: string, body: unknown, headers = {}) =>
    gateway.admin(`${AT}/layout?graph=${graph}`, { method: 'PUT', body, headers })

  it('is read, stored with its revision, and refused when another user was faster [ct.7.9.layout ct.7.9.layout-record]', async () => {
    const { graph, sampler } = await aGraph('Arranged')
    const empty = await get(`layout?graph=${graph}`)
    expect(fieldsOf(empty)).toEqual({ graph, nodes: {}, comments: [], reroutes: [], bookmarks: [], revision: 1 })
    expect(empty.headers.get('etag')).toBe('"1"')
    const mine = { ...LAYOUT, nodes: { [sampler]: LAYOUT.nodes.Surface } }
    const stored = await put(graph, mine, { 'if-match': '"1"' })
    expect(fieldsOf(stored)).toEqual({ ...mine, graph, revision: 2 })
    expect(fieldsOf(await get(`layout?graph=${graph}.Arranged`))).toEqual({ ...mine, graph, revision: 2 })
    const late = await put(graph, { ...mine, comments: [] }, { 'if-match': '"1"' })
    expect(late.json).toMatchObject({ error: { code: 'PRECONDITION_FAILED', details: { currentRevision: 2 } } })
    expect((await put(graph, { ...mine, revision: 1 })).status).toBe(412)
    expect(fieldsOf(await put(graph, fieldsOf(stored)))).toMatchObject({ revision: 3 })
    // The editor has it too: an agent that looks sees where the nodes are.
    const shown = await asPerson(gateway, 'get_pcg_graph_layout', { pcg_graph_path: graph })
    expect(shown).toMatchObject({ nodes: [{ node_name: sampler, x: 1, y: 2 }], comments: [{ id: 'c1' }] })
  })

  it('of two who are right about the revision only one is [ct.7.9.layout]', async () => {
    const { graph } = await aGraph('Raced')
    const answers = await Promise.all(Array.from({ length: 6 }, () => put(graph, LAYOUT, { 'if-match': '"1"' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(5)
  })

  it('is refused when it is too large, misshapen or of no graph [ct.7.9.layout]', async () => {
    const { graph } = await aGraph('Refused')
    const text = 'x'.repeat(4000)
    const comments = Array.from({ length: 300 }, (_, at) => ({ id: `c${at}`, x: 0, y: 0, w: 1, h: 1, text }))
    expect((await put(graph, { comments })).status).toBe(413)
    for (const body of [
      { nodes: { a: { x: 'one', y: 2 } } },
      { nodes: { a: { x: 1 } } },
      { bookmarks: [{ slot: 10, x: 0, y: 0, zoom: 1 }] },
      { pins: [] },
    ])
      expect((await put(graph, body)).json).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    for (const nowhere of ['/Game/Nowhere', '/Game/../../etc/passwd', 'C:%5Cx', '/Game/CON'])
      expect((await put(nowhere, LAYOUT)).json).toMatchObject({ error: { fields: [{ path: 'graph' }] } })
  })

  it('outlives the process', async () => {
    const folder = gateway.folder
    const { graph } = await aGraph('Durable')
    await put(graph, LAYOUT)
    await gateway.stop()
    gateway = await startGateway({ ...PCG_ENV, MCP_API_KEYS: 'key-of-one-agent,key-of-another' }, folder)
    expect(fieldsOf(await get(`layout?graph=${graph}`))).toMatchObject({ ...LAYOUT, revision: 2 })
  })
})

describe('a snapshot', () => {
  /** What a studio does with `restore`: one call after another, names of nodes that came back filled in. */
  async function restore(calls: readonly Fields[]): Promise<void> {
    const results: Fields[] = []
    for (const { tool, args } of calls) {
      const filled: unknown = JSON.parse(
        JSON.stringify(args).replace(/\{\{(\d+)\.node_name\}\}/g, (_all, at: string) =>
          String(results[Number(at)]?.node_name),
        ),
      )
      results.push(await asPerson(gateway, String(tool), filled as Fields, { batchId: 'restore' }))
    }
  }
  const diff = async (id: unknown, against = 'current'): Promise<{ entries: Fields[]; restore: Fields[] }> =>
    fieldsOf(await get(`snapshots/${String(id)}/diff?against=${against}`)) as { entries: Fields[]; restore: Fields[] } // the reply's shape

  it('is taken, listed, compared and led back to [ct.7.9.snapshots ct.7.9.snapshot-record ct.7.9.snapshot-diff]', async () => {
    const { at, graph, sampler } = await aGraph('Kept')
    await asPerson(gateway, 'add_pcg_graph_parameter', { ...at, name: 'Amount', type: 'int' })
    const before = await stateOf(at)
    const taken = await post('snapshots', { graph: `${graph}.Kept`, label: 'Before' })
    expect(taken.status).toBe(201)
    expect(fieldsOf(taken)).toEqual({
      id: expect.any(Number),
      graph,
      label: 'Before',
      createdAt: expect.stringMatching(/Z$/),
      createdBy: expect.stringMatching(/^bearer:/),
      nodeCount: 1,
      edgeCount: 2,
    })
    const { id } = fieldsOf(taken)
    expect(await diff(id)).toEqual({ entries: [], restore: [] })

    await asPerson(gateway, 'set_pcg_node_properties', { ...at, node_name: sampler, properties: { Looseness: 0.5 } })
    await asPerson(gateway, 'set_pcg_graph_parameter', { ...at, name: 'Amount', value: '7' })
    await asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
    await asPerson(gateway, 'disconnect_pcg_nodes', { ...at, from_node: sampler, to_node: 'Output' })
    const now = await diff(id)
    expect(now.entries.map(({ path, kind }) => `${String(kind)} ${String(path)}`)).toEqual([
      'added /nodes/Merge_0',
      `changed /nodes/${sampler}/properties/Looseness`,
      `removed /edges/${sampler}.Out > DefaultOutputNode.Out`,
      'changed /parameters/Amount',
    ])
    expect(now.entries[1]).toMatchObject({ before: 1, after: 0.5 })
    // As a document it is what an editor exports, without titles and positions.
    const { documents } = fieldsOf(await get(`snapshots/${String(id)}/document`)) as { documents: Fields[] } // the reply's shape
    expect(documents).toMatchObject([
      {
        path: graph,
        nodes: [{ name: sampler, class: 'PCGSurfaceSamplerSettings', title: null, properties: { Looseness: 1 } }],
        edges: [
          ['Input', 'In', sampler, 'Surface'],
          [sampler, 'Out', 'Output', 'Out'],
        ],
        parameters: [{ name: 'Amount', type: 'int', value: 0 }],
      },
    ])
    const second = fieldsOf(await post('snapshots', { graph })).id
    expect((await diff(id, String(second))).entries).toEqual(now.entries)
    expect(itemsOf(await get(`snapshots?graph=${graph}`)).map((one) => one.id)).toEqual([second, id])

    await restore(now.restore)
    expect((await diff(id)).entries).toEqual([])
    expect(await stateOf(at)).toEqual(before)
  })

  it('brings back a node that is gone, with its properties and wires, under its new name [ct.7.9.snapshot-diff]', async () => {
    const { at, graph, sampler } = await aGraph('Lost')
    await asPerson(gateway, 'set_pcg_node_properties', { ...at, node_name: sampler, properties: { Looseness: 0.5 } })
    const { id } = fieldsOf(await post('snapshots', { graph }))
    await asPerson(gateway, 'remove_pcg_node', { ...at, node_name: sampler })
    await restore((await diff(id)).restore)
    const { nodes, edge_count } = await info(at)
    const [node] = nodes as Fields[]
    expect([edge_count, node?.settings_class]).toEqual([2, 'PCGSurfaceSamplerSettings'])
    const { properties } = await asPerson(gateway, 'get_pcg_node_properties', { ...at, node_name: node?.node_name })
    expect(properties).toMatchObject({ Looseness: 0.5 })
  })

  it('restores the order in which a pin reads', async () => {
    const { at, graph } = await aGraph('Ordered')
    const add = async () =>
      (await asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGCreatePointsSettings' })).node_name
    const [a, b, merge] = [
      await add(),
      await add(),
      (await asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })).node_name,
    ]
    const wire = (from: unknown) => ({ ...at, from_node: from, to_node: merge })
    await asPerson(gateway, 'connect_pcg_nodes', wire(a))
    await asPerson(gateway, 'connect_pcg_nodes', wire(b))
    const { id } = fieldsOf(await post('snapshots', { graph }))
    await asPerson(gateway, 'disconnect_pcg_nodes', wire(a))
    await asPerson(gateway, 'connect_pcg_nodes', wire(a))
    const changed = await diff(id)
    expect(changed.entries).toMatchObject([{ kind: 'changed', path: `/order/${String(merge)}.In` }])
    await restore(changed.restore)
    expect((await diff(id)).entries).toEqual([])
  })

  it('that does not exist is SNAPSHOT_NOT_FOUND, of another editor too', async () => {
    const { graph } = await aGraph('Mine')
    const { id } = fieldsOf(await post('snapshots', { graph }))
    await gateway.admin(EDITORS, { method: 'POST', body: { name: 'unrelated', driver: 'embedded' } })
    for (const path of [
      `${AT}/snapshots/999999/diff`,
      `${AT}/snapshots/${String(id)}/diff?against=999999`,
      `${AT}/snapshots/x/diff`,
      `${AT}/snapshots/999999/document`,
      `${EDITORS}/unrelated/snapshots/${String(id)}/document`,
      `${EDITORS}/unrelated/snapshots/${String(id)}/diff`,
    ])
      expect((await gateway.admin(path)).json).toMatchObject({ error: { code: 'SNAPSHOT_NOT_FOUND' } })
  })
})

it('agents of one name but two sessions have turns of their own', async () => {
  const open = await aPcgGateway()
  const session = async (): Promise<Record<string, string>> => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    }
    const headers = { accept: 'application/json, text/event-stream' }
    const answer = await open.ask('/mcp/pcg', { method: 'POST', body, headers })
    return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' }
  }
  const [one, two] = [await session(), await session()]
  await asAgent(open, 'create_pcg_graph', { name: 'T' }, one)
  const node = { pcg_graph_path: '/Game/PCG/T', node_type: 'PCGMergeSettings' }
  await asAgent(open, 'add_pcg_node', node, two)
  await asAgent(open, 'add_pcg_node', node, one)
  const turns = itemsOf(await open.admin(`${EDITORS}/pcg/history`)).map(({ batchId }) => batchId)
  expect(turns[0]).toBe(turns[2])
  expect(turns[1]).not.toBe(turns[0])
})

describe('agents that share a project', () => {
  const BOX = { node_type: 'PCGMergeSettings' }

  it('the second reads who holds the graph; a person takes it over and gives it back, in the audit log', async () => {
    const { at, graph } = await aGraph('Leased')
    await mcpCall(gateway, 'lease_pcg_graph', at, { editor: 'pcg-author', headers: ONE })
    await asAgent(gateway, 'add_pcg_node', { ...at, ...BOX }, ONE)
    const refused = await mcpCall(gateway, 'add_pcg_node', { ...at, ...BOX }, { headers: OTHER })
    expect(refused).toMatchObject({ isError: true, _meta: { 'gantry/failure': { kind: 'editor_busy' } } })
    expect(JSON.stringify(refused)).toContain(`${graph} is held by`)
    const { leases } = fieldsOf(await gateway.admin(AT))
    expect(leases).toMatchObject([{ graph, person: false }])
    expect(fieldsOf(await post('leases', { graph }))).toMatchObject({ graph, person: true })
    const mine = await mcpCall(gateway, 'add_pcg_node', { ...at, ...BOX }, { headers: ONE })
    expect(JSON.stringify(mine)).toContain('a person,')
    expect(await info(at)).toMatchObject({ node_count: 2 })
    const freed = await gateway.admin(`${AT}/leases?graph=${graph}`, { method: 'DELETE' })
    expect(fieldsOf(freed)).toEqual({ released: true })
    await asAgent(gateway, 'add_pcg_node', { ...at, ...BOX }, OTHER)
    const taken = itemsOf(await gateway.admin('/admin-api/audit-log?action=pcg.lease.take'))
    expect(taken[0]).toMatchObject({ target: 'pcg', detail: { graph } })
    expect(itemsOf(await gateway.admin('/admin-api/audit-log?action=pcg.lease.release'))).toHaveLength(1)
  })

  it('a window that was not shown is not answered, and the built-in editor has no change lists', async () => {
    expect(fieldsOf(await post('dialog', { id: '1', answer: 'confirm' }))).toEqual({ answered: false })
    expect((await post('change-list', { batchId: 'none' })).status).toBe(400)
  })
})
