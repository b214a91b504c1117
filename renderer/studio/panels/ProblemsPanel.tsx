// Problems, most severe first, each linked to its node; and a button for “why is there nothing?”.
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, SearchX } from 'lucide-react'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useOverlay } from '../canvas/overlay.ts'
import { look } from '../editor/calls.ts'
import { useCapability } from '../editor/use-capability.ts'
import { firstCause } from '../generate/first-cause.ts'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'
import { PROBLEM_TONES } from './Layers.tsx'
import { focusNextProblem } from './next-problem.ts'
import { useProblems } from './use-problems.ts'

export function ProblemsPanel({ editor, graph }: PanelProps) {
  if (graph === null)
    return <EmptyState icon={CircleCheck} title={t('Nothing to show')} about={t('Open a graph to see its problems.')} />
  return <OfGraph editor={editor} graph={graph} />
}

function OfGraph({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const problems = useProblems(editor, graph)
  const focus = useOverlay((state) => state.focus)
  if (!problems) return <Skeleton className="m-3 h-24" />
  return (
    <div className="flex flex-col gap-3 px-3 pb-3">
      <Nothing editor={editor} />
      {problems.length === 0 ? (
        <p className="flex items-center gap-2 text-sm text-ink-2">
          {rich('{circlecheck} No problems in this graph.', {
            circlecheck: <CircleCheck aria-hidden className="size-4 text-ok" />,
          })}
        </p>
      ) : (
        <>
          <div className="flex items-center gap-2 text-xs text-ink-2">
            {problems.length} {problems.length === 1 ? t('problem') : t('problems')}
            <Button size="sm" look="quiet" title="F8" onClick={() => focusNextProblem(problems)}>
              {t('Next')}
            </Button>
          </div>
          <ul aria-label={t('Problems')} className="flex flex-col">
            {problems.map(({ code, severity, message, node }) => (
              <li key={`${code} ${message}`} className="flex items-center gap-2 border-b border-line/60 py-1 text-sm">
                <Badge tone={PROBLEM_TONES[severity]}>{code}</Badge>
                <span className="min-w-0 grow">{message}</span>
                {node !== null && (
                  <Button size="sm" look="quiet" aria-label={t('Show {node}', { node })} onClick={() => focus(node)}>
                    {t('Show')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** Inspects without generating: the last result, and what prevents a better one. */
function Nothing({ editor }: { readonly editor: string }) {
  const actor = useStudio((state) => state.actor)
  const focus = useOverlay((state) => state.focus)
  const cannot = useCapability(editor, 'timings')
  const why = useMutation({
    mutationFn: async (actor_name: string) => {
      const [{ findings }, report] = await Promise.all([
        look(editor, 'explain_pcg_component', { actor_name }),
        look(editor, 'get_pcg_generation_report', { actor_name }),
      ])
      return firstCause(findings, report)
    },
  })
  // Not if another graph was opened in the meantime.
  const show = ({ node }: { readonly node: string | null }): void => void (node !== null && focus(node))
  const reason = cannot ?? (actor === null ? t('Choose an actor in the panel Level first') : null)
  return (
    <section aria-label={t('Why is there nothing?')} className="flex flex-col gap-2">
      <span title={reason ?? undefined} className="self-start">
        <Button
          size="sm"
          busy={why.isPending}
          disabled={reason !== null}
          onClick={() => actor !== null && why.mutate(actor, { onSuccess: show })}
        >
          {rich('{searchx} Why is there nothing?', { searchx: <SearchX /> })}
        </Button>
      </span>
      {why.isError && <ErrorNote error={why.error} />}
      {why.data && (
        <div role="status" className="rounded-md border border-line bg-sunken px-3 py-2 text-sm">
          <p className="font-medium">{why.data.title}</p>
          {why.data.causes.map((cause) => (
            <p key={cause} className="text-ink-2">
              {cause}
            </p>
          ))}
        </div>
      )}
    </section>
  )
}
