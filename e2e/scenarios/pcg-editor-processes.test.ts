// Editors in processes of their own: one project and two gateways, the built gateway, a real editor doubled that is found, used and lost.
import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NO_PYTHON, startDouble } from '../../pcg-bridge/unreal/double.fixture.ts'
import { aFolder } from './gateway.fixture.ts'
import { spawnGateway } from './gateway-process.fixture.ts'
import { anEditor, aPcgProcess, EDITORS, fieldsOf, itemsOf, mcpCall, PCG_ENV, until } from './pcg.fixture.ts'

// Several gateways start in one test, and the machine may be busy with others.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

describe('one project and two processes', () => {
  it('the second says who has it, serves everything else, and takes over once the first was killed', async () => {
    const folder = aFolder()
    const together = { ALLOW_SECOND_INSTANCE: 'true' }
    const first = await aPcgProcess(together, folder)
    const second = await aPcgProcess(together, folder)
    const record = () => second.admin(`${EDITORS}/pcg`).then(fieldsOf)
    expect(await record()).toMatchObject({ status: 'error', error: expect.stringMatching(/open in process \d+/) })
    const away = await mcpCall(second, 'list_pcg_node_types', {})
    expect(away).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('open in process') }] })
    const refused = await second.admin(`${EDITORS}/pcg/connect`, { method: 'POST' })
    expect(refused.json).toMatchObject({ error: { code: 'EDITOR_UNAVAILABLE' } })
    first.signal('SIGKILL')
    await first.exited
    const taken = await second.admin(`${EDITORS}/pcg/connect`, { method: 'POST' })
    expect(fieldsOf(taken)).toMatchObject({ status: 'connected', error: null })
  })
})

const BUILT = existsSync(new URL('../../dist/gateway/serve.js', import.meta.url))

describe.skipIf(!BUILT || NO_PYTHON !== null)(
  `the built gateway${BUILT ? '' : ' (skipped: dist is not built)'}${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`,
  () => {
    it('brings the program a real editor runs', async () => {
      const double = await startDouble({ remoteControl: {} })
      onTestFinished(double.dispose)
      const own = await spawnGateway(PCG_ENV, undefined, 'dist/gateway/serve.js')
      onTestFinished(own.end)
      await anEditor(own, 'unreal', { driver: 'remote-control', url: double.remoteControl, autoConnect: false })
      const connected = await own.admin(`${EDITORS}/unreal/connect`, { method: 'POST' })
      expect(fieldsOf(connected)).toMatchObject({ status: 'connected', project: 'Double' })
    })
  },
)

describe.skipIf(NO_PYTHON !== null)(`a real editor, doubled${NO_PYTHON ? ` (${NO_PYTHON})` : ''},`, () => {
  it('is found on loopback, added, refused for another project, connected, called, and its death is reported in its record [ct.7.9.discover ct.17.effect.pcg_discover_ports]', async () => {
    const double = await startDouble({ remoteControl: {} })
    onTestFinished(double.dispose)
    const port = Number(new URL(double.remoteControl).port)
    const own = await aPcgProcess({ PCG_DISCOVER_PORTS: String(port) })
    const look = async (body: object = {}) =>
      itemsOf(await own.admin(`${EDITORS}/discover`, { method: 'POST', body })).filter(
        ({ driver }) => driver === 'remote-control',
      )
    expect(await look()).toEqual([{ driver: 'remote-control', url: double.remoteControl, project: null, known: false }])
    expect(await look({ ports: [9] })).toEqual([])
    const address = { driver: 'remote-control', url: double.remoteControl }
    await anEditor(own, 'unreal', { ...address, autoConnect: false, projectDir: `${double.project}-other` })
    expect((await own.admin(`${EDITORS}/unreal/connect`, { method: 'POST' })).text).toContain(double.project)
    expect(fieldsOf(await own.admin(`${EDITORS}/unreal`))).toMatchObject({ projectDir: `${double.project}-other` })
    expect(fieldsOf(await own.admin(`${EDITORS}/unreal`))).not.toMatchObject({ status: 'connected' })
    await own.admin(`${EDITORS}/unreal`, { method: 'PATCH', body: { autoConnect: true, projectDir: double.project } })
    expect(await look()).toMatchObject([{ known: true }])
    const connected = await until(async () => {
      const record = fieldsOf(await own.admin(`${EDITORS}/unreal`))
      return record.status === 'connected' && record
    })
    expect(connected).toMatchObject({ project: 'Double', engine: expect.stringContaining('5.8') })
    const made = await mcpCall(own, 'create_pcg_graph', { name: 'Over' }, { editor: 'unreal' })
    expect(made).toMatchObject({ structuredContent: { asset_path: '/Game/PCG/Over', created: true } })
    // The studio's side of a real editor: what it can do is done, what it cannot says how it is done there.
    const at = { pcg_graph_path: '/Game/PCG/Over' }
    const added = await mcpCall(own, 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }, { editor: 'unreal' })
    const { node_name } = added.structuredContent as { node_name: string } // the tool's own fields
    const put = { method: 'PUT', body: { nodes: { [node_name]: { x: 40, y: -8 } } } }
    expect(fieldsOf(await own.admin(`${EDITORS}/unreal/layout?graph=/Game/PCG/Over`, put))).toMatchObject({
      revision: 2,
    })
    expect(fieldsOf(await own.admin(`${EDITORS}/unreal/layout?graph=/Game/PCG/Over`))).toMatchObject({
      nodes: { [node_name]: { x: 40, y: -8 } },
    })
    const snapshot = await own.admin(`${EDITORS}/unreal/snapshots`, {
      method: 'POST',
      body: { graph: '/Game/PCG/Over' },
    })
    expect(fieldsOf(snapshot)).toMatchObject({ nodeCount: 1, edgeCount: 0 })
    const [change] = itemsOf(await own.admin(`${EDITORS}/unreal/history?graph=/Game/PCG/Over`))
    expect(change).toMatchObject({ tool: 'add_pcg_node', source: 'mcp', undoable: true })
    const body = { batchId: change?.batchId }
    const undo = await own.admin(`${EDITORS}/unreal/undo`, { method: 'POST', body })
    expect(fieldsOf(undo)).toMatchObject({ applied: 1, failed: null })
    const left = await mcpCall(own, 'get_pcg_graph_info', at, { editor: 'unreal' })
    expect(left.structuredContent).toMatchObject({ node_count: 0 })
    double.kill()
    await until(async () => fieldsOf(await own.admin(`${EDITORS}/unreal`)).status === 'error')
    const after = await mcpCall(own, 'get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Over' }, { editor: 'unreal' })
    expect(after).toMatchObject({ isError: true, _meta: { 'gantry/failure': { kind: 'editor_unavailable' } } })
  })
})
