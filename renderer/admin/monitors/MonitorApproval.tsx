// Whether a monitor may run a tool that needs a person, who approved that, and the approval itself.
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { type MonitorRecord, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { formatMoment } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { useSubmit } from '../../ui/use-mounted.ts'
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
            ? `By ${by ?? 'an admin'}${at ? `, ${formatMoment(at)}` : ''}. A change of the tool, its arguments or its guards ends it.`
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

function Form({ monitor, onClose }: Shown & { readonly onClose: () => void }) {
  const actor = useActor()
  const { approve } = useMonitorChanges()
  const [confirm, setConfirm] = useState(false)
  const save = useSubmit(() => approve(monitor, confirm), onClose)
  return (
    <DialogForm
      submit="Approve monitor"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(undefined)}
      onClose={onClose}
    >
      {monitor.args && (
        <section>
          <h3 className="eyebrow pb-1.5">Called with</h3>
          <JsonView value={monitor.args} label="arguments" />
        </section>
      )}
      {mayUse(actor, 'admin') && (
        <Checkbox
          label="Approve without a second person, if I set the monitor or changed its tool"
          checked={confirm}
          onChange={setConfirm}
        />
      )}
    </DialogForm>
  )
}
