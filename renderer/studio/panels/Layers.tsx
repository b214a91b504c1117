// The panels' marks on the canvas: findings as badges, the last generation as heat. Mounted once.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo } from 'react'
import { t } from '../../language/language.ts'
import type { Tone } from '../../ui/Badge.tsx'
import { type Overlay, useOverlay } from '../canvas/overlay.ts'
import { graphQuery, reportQuery } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'
import { usePassing } from '../editor/use-passing.ts'
import type { Finding } from '../findings/findings.ts'
import { focusNextFinding } from '../findings/next-finding.ts'
import { useFindings, useFreshDocument } from '../findings/use-findings.ts'
import { heatLayer } from '../generate/heat.ts'
import { useStudio } from '../studio.ts'

type Props = { readonly editor: string; readonly graph: string }
type Layer = NonNullable<Parameters<Overlay['setLayer']>[1]>

export const FINDING_TONES: Readonly<Record<Finding['severity'], Tone>> = {
  error: 'bad',
  warning: 'warn',
  info: 'neutral',
}
const SIGNS: Readonly<Record<Finding['severity'], string>> = { error: '!', warning: '!', info: 'i' }

export function Layers(props: Props) {
  useFreshDocument(props.editor, props.graph)
  useFindingLayer(props)
  useHeatLayer(props)
  usePassingLayer(props)
  useDisplayLayer()
  return null
}

function useFindingLayer({ editor, graph }: Props): void {
  const findings = useFindings(editor, graph)?.list
  const setLayer = useOverlay((state) => state.setLayer)
  useEffect(() => setLayer('findings', findings ? findingLayer(findings) : null), [findings, setLayer])
  useEffect(() => () => setLayer('findings', null), [setLayer])
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'F8' || event.defaultPrevented) return
    event.preventDefault()
    focusNextFinding(findings ?? [])
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

/** One badge per node: its most severe finding, and the count. A class that is not executed has a badge of its own. */
function findingLayer(findings: readonly Finding[]): Layer {
  const ofNodes = Map.groupBy(
    findings.filter(({ node, code }) => node !== null && code !== 'not-executed'),
    ({ node }) => node ?? '',
  )
  const nodes = new Map(
    [...ofNodes].flatMap(([name, own]) => {
      const [first] = own
      if (!first) return []
      const sign = own.length === 1 ? SIGNS[first.severity] : `${SIGNS[first.severity]} ${own.length}`
      const title = own.map(({ message }) => message).join('\n')
      return [[name, { badge: { tone: FINDING_TONES[first.severity], text: sign, title } }] as const]
    }),
  )
  return { nodes }
}

/** Marks the node with the display flag. */
function useDisplayLayer(): void {
  const display = useStudio((state) => state.display)
  const setLayer = useOverlay((state) => state.setLayer)
  useEffect(() => {
    setLayer('display', display === null ? null : { nodes: new Map([[display, SHOWN]]) })
    return () => setLayer('display', null)
  }, [display, setLayer])
}
const SHOWN = {
  badge: { tone: 'info', text: t('shown'), title: t('Its data is shown, independent of the selection.') },
} as const

/** Marks nodes that this editor does not execute, before a run. */
function usePassingLayer({ editor, graph }: Props): void {
  const passes = usePassing(editor)
  const { data: info } = useQuery(graphQuery(editor, graph))
  const setLayer = useOverlay((state) => state.setLayer)
  useEffect(() => {
    const names = (info?.nodes ?? []).filter((node) => passes(node.settings_class)).map(({ node_name }) => node_name)
    setLayer('passing', { nodes: new Map(names.map((name) => [name, NOT_EXECUTED])) })
    return () => setLayer('passing', null)
  }, [info, passes, setLayer])
}
const NOT_EXECUTED = {
  badge: {
    tone: 'neutral',
    text: t('not executed'),
    title: t('The built-in editor does not execute this class: data passes through.'),
  },
} as const

function useHeatLayer({ editor, graph }: Props): void {
  const heat = useStudio((state) => state.heat)
  const actor = useStudio((state) => state.actor)
  const noReports = useCapability(editor, 'timings')
  const { data: info } = useQuery(graphQuery(editor, graph))
  const wanted = heat !== 'off' && actor !== null && noReports === null
  const { data: report } = useQuery({ ...reportQuery(editor, actor ?? ''), enabled: wanted })
  const setLayer = useOverlay((state) => state.setLayer)
  const layer = useMemo(
    () =>
      wanted && report && info
        ? heatLayer(
            report,
            graph,
            info.nodes.map(({ node_name }) => node_name),
            heat,
          )
        : null,
    [wanted, report, info, graph, heat],
  )
  useEffect(() => {
    setLayer('heat', layer)
    return () => setLayer('heat', null)
  }, [setLayer, layer])
}
