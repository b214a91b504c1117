// The approval of a monitor whose tool needs a person.
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { API, type MonitorRecord, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordForm } from '../../ui/form/RecordForm.tsx'
import { formatMoment } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { useMonitorChanges } from './use-monitor-changes.ts'

type Shown = { readonly monitor: MonitorRecord }

export function MonitorApproval({ monitor, readOnly }: Shown & { readonly readOnly: boolean }) {
  const [asking, setAsking] = useState(false)
  const { needed, given, by, at, setBy } = monitor.approval
  if (needed === null) return null
  return (
    <section
      aria-label={t('Approval')}
      className={cx('flex items-center gap-3 rounded-md px-3 py-2.5', given ? 'bg-surface-2' : 'bg-warn-soft')}
    >
      <ShieldCheck aria-hidden className={cx('size-5 shrink-0', given ? 'text-ok' : 'text-warn')} />
      <div className="min-w-0 grow">
        <p className="text-sm font-medium">{given ? t('Approved') : t('Approval needed')}</p>
        <p className="text-xs text-ink-2">
          {given
            ? t('By {by}. A change of the tool, its arguments or its guards revokes it.', {
                by: [by ?? t('an admin'), at && formatMoment(at)].filter(Boolean).join(', '),
              })
            : [
                needed === 'approval'
                  ? t('The tool needs an approval, so the monitor does not run yet.')
                  : t('The tool needs a confirmation, so the monitor does not run yet.'),
                setBy && t('Set by {setBy}.', { setBy }),
              ]
                .filter(Boolean)
                .join(' ')}
        </p>
      </div>
      {!given && !readOnly && <Button onClick={() => setAsking(true)}>{t('Approve…')}</Button>}
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('Approve this monitor?')}
        about={t('It calls {toolName} of {clientName} every {intervalMinutes} min without asking again.', {
          toolName: monitor.toolName,
          clientName: monitor.clientName,
          intervalMinutes: monitor.intervalMinutes,
        })}
      >
        {asking && <Form monitor={monitor} onClose={() => setAsking(false)} />}
      </Dialog>
    </section>
  )
}

const FORM = formOf(API.monitors.approve.body, {
  confirm: { label: t('Approve without a second person, if I set the monitor or changed its tool') },
})
/** Operators cannot confirm. */
const OPERATOR_FORM = formOf(API.monitors.approve.body, {})

function Form({ monitor, onClose }: Shown & { readonly onClose: () => void }) {
  const administers = mayUse(useActor(), 'admin')
  const { approve } = useMonitorChanges()
  return (
    <RecordForm
      form={administers ? FORM : OPERATOR_FORM}
      submit={t('Approve monitor')}
      renderAbove={() =>
        monitor.args && (
          <section>
            <h3 className="eyebrow pb-1.5">{t('Called with')}</h3>
            <JsonView value={monitor.args} label={t('arguments')} />
          </section>
        )
      }
      onSubmit={({ confirm }) => approve(monitor, confirm)}
      onClose={onClose}
    />
  )
}
