// Calls of editor tools from both sides: one guard stack, one queue, one result each, and their events.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { CATALOG } from '#pcg-catalog'
import { PCG_CODES } from '#pcg-contract'
import { type Double, NO_PYTHON, startDouble } from '../../pcg-bridge/unreal/double.fixture.ts'
import { aUser, type Gateway, startGateway } from './gateway.fixture.ts'
import {
  adminCall,
  anEditor,
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
  gateway = await startGateway(PCG_ENV)
})
afterAll(() => gateway.end())

/** A graph of its own for one test. */
async function aGraph(name: string, editor = 'pcg'): Promise<{ pcg_graph_path: string }> {
  const { asset_path } = await asPerson(gateway, 'create_pcg_graph', { name }, { editor })
  return { pcg_graph_path: String(asset_path) }
}

describe('over MCP', () => {
  it('hints follow the class of the tool, and none is open-world [ct.5.11.pcg ct.7.9.read-only ct.7.9.additive ct.7.9.additive-again ct.7.9.destructive ct.7.9.destructive-again]', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { accept: 'application/json, text/event-stream' }
    const answer = fieldsOf(await gateway.ask('/mcp/pcg', { method: 'POST', body, headers }))
    const { tools } = answer.result as { tools: { name: string; annotations: Record<string, unknown> }[] } // listed tools
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations
    const groups = {
      'true false true': [
        'get_pcg_graph_info',
        'list_pcg_node_types',
        'get_pcg_node_properties',
        'get_pcg_graph_parameters',
        'get_pcg_component_info',
        'get_pcg_generated_data',
      ],
      'false false false': ['add_pcg_node', 'add_pcg_subgraph_node', 'generate_pcg_component', 'spawn_pcg_volume'],
      'false false true': ['create_pcg_graph', 'add_pcg_graph_parameter', 'add_pcg_component'],
      'false true false': ['cleanup_pcg_component'],
      'false true true': [
        'remove_pcg_node',
        'connect_pcg_nodes',
        'disconnect_pcg_nodes',
        'set_pcg_node_properties',
        'set_pcg_graph_parameter',
        'set_pcg_component_properties',
      ],
    }
    const received = Object.keys(CATALOG).map((name) => {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints(name) ?? {}
      return [name, `${String(readOnlyHint)} ${String(destructiveHint)} ${String(idempotentHint)}`, openWorldHint]
    })
    const expected = Object.entries(groups).flatMap(([is, names]) => names.map((name) => [name, is, false]))
    expect(received).toHaveLength(expected.length)
    expect(received).toEqual(expect.arrayContaining(expected))
  })

  it('a result is its object as text and structured, an error a failure with its code and fixed message [ct.7.9.mcp-result]', async () => {
    const good = await mcpCall(gateway, 'create_pcg_graph', { name: 'Both' })
    expect(JSON.parse((good.content as { text: string }[])[0]?.text ?? '')).toEqual(good.structuredContent)
    expect(good.structuredContent).toMatchObject({ asset_path: '/Game/PCG/Both' })
    for (const [tool, args, code, text] of [
      ['get_pcg_graph_info', { pcg_graph_path: '/Game/Nothing' }, 'GRAPH_NOT_FOUND', 'PCG graph not found'],
      [
        'remove_pcg_node',
        { pcg_graph_path: '/Game/PCG/Both', node_name: 'Output' },
        'IMPLICIT_NODE',
        'Input/Output nodes cannot be removed',
      ],
    ] as const) {
      const bad = await mcpCall(gateway, tool, args)
      expect(bad).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
      expect(bad._meta).toMatchObject({ 'gantry/failure': { kind: 'upstream_error', details: { code } } })
      expect(bad.structuredContent).toBeUndefined()
    }
  })

  it('an absent parameter value is an argument that is missing, though the schema does not ask for it [ct.7.9.value-argument]', async () => {
    const at = await aGraph('Valueless')
    await asAgent(gateway, 'add_pcg_graph_parameter', { ...at, name: 'Density', type: 'double' })
    const bad = await mcpCall(gateway, 'set_pcg_graph_parameter', { ...at, name: 'Density' })
    expect(bad._meta).toMatchObject({ 'gantry/failure': { details: { code: 'INVALID_ARGUMENT' } } })
  })
})

