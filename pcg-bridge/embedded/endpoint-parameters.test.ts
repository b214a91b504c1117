// Parameters as one list of the Input node: renamed, removed, ordered, in categories; undone; refused while others use them.
import { describe, expect, it } from 'vitest'
import { aProjectEachTest, at, call, editor, graph, reopen } from './project.fixture.ts'

aProjectEachTest()

type Given = Readonly<Record<string, string | undefined>>
const put = (Parameters: readonly Given[], batchId?: string) =>
  call('set_pcg_node_properties', { ...at, node_name: 'Input', properties: { Parameters } }, batchId ? { batchId } : {})
const shown = async () =>
  (await call('get_pcg_node_properties', { ...at, node_name: 'Input' })).properties['Parameters'] as Given[]
const names = async () => (await shown()).map(({ Name }) => Name)

async function withParameters(...given: readonly string[]): Promise<string> {
  await call('create_pcg_graph', { name: 'Wood' })
  for (const name of given) await call('add_pcg_graph_parameter', { ...at, name, type: 'float' })
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGUserParameterGetSettings' })
  await call('set_pcg_node_properties', { ...at, node_name, properties: { PropertyName: given[0] ?? '' } })
  return node_name
}
const list = (...of: readonly string[]) => of.map((Name) => ({ Name }))

describe('the parameters of a graph', () => {
  it('are ordered and put into categories, also over a restart, and both are undone', async () => {
    await withParameters('A', 'B', 'C')
    await put([{ Name: 'C' }, { Name: 'A', Category: 'Trees' }, { Name: 'B' }], 'sort')
    await reopen()
    expect(await shown()).toEqual([
      { Name: 'C', Type: 'float' },
      { Name: 'A', Type: 'float', Category: 'Trees' },
      { Name: 'B', Type: 'float' },
    ])
    await call('add_pcg_graph_parameter', { ...at, name: 'D', type: 'int' })
    expect(await editor.undo({ batchId: 'sort' }, { actor: 'ann', source: 'ui' })).toMatchObject({ failed: null })
    expect(await shown()).toEqual(
      ['A', 'B', 'C'].map((Name) => ({ Name, Type: 'float' })).concat({ Name: 'D', Type: 'int' }),
    )
  })

  it('keep an order that another set since', async () => {
    await withParameters('A', 'B', 'C')
    await put(list('C', 'A', 'B'), 'sort')
    await put(list('B', 'C', 'A'))
    const { failed } = await editor.undo({ batchId: 'sort' }, { actor: 'ann', source: 'ui' })
    expect(failed?.message).toContain('order of parameters was changed since')
    expect(await names()).toEqual(['B', 'C', 'A'])
  })

  it('are renamed with the nodes that read them, and keep their values', async () => {
    const reader = await withParameters('A', 'B')
    await call('set_pcg_graph_parameter', { ...at, name: 'A', value: '0.5' })
    await put([{ Name: 'Density', Was: 'A' }, { Name: 'B' }], 'rename')
    expect((await call('get_pcg_graph_parameters', at)).parameters).toEqual([
      { name: 'Density', type: 'float', value: 0.5 },
      { name: 'B', type: 'float', value: 0 },
    ])
    const read = async () => (await call('get_pcg_node_properties', { ...at, node_name: reader })).properties
    expect(await read()).toMatchObject({ PropertyName: 'Density' })
    await editor.undo({ batchId: 'rename' }, { actor: 'ann', source: 'ui' })
    expect(await names()).toEqual(['A', 'B'])
    expect(await read()).toMatchObject({ PropertyName: 'A' })
  })

  it('are removed, unless a node or another graph uses them', async () => {
    await withParameters('A', 'B')
    await expect(put(list('B'))).rejects.toThrow(/reads the parameter: remove the node first/)
    await put(list('A'), 'remove')
    expect(await names()).toEqual(['A'])
    const dry = await editor.undo({ batchId: 'remove' }, { actor: 'ann', source: 'ui' }, true)
    expect(dry.calls).toEqual([
      { tool: 'add_pcg_graph_parameter', args: { pcg_graph_path: graph, name: 'B', type: 'float' } },
    ])
    await editor.undo({ batchId: 'remove' }, { actor: 'ann', source: 'ui' })
    await call('create_pcg_graph', { name: 'Host' })
    const host = { pcg_graph_path: '/Game/PCG/Host' }
    const { node_name } = await call('add_pcg_subgraph_node', { ...host, subgraph_path: graph })
    const override = (properties: object) =>
      call('set_pcg_node_properties', { ...host, node_name, properties: { ...properties } })
    await override({ ParameterOverrides: { b: '2' } })
    await expect(put(list('A'))).rejects.toThrow(/'B' is set or wired in \/Game\/PCG\/Host/)
    await expect(put([{ Name: 'A' }, { Name: 'Beta', Was: 'B' }])).rejects.toThrow(/release it there first/)
    await override({ ParameterOverrides: {} })
    await put(list('A'))
    expect(await names()).toEqual(['A'])
  })

  it('are refused where the list names none, one twice, or no name at all', async () => {
    await withParameters('A', 'B')
    for (const bad of [list('A', 'a', 'B'), list('A', 'Other'), [{ Name: '1st', Was: 'A' }, { Name: 'B' }], [{}]])
      await expect(put(bad)).rejects.toMatchObject({
        code: expect.stringMatching(/INVALID_ARGUMENT|PARAMETER_NOT_FOUND/),
      })
    await expect(
      call('set_pcg_node_properties', { ...at, node_name: 'Output', properties: { Parameters: [] } }),
    ).rejects.toThrow(/It has: Pins/)
    expect(await names()).toEqual(['A', 'B'])
  })
})
