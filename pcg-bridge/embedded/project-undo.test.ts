// Undo in the running editor: one author's batch, never over what another changed since, over a restart too.
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CallContext } from '../contract/index.ts'
import { aProjectEachTest, at, call, directory, editor, graph, info, look, reopen, sampled } from './project.fixture.ts'

aProjectEachTest()

describe('undo', () => {
  it('takes back one author’s batch and leaves the other’s edits', async () => {
    const { sampler } = await sampled()
    const before = await call('get_pcg_node_properties', { ...at, node_name: sampler })
    const set = (properties: Record<string, unknown>, who: Partial<CallContext>) =>
      call('set_pcg_node_properties', { ...at, node_name: sampler, properties }, who)
    await set({ Looseness: 0.25 }, { actor: 'bob', batchId: 'b1' })
    await set({ bUnbounded: true }, { actor: 'ann' })
    await set({ PointsPerSquaredMeter: 2 }, { actor: 'bob', batchId: 'b1' })
    const dry = await editor.undo({ batchId: 'b1' }, { actor: 'bob', source: 'ui' }, true)
    expect(dry).toMatchObject({ applied: 0, failed: null })
    expect(dry.calls.map((item) => item.tool)).toEqual(['set_pcg_node_properties', 'set_pcg_node_properties'])
    expect(await editor.undo({ batchId: 'b1' }, { actor: 'bob', source: 'ui' })).toMatchObject({
      applied: 2,
      failed: null,
    })
    const after = await call('get_pcg_node_properties', { ...at, node_name: sampler })
    expect(after.properties).toEqual({ ...before.properties, bUnbounded: true })
  })

  it('never goes over what another changed since', async () => {
    const { sampler } = await sampled()
    await call(
      'set_pcg_node_properties',
      { ...at, node_name: sampler, properties: { Looseness: 0.25 } },
      { actor: 'bob' },
    )
    await call(
      'set_pcg_node_properties',
      { ...at, node_name: sampler, properties: { Looseness: 0.75 } },
      { actor: 'ann' },
    )
    const shown = await info()
    const result = await editor.undo({ author: 'bob' }, { actor: 'bob', source: 'ui' })
    expect(result.applied).toBe(0)
    expect(result.failed?.message).toContain('changed since')
    expect((await call('get_pcg_node_properties', { ...at, node_name: sampler })).properties).toMatchObject({
      Looseness: 0.75,
    })
    expect(await info()).toEqual(shown)
  })

  it('a node that another wired up is not taken away', async () => {
    await call('create_pcg_graph', { name: 'Wood' })
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }, { actor: 'bob' })
    await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' }, { actor: 'ann' })
    expect((await editor.undo({ author: 'bob' }, { actor: 'bob', source: 'ui' })).failed?.message).toContain(
      'made since',
    )
    expect(await info()).toMatchObject({ node_count: 1, edge_count: 1 })
  })

  it('a removed node comes back with its edges in their places; a spawned volume goes', async () => {
    const { sampler, volume } = await sampled()
    const before = await info()
    await call('remove_pcg_node', { ...at, node_name: sampler }, { actor: 'bob' })
    await editor.undo({ author: 'bob' }, { actor: 'bob', source: 'ui' })
    expect(await info()).toEqual(before)
    await editor.undo({ author: 'ann' }, { actor: 'ann', source: 'ui' })
    await expect(call('get_pcg_component_info', { actor_name: volume })).rejects.toMatchObject({
      code: 'ACTOR_NOT_FOUND',
    })
  })

  it('reaches back over a restart, and a broken line costs one undo only', async () => {
    const { sampler } = await sampled()
    const set = (Looseness: number) =>
      call('set_pcg_node_properties', { ...at, node_name: sampler, properties: { Looseness } })
    await set(0.5)
    await set(0.25)
    await editor.undo({ author: 'ann' }, { actor: 'ann', source: 'ui' })
    await reopen()
    await appendFile(path.join(directory, 'Saved', 'history.jsonl'), '{"entry":{"cha')
    await reopen()
    expect(editor.history({ limit: 3 }).map((change) => [change.tool, change.undone])).toEqual([
      ['undo', false],
      ['set_pcg_node_properties', true],
      ['set_pcg_node_properties', false],
    ])
    expect(await editor.undo({ author: 'ann' }, { actor: 'ann', source: 'ui' })).toMatchObject({ failed: null })
    const { properties } = await call('get_pcg_node_properties', { ...at, node_name: sampler })
    expect(properties).toMatchObject({ Looseness: 1 })
    await set(0.75)
    expect(new Set(editor.history({ limit: 100 }).map((change) => change.id)).size).toBe(
      editor.history({ limit: 100 }).length,
    )
  })

  it('history says who, what and whether it stands, newest first', async () => {
    const { sampler } = await sampled()
    await call('remove_pcg_node', { ...at, node_name: sampler }, { actor: 'bob', label: 'Cut' })
    await editor.undo({ author: 'bob' }, { actor: 'ann', source: 'ui' })
    const { changes } = await look('get_pcg_edit_history', { pcg_graph_path: graph, limit: 3 })
    expect(changes.map((item) => [item.actor, item.tool, item.undone])).toEqual([
      ['ann', 'undo', false],
      ['bob', 'remove_pcg_node', true],
      ['ann', 'connect_pcg_nodes', false],
    ])
  })
})