describe('from the admin side', () => {
  it('a call answers result, error or refusal, and the change it became [ct.7.9.call ct.7.9.call-result]', async () => {
    const at = await aGraph('Sides')
    const made = fieldsOf(
      await adminCall(
        gateway,
        'add_pcg_node',
        { ...at, node_type: 'PCGMergeSettings' },
        { batchId: 'b1', label: 'Add' },
      ),
    )
    expect(made).toEqual({
      ok: true,
      result: expect.objectContaining({ node_name: 'Merge_0', saved: true }),
      error: null,
      refusal: null,
      requestId: expect.any(String),
      durationMs: expect.any(Number),
      changeId: expect.any(Number),
    })
    const [change] = itemsOf(await gateway.admin(`${EDITORS}/pcg/history?graph=${at.pcg_graph_path}&limit=1`))
    expect(change).toMatchObject({
      id: made.changeId,
      batchId: 'b1',
      label: 'Add',
      requestId: made.requestId,
      source: 'ui',
    })

    const wrong = fieldsOf(await adminCall(gateway, 'remove_pcg_node', { ...at, node_name: 'Input' }))
    expect(wrong).toMatchObject({
      ok: false,
      result: null,
      error: { code: 'IMPLICIT_NODE' },
      refusal: null,
      changeId: null,
    })
    const odd = fieldsOf(await adminCall(gateway, 'remove_pcg_node', { ...at, node_name: 7 }))
    expect(odd).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } })
    expect((await adminCall(gateway, 'no_such_tool', {})).status).toBe(404)
    expect(fieldsOf(await adminCall(gateway, 'search_tools', { query: 'x' }))).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND' },
    })
  })

  it('the same guards stand in the way: what is off is refused, what is sensitive wants a word [ct.7.9.call]', async () => {
    const editor = 'guarded'
    await anEditor(gateway, editor)
    const at = await aGraph('Guarded', editor)
    const set = (tool: string, body: unknown) =>
      gateway.admin(`/admin-api/clients/${editor}/tools/${tool}`, { method: 'PATCH', body })
    const person = await aUser(gateway, 'pcg-operator', 'operator')
    const call = (tool: string, args: object, more: object = {}) =>
      gateway.ask(`${EDITORS}/${editor}/call`, { method: 'POST', body: { tool, args, ...more }, headers: person })

    await set('add_pcg_node', { sensitive: true })
    const node = { ...at, node_type: 'PCGMergeSettings' }
    expect(fieldsOf(await call('add_pcg_node', node))).toMatchObject({
      ok: false,
      refusal: { code: 'confirm_required', gate: 'confirmation', tool: 'add_pcg_node' },
    })
    expect(fieldsOf(await call('add_pcg_node', node, { confirm: true }))).toMatchObject({ ok: true })
    await set('add_pcg_node', { enabled: false })
    expect(fieldsOf(await call('add_pcg_node', node, { confirm: true }))).toMatchObject({
      refusal: { code: 'disabled' },
    })
    await set('get_pcg_graph_info', { guardrails: { denyPatterns: ['Secret'] } })
    expect(fieldsOf(await call('get_pcg_graph_info', { pcg_graph_path: '/Game/Secret' }))).toMatchObject({
      refusal: { code: 'guardrail_input' },
    })
    await set('list_pcg_node_types', { guards: { rateLimitPerMin: 1 } })
    await call('list_pcg_node_types', {})
    expect(fieldsOf(await call('list_pcg_node_types', {}))).toMatchObject({ refusal: { code: 'rate_limit' } })
  })

  it('the reading tools beside the twenty are called the same way', async () => {
    expect(await asPerson(gateway, 'list_pcg_graphs', {})).toHaveProperty('graphs')
    const none = await mcpCall(gateway, 'list_pcg_graphs', {})
    expect(none).toMatchObject({ isError: true, structuredContent: { code: 'unknown_tool' } })
  })
})

