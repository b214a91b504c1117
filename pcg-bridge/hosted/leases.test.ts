// Leases of graphs between agents: the same over both editors, and never in the way of a person.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallContext, EditorEvent } from '../contract/index.ts'
import { cannotRun, EDITOR_KINDS, startEditor, type TestEditor } from './editors.fixture.ts'
import { AGENT_LEASE_MS, createLeases, writtenGraph } from './leases.ts'

const A: CallContext = { actor: 'team', program: 'Alice', session: 'a', source: 'mcp' }
const B: CallContext = { ...A, program: 'Bob', session: 'b' }
const PERSON: CallContext = { actor: 'Petra', source: 'ui' }

describe.each(EDITOR_KINDS)('leases over %s', (kind) => {
  let editor: TestEditor
  const events: EditorEvent[] = []
  beforeAll(async () => {
    if (cannotRun(kind)) return
    editor = await startEditor(kind)
    editor.hosted.subscribe((event) => events.push(event))
  })
  afterAll(() => editor?.dispose())
  const graph = async (name: string) =>
    String((await editor.call('tools', 'create_pcg_graph', { name }, PERSON))['asset_path'])
  const lease = (pcg_graph_path: string, who: CallContext) =>
    editor.call('authoring', 'lease_pcg_graph', { pcg_graph_path }, who)
  const add = (pcg_graph_path: string, who: CallContext) =>
    editor.hosted.tools.call('add_pcg_node', { pcg_graph_path, node_type: 'PCGDensityFilterSettings' }, who)

  it.skipIf(cannotRun(kind))('refuses the write of a second agent with the name of the first', async () => {
    const path = await graph('Shared')
    expect(await add(path, B)).toMatchObject({ ok: true })
    await lease(path, A)
    expect(await add(path, A)).toMatchObject({ ok: true })
    const refused = await add(`${path}.Shared`, B)
    expect(refused).toMatchObject({ ok: false, code: 'EDITOR_BUSY' })
    expect(JSON.stringify(refused)).toContain('held by Alice until')
    expect(editor.hosted.state().leases).toMatchObject([{ graph: path, holder: 'Alice', person: false }])
    const patch = { pcg_graph_path: path, steps: [{ do: 'add node', node: 'N', class: 'PCGDensityFilterSettings' }] }
    expect(await editor.hosted.authoring.call('patch_pcg_graph', patch, B)).toMatchObject({ code: 'EDITOR_BUSY' })
    expect(await editor.hosted.authoring.call('patch_pcg_graph', { ...patch, dry_run: true }, B)).toMatchObject({
      ok: true,
    })
    expect(await editor.hosted.tools.call('get_pcg_graph_info', { pcg_graph_path: path }, B)).toMatchObject({
      ok: true,
      result: { node_count: 2 },
    })
    expect(await add(path, A)).toMatchObject({ ok: true })
    expect(await add(path, PERSON)).toMatchObject({ ok: true })
  })

  it.skipIf(cannotRun(kind))('lets a person take a graph over from an agent, and give it back', async () => {
    const path = await graph('Taken')
    await lease(path, A)
    expect(editor.hosted.takeLease(path, PERSON)).toMatchObject({ holder: 'Petra', person: true })
    const refused = await add(path, A)
    expect(JSON.stringify(refused)).toContain('held by Petra, a person,')
    expect(editor.hosted.releaseLease(path)).toBe(true)
    expect(await add(path, B)).toMatchObject({ ok: true })
    expect(events.filter(({ type }) => type === 'leases.changed').length).toBeGreaterThanOrEqual(4)
  })

  it.skipIf(cannotRun(kind))('waits for a graph until its holder releases it', async () => {
    const path = await graph('Waited')
    const at = { pcg_graph_path: path }
    await editor.call('authoring', 'lease_pcg_graph', at, A)
    const waits = editor.call('authoring', 'lease_pcg_graph', { ...at, wait_ms: 30_000 }, B)
    expect(await editor.call('authoring', 'release_pcg_graph', at, B)).toMatchObject({ released: false })
    // The editor serves others in the meantime.
    await editor.call('tools', 'get_pcg_graph_info', at, A)
    expect(await editor.call('authoring', 'release_pcg_graph', at, A)).toMatchObject({ released: true })
    expect(await waits).toMatchObject({ holder: 'Bob' })
    expect(await add(path, A)).toMatchObject({ code: 'EDITOR_BUSY' })
  })

  it.skipIf(cannotRun(kind))('is not taken by a write alone: agents without one work beside each other', async () => {
    const path = await graph('Free')
    for (const who of [A, B, A]) expect(await add(path, who)).toMatchObject({ ok: true })
    expect(editor.hosted.state().leases.map(({ graph: held }) => held)).not.toContain(path)
  })
})

describe('a lease', () => {
  it('expires by itself, also when the clock is set back, and is renewed by each write of its holder', async () => {
    let now = 0
    const clock = { now: () => Date.UTC(2026, 0, 1) - now }
    const leases = createLeases({ clock, monotonic: () => now }, () => undefined)
    await leases.acquire('/Game/G', A, AGENT_LEASE_MS, 0)
    leases.enter('/Game/G', A, 'tools')
    now = AGENT_LEASE_MS - 1
    expect(() => leases.enter('/game/g', B, 'tools')).toThrow('held by Alice')
    leases.enter('/Game/G', A, 'tools')
    now += AGENT_LEASE_MS - 1
    expect(() => leases.enter('/Game/G', B, 'tools')).toThrow('held by Alice')
    now += 2
    expect(leases.list()).toEqual([])
    leases.enter('/Game/G', B, 'tools')
    expect(leases.list()).toEqual([])
    leases.close()
  })

  it('covers an agent at both endpoints, each with a session of its own, and no second agent of that name', async () => {
    const leases = createLeases({ clock: Date, monotonic: () => 0 }, () => undefined)
    await leases.acquire('/Game/G', { ...A, session: 'at the other endpoint' }, AGENT_LEASE_MS, 0)
    leases.enter('/Game/G', A, 'tools')
    expect(() => leases.enter('/Game/G', { ...A, session: 'of a twin' }, 'tools')).toThrow('held by Alice')
    expect(() => leases.enter('/Game/G', { ...A, session: 'of a twin' }, 'authoring')).toThrow('held by Alice')
    expect(leases.release('/Game/G', { ...A, session: 'at the other endpoint' })).toBe(true)
    leases.close()
  })

  it('is of writes only: a component, a dry run and a reading need none', () => {
    const at = { pcg_graph_path: '/Game/G' }
    expect(writtenGraph('set_pcg_node_properties', at)).toBe('/Game/G')
    expect(writtenGraph('insert_pcg_template', at)).toBe('/Game/G')
    for (const tool of ['get_pcg_graph_info', 'add_pcg_component', 'spawn_pcg_volume', 'lint_pcg_graph', 'constructor'])
      expect(writtenGraph(tool, at), tool).toBeNull()
    expect(writtenGraph('patch_pcg_graph', { ...at, dry_run: true })).toBeNull()
  })
})
