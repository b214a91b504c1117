// The last generation as heat on nodes: time, points, and nodes that did not run. Pure.
import type { InspectionOutput } from '#pcg-catalog'
import { plural, t } from '../../language/language.ts'
import type { Overlay } from '../canvas/overlay.ts'
import type { Heat } from '../studio.ts'

type Report = Pick<InspectionOutput<'get_pcg_generation_report'>, 'nodes'>
type Layer = NonNullable<Parameters<Overlay['setLayer']>[1]>

export function heatLayer(report: Report, graph: string, nodes: Iterable<string>, heat: Heat): Layer | null {
  if (heat === 'off') return null
  const sums = new Map<string, { ms: number; points: number; executed: boolean; warnings: readonly string[] }>()
  // A node in a loop runs several times.
  for (const { node_name, ms, points, executed, warnings } of report.nodes.filter((node) => node.graph === graph)) {
    const sum = sums.get(node_name)
    sums.set(node_name, {
      ms: (sum?.ms ?? 0) + ms,
      points: (sum?.points ?? 0) + points,
      executed,
      warnings: [...(sum?.warnings ?? []), ...warnings],
    })
  }
  const of = (sum: { readonly ms: number; readonly points: number }) => (heat === 'time' ? sum.ms : sum.points)
  const most = Math.max(...[...sums.values()].map(of), Number.MIN_VALUE)
  const marks = new Map<string, NonNullable<ReturnType<NonNullable<Layer['nodes']>['get']>>>()
  for (const name of nodes) {
    const sum = sums.get(name)
    if (!sum) marks.set(name, { heat: t('did not run') })
    else
      marks.set(name, {
        tint: of(sum) / most,
        heat: heat === 'time' ? `${sum.ms < 10 ? sum.ms.toFixed(1) : Math.round(sum.ms)} ms` : count(sum.points),
        ...(sum.executed
          ? {}
          : {
              badge: {
                tone: 'warn',
                text: t('passed'),
                title: sum.warnings.join('. ') || t('Not executed by this editor: data passed through'),
              },
            }),
      })
  }
  return { nodes: marks }
}

const count = (points: number): string => plural(points, '{count} point', '{count} points')