describe('every failure', () => {
  it('carries one of the listed codes [ct.7.9.codes]', async () => {
    const at = await aGraph('Codes')
    const nowhere = { pcg_graph_path: '/Game/None' }
    await asPerson(gateway, 'add_pcg_graph_parameter', { ...at, name: 'N', type: 'int' })
    const { node_name: a } = await asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
    const { node_name: b } = await asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
    await asPerson(gateway, 'connect_pcg_nodes', { ...at, from_node: a, to_node: b })
    const received = new Set<unknown>()
    for (const [code, tool, args] of [
      ['GRAPH_NOT_FOUND', 'get_pcg_graph_info', nowhere],
      ['NODE_NOT_FOUND', 'get_pcg_node_properties', { ...at, node_name: 'Missing' }],
      ['PIN_NOT_FOUND', 'connect_pcg_nodes', { ...at, from_node: a, to_node: 'Output', from_pin: 'Nope' }],
      ['NODE_TYPE_NOT_FOUND', 'add_pcg_node', { ...at, node_type: 'StaticMeshActor' }],
      ['IMPLICIT_NODE', 'remove_pcg_node', { ...at, node_name: 'Input' }],
      ['PARAMETER_NOT_FOUND', 'set_pcg_graph_parameter', { ...at, name: 'M', value: '1' }],
      ['TYPE_MISMATCH', 'set_pcg_graph_parameter', { ...at, name: 'N', value: 'one' }],
      ['ACTOR_NOT_FOUND', 'get_pcg_component_info', { actor_name: 'Missing' }],
      ['COMPONENT_NOT_FOUND', 'generate_pcg_component', { actor_name: 'Boulder_0' }],
      ['INVALID_ARGUMENT', 'create_pcg_graph', { name: '../up' }],
      ['CYCLE', 'connect_pcg_nodes', { ...at, from_node: b, to_node: a }],
    ] as const) {
      const { error } = fieldsOf(await adminCall(gateway, tool, args))
      expect([tool, error]).toEqual([tool, { code, message: expect.any(String) }])
      received.add(code)
    }
    // The other four: a plugin that is off (embedded/project.test.ts), an editor that is busy, away or failing (below).
    const rest = ['PLUGIN_DISABLED', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE', 'EDITOR_ERROR']
    expect(new Set([...received, ...rest])).toEqual(new Set(PCG_CODES))
  })
})

describe('one call at a time', () => {
  it('the rest wait in order, and what exceeds the queue is busy [ct.7.9.serialised ct.17.effect.pcg_queue_max ct.18.editor_busy ct.19.30.pcg]', async () => {
    const narrow = await aPcgGateway({ PCG_QUEUE_MAX: '1' })
    const { received } = await listen(narrow, `${EDITORS}/pcg/events`)
    await asAgent(narrow, 'create_pcg_graph', { name: 'Q' })
    const at = { pcg_graph_path: '/Game/PCG/Q', node_type: 'PCGMergeSettings' }
    const tellsBusy = async () => {
      const [people, agents] = await Promise.all([
        Promise.all(Array.from({ length: 12 }, () => adminCall(narrow, 'add_pcg_node', at))),
        Promise.all(Array.from({ length: 12 }, () => mcpCall(narrow, 'add_pcg_node', at))),
      ])
      const turnedAway = people.find(({ status }) => status === 409)
      const agent = agents.find(({ isError }) => isError === true)
      return turnedAway && agent && { turnedAway, agent }
    }
    const { turnedAway, agent } = await until(tellsBusy)
    expect(turnedAway.json).toMatchObject({ error: { code: 'EDITOR_BUSY' } })
    expect(agent._meta).toMatchObject({ 'gantry/failure': { kind: 'editor_busy', retryable: true } })
    // Every edit that was answered was made, once, and no other.
    const { node_count } = await asAgent(narrow, 'get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Q' })
    await until(() => received.filter(({ event }) => event === 'call.finished').length >= 25)
    const edits = received.filter(({ event }) => event === 'graph.changed').length - 1
    expect(node_count).toBe(edits)
    const metrics = await narrow.admin('/metrics')
    expect(metrics.text).toMatch(/mcp_pcg_calls_total\{editor="pcg",outcome="error"\} \d+/)
  })

  it('reads after a write of the same caller see it', async () => {
    const at = await aGraph('Order')
    const [, info] = await Promise.all([
      adminCall(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }),
      new Promise((resolve) => setTimeout(resolve, 1)).then(() => adminCall(gateway, 'get_pcg_graph_info', at)),
    ])
    expect(fieldsOf(info)).toMatchObject({ result: { node_count: expect.any(Number) } })
    expect(await asPerson(gateway, 'get_pcg_graph_info', at)).toMatchObject({ node_count: 1 })
  })

  it('calls and the queue are metrics, by editor [ct.14.mcp_pcg_calls_total]', async () => {
    await aGraph('Counted')
    const { text } = await gateway.admin('/metrics')
    expect(text).toMatch(/mcp_pcg_calls_total\{editor="pcg",outcome="success"\} \d+/)
    expect(text).toMatch(/mcp_pcg_queue\{editor="pcg"\} 0/)
  })
})

