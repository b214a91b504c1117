import { expect, it } from 'vitest'
import type { PcgChange } from '#contract'
import { aboutChange, lastOfAgent, sinceBy, turnNow, turnsOf } from './turns.ts'

let id = 100
const change = (of: Partial<PcgChange>): PcgChange => ({
  id: id--,
  at: '2026-01-01T00:00:00Z',
  actor: 'agent',
  source: 'mcp',
  batchId: 'turn-1',
  label: null,
  tool: 'add_pcg_node',
  args: {},
  graph: '/Game/PCG/G',
  undoable: true,
  undone: false,
  requestId: null,
  ...of,
})

it('groups edits of one batch into one turn, even with another edit in between', () => {
  const turns = turnsOf([
    change({ tool: 'connect_pcg_nodes' }),
    change({ actor: 'ana', source: 'ui', batchId: null, tool: 'remove_pcg_node' }),
    change({}),
    change({}),
  ])
  expect(turns.map(({ actor, title, changes }) => [actor, title, changes.length])).toEqual([
    ['agent', 'Added 2 nodes, made an edge', 3],
    ['ana', 'Removed a node', 1],
  ])
  expect(turns[1]?.selection).toEqual({ changeId: expect.any(Number) })
})

it('a turn is undone when no change of it is active; irreversible changes do not count', () => {
  const [turn] = turnsOf([change({ undone: true }), change({ tool: 'create_pcg_graph', undoable: false })])
  expect(turn).toMatchObject({ undone: true, undoable: false })
  expect(turnsOf([change({ undone: true }), change({})])[0]).toMatchObject({ undone: false, undoable: true })
})

it('the agent’s last turn is the newest active turn of an agent', () => {
  const turns = turnsOf([
    change({ source: 'ui', batchId: 'mine' }),
    change({ batchId: 'turn-3', undone: true }),
    change({ batchId: 'turn-2' }),
  ])
  expect(lastOfAgent(turns)?.key).toBe('turn-2')
  expect(lastOfAgent(turnsOf([]))).toBeUndefined()
})

it('a turn that goes on while it is shown has its new changes, and a single change stays one', () => {
  const [later, first] = [change({}), change({})]
  const [turn] = turnsOf([first])
  expect(turn && turnNow(turn, [later, first]).changes).toEqual([later, first])
  const alone = turn && { ...turn, selection: { changeId: first.id } }
  expect(alone && turnNow(alone, [later, { ...first, undone: true }]).changes).toMatchObject([{ undone: true }])
  expect(turn && turnNow(turn, []).changes).toEqual([first])
})

it('an undo is blocked by authors who changed the same nodes since', () => {
  const newer = change({ source: 'ui', actor: 'ana', batchId: null, args: { node_name: 'A' } })
  const elsewhere = change({ source: 'ui', actor: 'bob', batchId: null, args: { node_name: 'B' } })
  const own = change({ args: { node_name: 'A' } })
  const [turn] = turnsOf([own])
  expect(turn && sinceBy(turn, [newer, elsewhere, own]).map(({ actor }) => actor)).toEqual(['ana'])
})

it('a change names its target', () => {
  const about = (tool: string, args: Record<string, unknown>) => aboutChange({ tool, args })
  expect(about('connect_pcg_nodes', { from_node: 'A', to_node: 'B' })).toBe('A → B')
  expect(about('set_pcg_node_properties', { node_name: 'A', properties: { X: 1, Y: 2 } })).toBe('A: X, Y')
  expect(about('set_pcg_graph_parameter', { name: 'Density' })).toBe('Density')
})
