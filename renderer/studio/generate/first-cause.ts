// Why is there nothing? The first explanation from the editor's findings and its last generation. Pure.
import type { InspectionOutput } from '#pcg-catalog'
import { t } from '../../language/language.ts'

type Finding = InspectionOutput<'explain_pcg_component'>['findings'][number]
type Report = Pick<InspectionOutput<'get_pcg_generation_report'>, 'nodes' | 'state'>

export type Cause = {
  readonly title: string
  readonly causes: readonly string[]
  /** The node where it starts, if any. */
  readonly node: string | null
}

/** Without these no node runs. */
const BEFORE_ANY_NODE = ['NO_COMPONENT', 'CANNOT_START', 'NO_EXTENT', 'EMPTY_GRAPH']

export function firstCause(findings: readonly Finding[], { nodes, state }: Report): Cause {
  const before = findings.filter(({ code }) => BEFORE_ANY_NODE.includes(code))
  const [first] = before
  if (first) return { title: t('Nothing can be generated'), causes: before.map(messageOf), node: first.node_name }
  // A report from before the last cleanup is out of date.
  const ran = state === 'generated' && nodes.length > 0
  const empty = ran ? findings.find(({ code }) => code === 'FIRST_EMPTY_NODE') : undefined
  if (empty) {
    const own = findings.filter(({ node_name, code }) => node_name === empty.node_name && !BESIDE.includes(code))
    return {
      title: t('Data ends here'),
      causes: [...new Set([empty, ...own].map(messageOf))],
      node: empty.node_name,
    }
  }
  const grave = findings.filter(({ severity }) => severity === 'error')
  const [worst] = grave
  if (worst)
    return { title: t('The graph cannot produce anything'), causes: grave.map(messageOf), node: worst.node_name }
  const rest = findings.filter(({ severity }) => severity === 'warning')
  if (ran)
    return {
      title: t('Every spawner and output received data'),
      causes: rest.map(messageOf),
      node: rest[0]?.node_name ?? null,
    }
  return { title: t('Nothing has been generated yet'), causes: [t('Generate, then ask again.')], node: null }
}

/** The finding that explains it, or none. */
const BESIDE = ['FIRST_EMPTY_NODE', 'DEAD_END']
const messageOf = ({ message }: Finding): string => message
