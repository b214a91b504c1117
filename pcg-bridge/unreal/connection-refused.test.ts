// What a connection refuses and what reaches the editor at all: other projects, what is switched off, hostile texts.
import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { double, editor, fails, types, until, WHO } from './connection.fixture.ts'
import { NO_PYTHON, ownGroup } from './double.fixture.ts'

describe.skipIf(NO_PYTHON)(`a connection to the double of Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  it('another project on the same port gets no call (security case PC-16)', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    peer.kill()
    await until(() => from.connection().identity === null)
    const other = await double({ remoteControl: { port: Number(new URL(peer.remoteControl).port) } })
    expect((await fails(types(from))).message).toContain('not that of')
    expect((await other.ledger()).requests).not.toContain('list_types')
    // Connected again by its user, the other one is accepted.
    await from.disconnect()
    await from.connect()
    expect(from.connection().identity?.project).toBe(other.project)
  })

  it('of several editors on one group the one of the project is taken; without a project they are named', async () => {
    const group = ownGroup()
    const [one, two] = [await double({ remoteExecution: { group } }), await double({ remoteExecution: { group } })]
    const options = { driver: 'remote-execution', url: `udp://${group}`, autoConnect: false } as const
    const error = await fails(editor(options).connect())
    for (const { project } of [one, two]) expect(error.message).toContain(project)
    const from = editor({ ...options, project: two.project })
    await from.connect()
    expect(from.connection().identity?.pid).toBe(two.pid)
    expect((await fails(editor({ ...options, project: '/no/such/project' }).connect())).message).toContain(one.project)
  })

  it('each way it can be switched off has its own way out', async () => {
    const refused = async (remoteControl: Record<string, unknown>) => {
      const peer = await double({ remoteControl })
      return (await fails(editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false }).connect()))
        .message
    }
    expect(await refused({ allowed: false })).toContain('+CustomAllowedRemoteFunctionCalls=(ClassPath=')
    expect(await refused({ python: false })).toContain('bEnableRemotePythonExecution=True')
    expect(await refused({ plugin: false })).toContain('Python Editor Script Plugin')
    const closed = editor({ driver: 'remote-control', url: 'http://127.0.0.1:9', autoConnect: false })
    expect((await fails(closed.connect())).message).toContain('nothing listens there')
    const silent = editor({ driver: 'remote-execution', url: `udp://${ownGroup()}`, autoConnect: false })
    expect((await fails(silent.connect())).message).toContain('Enable Remote Execution')
  })

  it('without the PCG plugin, in Play, and when saving is refused, the answer reports it (security cases PC-11, PC-15, PC-17)', async () => {
    const bare = await double({ remoteControl: {}, pcg: false })
    const without = editor({ driver: 'remote-control', url: bare.remoteControl, autoConnect: false })
    await without.connect()
    expect(await fails(types(without))).toMatchObject({ code: 'PLUGIN_DISABLED' })

    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const { asset_path } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO)
    await peer.order({ do: 'play', on: true })
    const add = () =>
      from.tools.add_pcg_node({ pcg_graph_path: asset_path, node_type: 'PCGDensityFilterSettings' }, WHO)
    expect(await fails(add())).toMatchObject({ code: 'EDITOR_BUSY', message: expect.stringContaining('Play') })
    await peer.order({ do: 'play', on: false })
    await peer.order({ do: 'refuse_saves', on: true })
    expect(await add()).toMatchObject({ saved: false, save_error: expect.stringContaining('read-only') })
    const named = { pcg_graph_path: asset_path, name: 'Seed', type: 'int' } as const
    expect((await fails(from.tools.add_pcg_graph_parameter(named, WHO))).message).toContain('not saved')
    await peer.order({ do: 'twins' })
    expect(await fails(from.tools.get_pcg_component_info({ actor_name: 'Twin' }, WHO))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('StaticMeshActor_1, StaticMeshActor_2'),
    })
  })

  it('only two constant texts ever reach the editor, for any input of the tools (security case PC-01)', async () => {
    const peer = await double({ remoteControl: {}, mcp: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const { asset_path } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO)
    const at = { pcg_graph_path: asset_path }
    const { node_name } = await from.tools.add_pcg_node({ ...at, node_type: 'PCGAddTagSettings' }, WHO)
    const mark = path.join(peer.project, 'MARK')
    for (const text of [
      `"); import os; os.system("touch ${mark}") #`,
      `'); import os; os.system('touch ${mark}') #`,
      `'''\n__import__('os').system('touch ${mark}')\n'''`,
      '\\',
      '\u2028',
      '\u0000',
      '\ud800',
      `{__import__('os')}`,
    ]) {
      const tried = [
        from.tools.create_pcg_graph({ name: text, package_path: text }, WHO),
        from.tools.get_pcg_graph_info({ pcg_graph_path: text }, WHO),
        from.tools.add_pcg_node({ ...at, node_type: text }, WHO),
        from.tools.remove_pcg_node({ ...at, node_name: text }, WHO),
        from.tools.connect_pcg_nodes({ ...at, from_node: text, to_node: text, from_pin: text, to_pin: text }, WHO),
        from.tools.connect_pcg_nodes({ ...at, from_node: 'Input', to_node: node_name, to_pin: text }, WHO),
        from.tools.add_pcg_subgraph_node({ ...at, subgraph_path: text }, WHO),
        from.tools.set_pcg_node_properties({ ...at, node_name, properties: { TagsToAdd: text, [text]: text } }, WHO),
        from.tools.set_pcg_node_properties({ ...at, node_name, properties: { TagsToAdd: text } }, WHO),
        from.tools.add_pcg_graph_parameter({ ...at, name: text, type: 'string' }, WHO),
        from.tools.set_pcg_graph_parameter({ ...at, name: text, value: text }, WHO),
        from.tools.add_pcg_component({ actor_name: text, pcg_graph_path: text }, WHO),
        from.tools.set_pcg_component_properties({ actor_name: text, properties: { [text]: text } }, WHO),
        from.tools.spawn_pcg_volume({ name: text }, WHO),
      ]
      await Promise.allSettled(tried)
    }
    const { programs } = await peer.ledger()
    expect(programs).toHaveLength(2)
    expect(await readdir(peer.project)).not.toContain('MARK')
    const { properties } = await from.tools.get_pcg_node_properties({ ...at, node_name }, WHO)
    expect(properties['TagsToAdd']).toBe(`{__import__('os')}`)
  })

  it('paths and names that are none are refused before the editor is asked (security case PC-04)', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const before = (await peer.ledger()).requests.length
    for (const text of [
      '/Game/../Engine/X',
      '/Game//X',
      '/Game/./X',
      '/Game\\X',
      '/Engine/X',
      '/Script/PCG.PCGGraph',
      'C:\\X',
      '\\\\host\\s',
      '/Game/X.Y:Z',
      '/Game/%2e%2e/X',
      '/Game/\u2024\u2024/X',
      '/Game/X.',
      '/Game/X ',
      '/Game/CON',
      `/Game/${'x'.repeat(300)}`,
      `/Game/'X'`,
    ]) {
      const code = expect.stringMatching(/^(GRAPH_NOT_FOUND|INVALID_ARGUMENT)$/)
      expect(await fails(from.tools.get_pcg_graph_info({ pcg_graph_path: text }, WHO)), text).toMatchObject({ code })
      expect(await fails(from.tools.spawn_pcg_volume({ pcg_graph_path: text }, WHO)), text).toMatchObject({ code })
      expect(await fails(from.tools.create_pcg_graph({ name: 'A', package_path: text }, WHO)), text).toMatchObject({
        code,
      })
    }
    expect((await peer.ledger()).requests).toHaveLength(before)
  })

  it('listens on this machine only, and on no known port (security case PC-13)', async ({ skip }) => {
    const { stdout: sockets } = spawnSync('ss', ['-Hltun'], { encoding: 'utf8' })
    if (!sockets) skip('skipped: no ss on this machine')
    const group = ownGroup()
    await double({ remoteExecution: { group } })
    const from = editor({ driver: 'remote-execution', url: `udp://${group}`, autoConnect: false })
    await from.connect()
    const { stdout } = spawnSync('ss', ['-Hltunp'], { encoding: 'utf8' })
    const own = stdout.split('\n').filter((line) => line.includes(`pid=${process.pid},`))
    const open = own.filter((line) => !/(127\.0\.0\.1|\[::1\]|239\.77\.\d+\.\d+):\d+/.test(line))
    expect(open).toEqual([])
  })
})
