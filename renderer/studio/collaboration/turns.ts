// The history of a graph as turns: consecutive changes of one author, newest first.
import type { PcgChange } from '#contract'
import { t } from '../../language/language.ts'

export type Turn = {
  readonly key: string
  readonly actor: string
  readonly program: string | undefined
  readonly source: PcgChange['source']
  readonly title: string
  /** The time of its newest change. */
  readonly at: string
  /** Newest first. */
  readonly changes: readonly PcgChange[]
  readonly selection: { readonly batchId: string } | { readonly changeId: number }
  /** Whether any change of it is active and can be undone. */
  readonly undoable: boolean
  readonly undone: boolean
}

/** `changes` newest first. Changes of one batch form one turn, even with another author in between. */
export function turnsOf(changes: readonly PcgChange[]): readonly Turn[] {
  const groups = Map.groupBy(changes, ({ id, batchId }) => batchId ?? t('change {id}', { id }))
  return [...groups].flatMap(([key, group]) => {
    const [newest] = group
    if (!newest) return []
    const { actor, program, source, batchId, id, at } = newest
    return {
      key,
      actor,
      program,
      source,
      title: group.find(({ label }) => label !== null)?.label ?? summaryOf(group),
      at,
      changes: group,
      selection: batchId === null ? { changeId: id } : { batchId },
      undoable: group.some((change) => change.undoable && !change.undone),
      undone: group.every((change) => change.undone || !change.undoable) && group.some((change) => change.undone),
    }
  })
}

/** The turn with all its changes so far: its author may add more while the dialog is open. */
export function turnNow(turn: Turn, history: readonly PcgChange[]): Turn {
  const { selection } = turn
  const changes = history.filter((change) =>
    'batchId' in selection ? change.batchId === selection.batchId : change.id === selection.changeId,
  )
  return changes.length === 0 ? turn : { ...turn, changes }
}

/** The name of an author: an agent is known by its client program, not by its key. */
export const authorOf = ({ actor, program }: Pick<PcgChange, 'actor' | 'program'>): string => program ?? actor

/** The newest active turn of an agent. */
export function lastOfAgent(turns: readonly Turn[]): Turn | undefined {
  return turns.find(({ source, undoable }) => source === 'mcp' && undoable)
}

const DID: Readonly<Record<string, readonly [one: string, many: string]>> = {
  create_pcg_graph: [t('created the graph'), t('created the graph')],
  add_pcg_node: [t('added a node'), t('added # nodes')],
  add_pcg_subgraph_node: [t('added a subgraph'), t('added # subgraphs')],
  remove_pcg_node: [t('removed a node'), t('removed # nodes')],
  connect_pcg_nodes: [t('made an edge'), t('made # edges')],
  disconnect_pcg_nodes: [t('cut an edge'), t('cut # edges')],
  set_pcg_node_properties: [t('set properties'), t('set properties # times')],
  add_pcg_graph_parameter: [t('added a parameter'), t('added # parameters')],
  set_pcg_graph_parameter: [t('set a parameter'), t('set parameters # times')],
  undo: [t('undid a change'), t('undid # changes')],
}

function summaryOf(changes: readonly PcgChange[]): string {
  const counts = Map.groupBy(changes.toReversed(), ({ tool }) => tool)
  const parts = [...counts].map(([tool, { length }]) => {
    const [one, many] = DID[tool] ?? [tool, `${tool} # times`]
    return length === 1 ? one : many.replace('#', String(length))
  })
  const text = parts.join(', ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** One change in words: what was done. */
export function sayChange({ tool }: Pick<PcgChange, 'tool'>): string {
  const text = DID[tool]?.[0] ?? tool
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** A change in words: its target. */
export function aboutChange({ tool, args }: Pick<PcgChange, 'tool' | 'args'>): string {
  const text = (key: string): string => (typeof args[key] === 'string' ? args[key] : '')
  switch (tool) {
    case 'add_pcg_node':
      return text('node_type')
    case 'connect_pcg_nodes':
    case 'disconnect_pcg_nodes':
      return `${text('from_node')} → ${text('to_node')}`
    case 'set_pcg_node_properties': {
      const { properties } = args
      const keys = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
      return `${text('node_name')}: ${keys.join(', ')}`
    }
    default:
      return text('node_name') || text('subgraph_path') || text('name') || text('actor_name')
  }
}

/** The nodes that a change names. */
export function nodesOf({ args }: Pick<PcgChange, 'args'>): readonly string[] {
  return ['node_name', 'from_node', 'to_node'].flatMap((key) => (typeof args[key] === 'string' ? [args[key]] : []))
}

/** Later changes of other authors to the same nodes, which block an undo. */
export function sinceBy(turn: Turn, changes: readonly PcgChange[]): readonly PcgChange[] {
  const nodes = new Set(turn.changes.flatMap(nodesOf))
  const oldest = turn.changes.at(-1)?.id ?? 0
  const own = new Set(turn.changes.map(({ id }) => id))
  return changes.filter(
    (change) =>
      change.id > oldest && !own.has(change.id) && !change.undone && nodesOf(change).some((name) => nodes.has(name)),
  )
}
