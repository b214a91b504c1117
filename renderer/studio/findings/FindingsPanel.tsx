// What the linter finds in the graph, most severe first, each linked to its node, with its fix; and “why is there nothing?”.
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, SearchX, Wrench } from 'lucide-react'
import { plural, t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useOverlay } from '../canvas/overlay.ts'
import { look } from '../editor/calls.ts'
import { useCapability } from '../editor/use-capability.ts'
import { firstCause } from '../generate/first-cause.ts'
import { FINDING_TONES } from '../panels/Layers.tsx'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'
import { useGestures } from '../use-gestures.ts'
import type { Finding } from './findings.ts'
import { focusNextFinding } from './next-finding.ts'
import { type Findings, useFindings } from './use-findings.ts'

export function FindingsPanel({ editor, graph }: PanelProps) {
  if (graph === null)
    return <EmptyState icon={CircleCheck} title={t('Nothing to show')} about={t('Open a graph to see its findings.')} />
  return <OfGraph editor={editor} graph={graph} />
}

function OfGraph({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const findings = useFindings(editor, graph)
  if (!findings) return <Skeleton className="m-3 h-24" />
  const { list } = findings
  const own = list.filter(({ node }) => node !== null)
  return (
    <div className="flex flex-col gap-3 px-3 pb-3">
      <div className="flex flex-wrap items-center gap-2 text-xs text-ink-2">
        <Nothing editor={editor} />
        <span className="grow" />
        {own.length > 0 && (
          <Button size="sm" look="quiet" title="F8" onClick={() => focusNextFinding(own)}>
            {t('Next')}
          </Button>
        )}
        <Checked findings={findings} />
      </div>
      {list.length === 0 ? (
        <p className="flex items-center gap-2 text-sm text-ink-2">
          <CircleCheck aria-hidden className="size-4 text-ok" /> {t('No findings in this graph.')}
        </p>
      ) : (
        <ul aria-label={t('Findings')} className="flex flex-col">
          {list.map((finding) => (
            <Row key={`${finding.code} ${finding.node} ${finding.message}`} finding={finding} />
          ))}
        </ul>
      )}
    </div>
  )
}

/** Whether the list is of the graph as it is; a real editor is read on request, because that takes seconds there. */
function Checked({ findings: { list, checked, check, checking, problem } }: { readonly findings: Findings }) {
  const count = plural(list.length, '{count} finding', '{count} findings')
  return (
    <>
      <span role="status">
        {checking
          ? t('Checking…')
          : checked
            ? count
            : problem !== null
              ? t('Settings were not checked: {problem}', { problem })
              : check
                ? t('{count}, settings not checked', { count })
                : t('Checking…')}
      </span>
      {check && (
        <Button size="sm" busy={checking} onClick={check}>
          {t('Check settings')}
        </Button>
      )}
    </>
  )
}

function Row({ finding: { code, severity, message, remedy, node, fix } }: { readonly finding: Finding }) {
  const focus = useOverlay((state) => state.focus)
  const { perform, locked } = useGestures()
  const name = node === null ? t('Fix {code}', { code }) : t('Fix {code} of {node}', { code, node })
  const repair = useMutation({
    mutationFn: (steps: NonNullable<Finding['fix']>) =>
      perform({
        label: name,
        async edit(_call, patch) {
          await patch(steps)
          return undefined
        },
      }),
  })
  return (
    <li className="flex items-center gap-2 border-b border-line/60 py-1 text-sm">
      <span title={severity}>
        <Badge tone={FINDING_TONES[severity]}>{code}</Badge>
      </span>
      <p className="min-w-0 grow">
        {node !== null && <span className="font-medium">{node}: </span>}
        {message} {remedy !== '' && <span className="text-xs text-ink-3">{remedy}.</span>}
      </p>
      {fix && (
        <Button
          size="sm"
          look="quiet"
          aria-label={name}
          busy={repair.isPending}
          disabled={locked !== null}
          title={locked ?? t('One step, which can be undone')}
          onClick={() => repair.mutate(fix)}
        >
          <Wrench /> {t('Fix')}
        </Button>
      )}
      {node !== null && (
        <Button size="sm" look="quiet" aria-label={t('Show {name}', { name: node })} onClick={() => focus(node)}>
          {t('Show')}
        </Button>
      )}
    </li>
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
    <section aria-label={t('Why is there nothing?')} className="flex max-w-full flex-col gap-2">
      <span title={reason ?? undefined} className="self-start">
        <Button
          size="sm"
          busy={why.isPending}
          disabled={reason !== null}
          onClick={() => actor !== null && why.mutate(actor, { onSuccess: show })}
        >
          <SearchX /> {t('Why is there nothing?')}
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
