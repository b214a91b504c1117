// Why is there nothing? The first thing that explains it, from what the editor found and what its last generation left. Pure.
import type { InspectionOutput } from '#pcg-catalog'

type Finding = InspectionOutput<'explain_pcg_component'>['findings'][number]
type Report = Pick<InspectionOutput<'get_pcg_generation_report'>, 'nodes' | 'state'>

export type Cause = {
  readonly title: string
  readonly causes: readonly string[]
  /** Where it begins, if it begins at a node. */
  readonly node: string | null
}

/** Without these nothing runs at all, whatever the nodes are like. */
const BEFORE_ANY_NODE = ['NO_COMPONENT', 'CANNOT_START', 'NO_EXTENT', 'EMPTY_GRAPH']

export function firstCause(findings: readonly Finding[], { nodes, state }: Report): Cause {
  const before = findings.filter(({ code }) => BEFORE_ANY_NODE.includes(code))
  const [first] = before
  if (first) return { title: 'Nothing can be generated', causes: before.map(messageOf), node: first.node_name }
  // What leads nowhere explains nothing, unless there is nothing else.
  const dead = new Set(findings.flatMap(({ code, node_name }) => (code === 'DEAD_END' ? [node_name] : [])))
  const empties = nodes.filter(({ points }) => points === 0)
  const empty = empties.find(({ node_name }) => !dead.has(node_name)) ?? empties[0]
  // A report of before the last cleanup tells nothing of now.
  const ran = state === 'generated' && nodes.length > 0
  if (ran && empty) {
    const own = findings.filter(({ node_name, code }) => node_name === empty.node_name && code !== 'DEAD_END')
    const said = own.length > 0 ? own.map(messageOf) : empty.warnings
    return {
      title: `${empty.node_name} is the first node without output`,
      causes: [...new Set(said.length > 0 ? said : ['It got data, and kept none: look at its settings.'])],
      node: empty.node_name,
    }
  }
  const grave = findings.filter(({ severity }) => severity === 'error')
  const [worst] = grave
  if (worst) return { title: 'Nothing would come out', causes: grave.map(messageOf), node: worst.node_name }
  const rest = findings.filter(({ severity }) => severity === 'warning')
  if (ran) return { title: 'Every node had output', causes: rest.map(messageOf), node: rest[0]?.node_name ?? null }
  return { title: 'Nothing has been generated yet', causes: ['Generate, then ask again.'], node: null }
}

const messageOf = ({ message }: Finding): string => message