describe('the live events', () => {
  it('of an editor tell its state, calls, edits and generations, and of one graph only its own [ct.7.9.events ct.7.9.event-kinds ct.7.7.events-pcg]', async () => {
    const editor = 'watched'
    await anEditor(gateway, editor)
    const at = await aGraph('Seen', editor)
    const all = await listen(gateway, `${EDITORS}/${editor}/events`)
    const one = await listen(gateway, `${EDITORS}/${editor}/events?graph=/Game/PCG/Seen.Seen`)
    const hub = await listen(gateway, '/admin-api/events?topics=pcg')
    await until(() => all.received.length > 0 && one.received.length > 0 && hub.received.length > 0)
    await aGraph('Elsewhere', editor)
    const call = (tool: string, args: object) => asPerson(gateway, tool, { ...args }, { editor })
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
    await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name })
    await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
    const { actor_name } = await call('spawn_pcg_volume', { ...at, extent: [1000, 1000, 500] })
    await call('generate_pcg_component', { actor_name })
    await until(() => all.received.find(({ data }) => data.phase === 'verified'))
    await call('cleanup_pcg_component', { actor_name, remove_components: true })
    await gateway.admin(`${EDITORS}/${editor}/disconnect`, { method: 'POST' })
    await until(() => all.received.at(-1)?.data.status === 'disconnected')

    expect(all.received[0]).toEqual({
      event: 'editor.status',
      data: { editor, at: expect.any(String), status: 'connected' },
    })
    for (const { data } of all.received) expect(data).toMatchObject({ editor, at: expect.stringMatching(/Z$/) })
    const first = (event: string) => all.received.find((one) => one.event === event)?.data
    expect(first('call.started')).toMatchObject({
      requestId: expect.any(String),
      tool: 'create_pcg_graph',
      actor: expect.stringMatching(/^bearer:/),
      source: 'ui',
    })
    expect(first('call.finished')).toMatchObject({ ok: true, durationMs: expect.any(Number) })
    expect(first('graph.changed')).toMatchObject({ graph: '/Game/PCG/Elsewhere', change: { tool: 'create_pcg_graph' } })
    expect(first('level.changed')).toBeDefined()
    const phases = all.received.filter(({ event }) => event === 'generation').map(({ data }) => data.phase)
    expect(phases).toEqual(expect.arrayContaining(['scheduled', 'generating', 'verified', 'cleaning', 'dirty']))
    expect(first('generation')).toMatchObject({ actorName: actor_name, taskId: 1, message: 'Task 1' })
    const graphs = one.received.filter(({ event }) => event === 'graph.changed').map(({ data }) => data.graph)
    expect(new Set(graphs)).toEqual(new Set(['/Game/PCG/Seen']))
    expect(hub.received.filter(({ event }) => event === 'pcg').map(({ data }) => data.type)).toContain('generation')
    const viewer = await aUser(gateway, 'no-ear-for-pcg', 'viewer')
    expect((await gateway.ask('/admin-api/events?topics=pcg', { headers: viewer })).status).toBe(403)
  })

  it('a failing save is reported in the log', async () => {
    const at = await aGraph('Full')
    const { received } = await listen(gateway, `${EDITORS}/pcg/events`)
    await until(() => received.length > 0)
    const { mkdirSync, rmSync } = await import('node:fs')
    const file = `${gateway.folder}/pcg-project/Content/PCG/Full.pcg.json`
    rmSync(file)
    // A folder with something in it stands where the file has to go.
    mkdirSync(`${file}/in-the-way`, { recursive: true })
    onTestFinished(() => rmSync(file, { recursive: true }))
    const made = await asPerson(gateway, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
    expect(made).toMatchObject({ saved: false, save_error: expect.any(String) })
    const { data } = await until(() => received.find(({ event }) => event === 'log'))
    expect(data).toMatchObject({ level: 'error', text: expect.stringContaining('/Game/PCG/Full') })
  })
})

