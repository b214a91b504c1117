// The approval of a monitor whose tool needs a person.
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { API, type MonitorRecord, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
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
      aria-label="Approval"
      className={cx('flex items-center gap-3 rounded-md px-3 py-2.5', given ? 'bg-surface-2' : 'bg-warn-soft')}
    >
      <ShieldCheck aria-hidden className={cx('size-5 shrink-0', given ? 'text-ok' : 'text-warn')} />
      <div className="min-w-0 grow">
        <p className="text-sm font-medium">{given ? 'Approved' : 'Approval needed'}</p>
        <p className="text-xs text-ink-2">
          {given
            ? `By ${by ?? 'an admin'}${at ? `, ${formatMoment(at)}` : ''}. A change of the tool, its arguments or its guards revokes it.`
            : `The tool needs ${needed === 'approval' ? 'an approval' : 'a confirmation'}, so the monitor does not run yet.${setBy ? ` Set by ${setBy}.` : ''}`}
        </p>
      </div>
      {!given && !readOnly && <Button onClick={() => setAsking(true)}>Approve…</Button>}
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Approve this monitor?"
        about={`It calls ${monitor.toolName} of ${monitor.clientName} every ${monitor.intervalMinutes} min without asking again.`}
      >
        {asking && <Form monitor={monitor} onClose={() => setAsking(false)} />}
      </Dialog>
    </section>
  )
}

const FORM = formOf(API.monitors.approve.body, {
  confirm: { label: 'Approve without a second person, if I set the monitor or changed its tool' },
})
/** Operators cannot confirm. */
const OPERATOR_FORM = formOf(API.monitors.approve.body, {})

function Form({ monitor, onClose }: Shown & { readonly onClose: () => void }) {
  const administers = mayUse(useActor(), 'admin')
  const { approve } = useMonitorChanges()
  return (
    <RecordForm
      form={administers ? FORM : OPERATOR_FORM}
      submit="Approve monitor"
      renderAbove={() =>
        monitor.args && (
          <section>
            <h3 className="eyebrow pb-1.5">Called with</h3>
            <JsonView value={monitor.args} label="arguments" />
          </section>
        )
      }
      onSubmit={({ confirm }) => approve(monitor, confirm)}
      onClose={onClose}
    />
  )
}
