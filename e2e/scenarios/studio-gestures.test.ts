// The gestures of the studio on a real editor, without its pages: their order, and the ways back.
import { QueryClient } from '@tanstack/react-query'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGestures, type Gesture, type Gestures } from '../../renderer/studio/editor/gestures.ts'
import { edgeOf } from '../../renderer/studio/model/connect.ts'
import { connecting } from '../../renderer/studio/model/edits.ts'
import { ADMIN_KEY, type Gateway, startGateway } from './gateway.fixture.ts'
import { asPerson, PCG_ENV } from './pcg.fixture.ts'

let gateway: Gateway
let graph = ''
let gestures: Gestures
let graphs = 0
/** What of the page's requests is answered otherwise than by the gateway. */
type Asked = Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> }
let instead: (path: string, init: Asked) => Promise<Response> | undefined
const refusal = () =>
  Promise.resolve(
    Response.json({ error: { code: 'EDITOR_UNAVAILABLE', message: 'gone', request_id: '' } }, { status: 503 }),
  )

beforeAll(async () => {
  gateway = await startGateway(PCG_ENV)
})
afterAll(() => gateway.end())
beforeEach(async () => {
  graphs += 1
  graph = String((await asPerson(gateway, 'create_pcg_graph', { name: `Gestures${graphs}` }))['asset_path'])
  instead = () => undefined
  // As the page asks, but from here and with a key.
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (path: string, init: Asked) => {
    const headers = { ...init.headers, authorization: `Bearer ${ADMIN_KEY}` }
    return instead(path, init) ?? fetch(`${gateway.url}${path}`, { ...init, headers })
  })
  gestures = createGestures(new QueryClient(), 'pcg', graph)
})
afterEach(() => vi.unstubAllGlobals())

const nodes = async () => {
  const info = await asPerson(gateway, 'get_pcg_graph_info', { pcg_graph_path: graph })
  return (info['nodes'] as { node_name: string }[]).map(({ node_name }) => node_name).toSorted() // by the catalogue
}
const adding = (type: string, then?: (name: string) => Promise<unknown>): Gesture => ({
  label: `Add ${type}`,
  async edit(call) {
    const at = { pcg_graph_path: graph }
    const { node_name } = await call('add_pcg_node', { ...at, node_type: `PCG${type}Settings` })
    await then?.(node_name)
    return { nodes: { [node_name]: { x: 8, y: 8 } } }
  },
})
const labels = (pile: 'done' | 'undone') => gestures.state.getState()[pile].map(({ label }) => label)

describe('gestures of the studio', () => {
  it('are made when their turn comes, of what those before them have left', async () => {
    const first = gestures.perform(adding('SurfaceSampler'))
    const second = gestures.perform(adding('DensityFilter'))
    const wired = gestures.perform(({ view, layout }) => {
      const [sampler = '', filter = ''] = [...view.nodes.values()].flatMap(({ name, end }) => (end ? [] : [name]))
      const edge = edgeOf({ node: sampler, side: 'out', pin: 'Out' }, { node: filter, side: 'in', pin: 'In' })
      expect(Object.keys(layout.nodes)).toEqual([sampler, filter])
      return edge && connecting(view, layout, [edge])
    })
    const nothing = gestures.perform(() => undefined)
    expect(await Promise.all([first, second, wired, nothing])).toEqual([true, true, true, false])
    expect(labels('done')).toEqual(['Add SurfaceSampler', 'Add DensityFilter', 'Connect'])
    await gestures.undo()
    expect(await nodes()).toHaveLength(2)
    expect(labels('undone')).toEqual(['Connect'])
  })

  it('go back and forth over many steps as one, with later changes after it', async () => {
    for (const type of ['SurfaceSampler', 'DensityFilter', 'Merge']) await gestures.perform(adding(type))
    const all = await nodes()
    const back = gestures.goTo(0)
    const later = gestures.redo()
    await back
    expect(labels('done')).toEqual([])
    await later
    expect(labels('done')).toEqual(['Add SurfaceSampler'])
    await gestures.goTo(3)
    expect(await nodes()).toEqual(all)
    await gestures.goTo(9)
    expect(labels('done')).toHaveLength(3)
  })

  it('redo what was undone here, even if another user takes back a change at the same moment', async () => {
    await gestures.perform(adding('SurfaceSampler'))
    const batchId = crypto.randomUUID()
    const other = { pcg_graph_path: graph, node_type: 'PCGMergeSettings' }
    await asPerson(gateway, 'add_pcg_node', other, { batchId, label: 'of another user' })
    const path = '/admin-api/pcg/editors/pcg/undo'
    instead = (asked, init) => {
      if (asked !== path) return undefined
      instead = () => undefined
      return (async () => {
        await gateway.admin(path, { method: 'POST', body: { batchId } })
        return fetch(asked, init)
      })()
    }
    await gestures.undo()
    expect(await nodes()).toEqual([])
    await gestures.redo()
    expect(await nodes()).toEqual([expect.stringContaining('SurfaceSampler')])
  })

  it('that fail half-way are taken back; where that fails as well, the person is shown the present state', async () => {
    const fails = () => Promise.reject(new Error('no more room'))
    await expect(gestures.perform(adding('SurfaceSampler', fails))).rejects.toThrow(/^no more room$/)
    expect(await nodes()).toEqual([])
    instead = (asked) => (asked.endsWith('/undo') ? refusal() : undefined)
    await expect(gestures.perform(adding('SurfaceSampler', fails))).rejects.toThrow(
      /^no more room. What was done before that stands, as it could not be taken back: gone/,
    )
    expect(await nodes()).toHaveLength(1)
    expect(labels('done')).toEqual([])
  })

  it('whose arrangement cannot be taken back are undone in the editor all the same, once', async () => {
    await gestures.perform(adding('SurfaceSampler'))
    instead = (asked, { method }) => (asked.includes('/layout') && method === 'PUT' ? refusal() : undefined)
    await expect(gestures.undo()).rejects.toThrow('gone')
    expect(await nodes()).toEqual([])
    expect([labels('done'), labels('undone')]).toEqual([[], ['Add SurfaceSampler']])
    instead = () => undefined
    await gestures.redo()
    expect(await nodes()).toHaveLength(1)
  })

  it('know their own changes from those of others, by batch, and what was taken back by what was asked', async () => {
    await gestures.perform(adding('SurfaceSampler'))
    await asPerson(gateway, 'add_pcg_node', { pcg_graph_path: graph, node_type: 'PCGMergeSettings' })
    await gestures.undo()
    const { items } = (await gateway.admin(`/admin-api/pcg/editors/pcg/history?graph=${encodeURIComponent(graph)}`))
      .json as { items: Parameters<Gestures['owns']>[0][] } // by the contract
    expect(items.map((change) => [change.tool, gestures.owns(change)])).toEqual([
      ['undo', true],
      ['add_pcg_node', false],
      ['add_pcg_node', true],
      ['create_pcg_graph', false],
    ])
  })
})