describe.skipIf(NO_PYTHON !== null)(`an editor that does not answer${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  async function slow(env: Record<string, string>): Promise<{ own: Gateway; double: Double }> {
    const double = await startDouble({ remoteControl: {} })
    onTestFinished(double.dispose)
    const own = await aPcgGateway(env)
    await anEditor(own, 'unreal', { driver: 'remote-control', url: double.remoteControl })
    await until(async () => fieldsOf(await own.admin(`${EDITORS}/unreal`)).status === 'connected')
    return { own, double }
  }
  const NODE_TYPES = ['list_pcg_node_types', {}] as const

  it('in time is given up on, and its breaker counts it [ct.17.effect.pcg_call_timeout_ms ct.5.9.editor]', async () => {
    const { own, double } = await slow({ PCG_CALL_TIMEOUT_MS: '3000', CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1' })
    await double.order({ do: 'hang', ms: 20_000 })
    const late = await mcpCall(own, ...NODE_TYPES, { editor: 'unreal' })
    expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('3000 ms') }] })
    expect(late._meta).toMatchObject({ 'gantry/failure': { kind: 'editor_unavailable' } })
    const next = await mcpCall(own, ...NODE_TYPES, { editor: 'unreal' })
    expect(next).toMatchObject({ isError: true, structuredContent: { code: 'circuit_open' } })
  })

  it('but is only busy is no failure of the breaker [ct.5.9.editor]', async () => {
    const { own, double } = await slow({ PCG_QUEUE_MAX: '1', CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1' })
    await double.order({ do: 'hang', ms: 60_000 })
    const asked = Array.from({ length: 6 }, () => mcpCall(own, ...NODE_TYPES, { editor: 'unreal' }))
    // What there is no room for is answered first.
    await Promise.race(asked)
    await double.order({ do: 'hang', ms: 0 })
    const answers = await Promise.all(asked)
    const kinds = answers.flatMap(({ _meta }) => {
      const failure = (_meta as Record<string, { kind?: string }>)['gantry/failure'] // as it is on the wire
      return failure ? [failure.kind] : []
    })
    expect(kinds).toEqual(Array.from({ length: kinds.length }, () => 'editor_busy'))
    expect(kinds.length).toBeGreaterThan(0)
    expect(await mcpCall(own, ...NODE_TYPES, { editor: 'unreal' })).toMatchObject({
      structuredContent: { count: expect.any(Number) },
    })
  })
})
