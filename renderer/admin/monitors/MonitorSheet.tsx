// A monitor: last run, drift, and actions.
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { MonitorRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Sheet } from '../../ui/Dialog.tsx'
import { DiffList } from '../../ui/DiffList.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { notifyError } from '../../ui/notify.ts'
import { useExamples } from '../tools/run/use-example-changes.ts'
import { MonitorApproval } from './MonitorApproval.tsx'
import { MonitorState } from './MonitorState.tsx'
import { useMonitorChanges } from './use-monitor-changes.ts'

type Shown = { readonly readOnly: boolean }

export function MonitorSheet({
  monitor,
  readOnly,
  onClose,
}: Shown & { readonly monitor: MonitorRecord | undefined; readonly onClose: () => void }) {
  return (
    <Sheet open={monitor !== undefined} onClose={onClose} title={monitor?.toolName ?? ''}>
      {monitor && <Loaded monitor={monitor} readOnly={readOnly} />}
    </Sheet>
  )
}

function Loaded({ monitor, readOnly }: Shown & { readonly monitor: MonitorRecord }) {
  const { clientName, toolName, intervalMinutes, lastError, lastLatencyMs, lastRunAt, lastCheckedAt, nextRunAt } =
    monitor
  const { exampleId } = monitor
  const examples = useExamples({ client: clientName, tool: toolName }, exampleId !== null)
  const example = examples.data?.items.find(({ id }) => id === exampleId)
  const { run, rebaseline } = useMonitorChanges()
  const running = useMutation({ mutationFn: () => run(monitor), onError: notifyError })
  const taking = useMutation({ mutationFn: () => rebaseline(monitor), onError: notifyError })
  const moment = (at: string | null) => at && formatMoment(at)
  return (
    <div className="flex flex-col gap-5 p-4">
      {!readOnly && (
        <div className="flex gap-2">
          <Button busy={running.isPending} onClick={() => running.mutate()}>
            {t('Run now')}
          </Button>
          {monitor.driftDetected && (
            <Button busy={taking.isPending} onClick={() => taking.mutate()}>
              {t('Accept as new baseline')}
            </Button>
          )}
        </div>
      )}
      <MonitorApproval monitor={monitor} readOnly={readOnly} />
      {lastError !== null && (
        <p role="status" className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words">
          {lastError}
        </p>
      )}
      {monitor.drift && (
        <section className="grid gap-2">
          <h3 className="eyebrow">
            {t('Differs from its baseline since {since}', { since: formatMoment(monitor.drift.since) })}
          </h3>
          <DiffList label={t('Differences')} entries={monitor.drift.diff} whole />
          <p className="text-xs text-ink-3">
            {t('The tool is unchanged here. Refresh its backend to apply the change.')}
          </p>
        </section>
      )}
      <Facts
        title={t('Runs')}
        facts={[
          { name: t('State'), value: <MonitorState monitor={monitor} /> },
          {
            name: t('Tool'),
            value: (
              <Link
                to="/tools/$client/$tool"
                params={{ client: clientName, tool: toolName }}
                className="rounded text-link underline"
              >
                {toolName}
              </Link>
            ),
          },
          { name: t('Backend'), value: clientName },
          { name: t('Every'), value: t('{intervalMinutes} min', { intervalMinutes }) },
          { name: t('Last run'), value: moment(lastRunAt) },
          { name: t('Duration'), value: lastLatencyMs !== null && formatSpan(lastLatencyMs) },
          { name: t('Definition checked'), value: moment(lastCheckedAt) },
          { name: t('Next run'), value: moment(nextRunAt) },
          {
            name: t('Example'),
            value: exampleId !== null && (example?.label ?? t('Number {exampleId}', { exampleId })),
          },
        ]}
      />
      {monitor.args && (
        <section>
          <h3 className="eyebrow pb-1.5">{t('Called with')}</h3>
          <JsonView value={monitor.args} label={t('arguments')} />
        </section>
      )}
    </div>
  )
}
