// Verifies the component of the open graph, runs its assertions, and sweeps seeds and values.
import { useMutation } from '@tanstack/react-query'
import { BadgeCheck, FlaskConical } from 'lucide-react'
import type { AuthoringOutput } from '#pcg-catalog'
import { plural, t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { useOverlay } from '../canvas/overlay.ts'
import { author } from '../editor/calls.ts'
import { useCapability } from '../editor/use-capability.ts'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'
import { assertionLabel, foundForm } from './assertion-words.ts'
import { ProfileForm } from './Profile.tsx'
import { SweepForm } from './SweepForm.tsx'
import { useIntoView } from './use-into-view.ts'

type Verified = AuthoringOutput<'verify_pcg_component'>
type Tested = AuthoringOutput<'test_pcg_graph'>

export function VerifyPanel({ editor, graph }: PanelProps) {
  if (graph === null)
    return <EmptyState icon={BadgeCheck} title={t('Nothing to show')} about={t('Open a graph to verify it.')} />
  return <OfGraph key={graph} editor={editor} graph={graph} />
}

function OfGraph({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const actor = useStudio((state) => state.actor)
  const cannot = useCapability(editor, 'generate')
  const verify = useMutation({
    mutationFn: (actor_name: string) => author(editor, 'verify_pcg_component', { actor_name }),
  })
  const test = useMutation({
    mutationFn: () =>
      author(editor, 'test_pcg_graph', { pcg_graph_path: graph, ...(actor === null ? {} : { actor_name: actor }) }),
  })
  const reason = cannot ?? (actor === null ? t('Choose an actor in the panel Level first') : null)
  return (
    <div className="flex flex-col gap-4 px-3 pb-3">
      <div className="flex flex-wrap items-center gap-2">
        <span title={reason ?? t('Clean, generate and read back')}>
          <Button
            size="sm"
            busy={verify.isPending}
            disabled={reason !== null}
            onClick={() => actor !== null && verify.mutate(actor)}
          >
            <BadgeCheck /> {t('Verify component')}
          </Button>
        </span>
        <span title={cannot ?? undefined}>
          <Button size="sm" busy={test.isPending} disabled={cannot !== null} onClick={() => test.mutate()}>
            <FlaskConical /> {t('Run assertions')}
          </Button>
        </span>
      </div>
      {verify.isError && <ErrorNote error={verify.error} />}
      {verify.data && <Result run={verify.data} />}
      {test.isError && <ErrorNote error={test.error} />}
      {test.data && <Assertions tested={test.data} />}
      <ProfileForm editor={editor} actor={actor} reason={reason} />
      <SweepForm editor={editor} graph={graph} actor={actor} />
    </div>
  )
}

const signed = (delta: number): string =>
  delta === 0 ? '±0' : delta > 0 ? `+${formatCount(delta)}` : `−${formatCount(-delta)}`

function Result({ run }: { readonly run: Verified }) {
  const { fresh, instances, duration_ms, compared, ends_at, error } = run
  const focus = useOverlay((state) => state.focus)
  const good = fresh && error === null && ends_at === null
  const at = useIntoView<HTMLElement>(run)
  return (
    <section ref={at} aria-label={t('Verified run')} className="flex flex-col gap-2">
      <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Badge tone={good ? 'ok' : 'bad'}>{good ? t('verified') : t('not verified')}</Badge>
        <span>{plural(instances, '{count} instance', '{count} instances')}</span>
        {compared && <span className="text-ink-3">{signed(instances - compared.instances_before)}</span>}
        <span>{t('{ms} ms', { ms: duration_ms.toFixed(1) })}</span>
        <span className="text-ink-3">{fresh ? t('generated afresh') : t('cached result')}</span>
      </p>
      {error !== null && <p className="text-sm text-bad">{error}</p>}
      {ends_at && (
        <p className="flex items-center gap-2 text-sm">
          <Badge tone="warn">{t('data ends at {node}', { node: ends_at.node_name })}</Badge>
          <span className="min-w-0 grow text-ink-2">{ends_at.reason}</span>
          <Button size="sm" look="quiet" onClick={() => focus(ends_at.node_name)}>
            {t('Show')}
          </Button>
        </p>
      )}
      {run.nodes.length > 0 && <Nodes run={run} />}
    </section>
  )
}

/** The share of the slowest node, as a bar behind its time. */
function Nodes({ run: { nodes, compared } }: { readonly run: Verified }) {
  const focus = useOverlay((state) => state.focus)
  const most = Math.max(...nodes.map(({ ms }) => ms ?? 0), Number.MIN_VALUE)
  const before = (name: string) => compared?.nodes_before.find(({ node_name }) => node_name === name)
  const head = 'px-2 py-1 text-right font-medium first:pl-0 first:text-left'
  const cell = 'px-2 py-1 text-right tabular-nums'
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-[34rem] text-xs" aria-label={t('Cost of each node')}>
        <thead className="text-ink-3">
          <tr>
            {[t('Node'), t('Time'), t('Before'), t('Points'), t('Change'), t('Memory')].map((title) => (
              <th key={title} scope="col" className={head}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nodes.map(({ node_name, ms, points, bytes }) => {
            const was = before(node_name)
            return (
              <tr key={node_name} className="border-t border-line/60">
                <th scope="row" className="py-1 pr-2 text-left font-normal">
                  <button type="button" className="hover:underline" onClick={() => focus(node_name)}>
                    {node_name}
                  </button>
                </th>
                <td className={cell}>
                  <span className="relative inline-block w-20">
                    <span
                      aria-hidden
                      className="absolute inset-y-0 right-0 rounded-sm bg-info-soft"
                      style={{ width: `${((ms ?? 0) / most) * 100}%` }}
                    />
                    <span className="relative px-1">{ms === null ? '–' : t('{ms} ms', { ms: ms.toFixed(2) })}</span>
                  </span>
                </td>
                <td className={`${cell} text-ink-3`}>
                  {was?.ms == null ? '–' : t('{ms} ms', { ms: was.ms.toFixed(2) })}
                </td>
                <td className={cell}>{formatCount(points)}</td>
                <td className={`${cell} text-ink-3`}>{was ? signed(points - was.points) : '–'}</td>
                <td className={cell}>{bytes === null ? '–' : formatBytes(bytes)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const labelOf = (assertion: Tested['tests']['assertions'][number] | undefined, text: string): string =>
  assertion ? assertionLabel(assertion) : text

function Assertions({ tested }: { readonly tested: Tested }) {
  const { passed, results, tests } = tested
  const at = useIntoView<HTMLElement>(tested)
  return (
    <section ref={at} aria-label={t('Assertions')} className="flex flex-col gap-1">
      <p role="status" className="text-sm font-medium">
        {passed ? t('All assertions hold') : t('Assertions failed')}
      </p>
      <ul className="flex flex-col">
        {results.map(({ assertion, passed: holds, found }, index) => (
          <li key={assertion} className="flex items-center gap-2 border-b border-line/60 py-1 text-sm last:border-0">
            <Badge tone={holds ? 'ok' : 'bad'}>{holds ? t('holds') : t('fails')}</Badge>
            <span className="min-w-0 grow">{labelOf(tests.assertions[index], assertion)}</span>
            <span className="text-xs text-ink-3">{foundForm(found) ?? found}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
