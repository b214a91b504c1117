// How far a copy or a reading is, as both editors report it.
import { useState } from 'react'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { type StudioEvent, useEditorEvents } from '../editor/queries.ts'

type Step = Pick<Extract<StudioEvent, { type: 'transfer' }>, 'progress' | 'total' | 'message'>

export function Working({ label, from, to }: { readonly label: string; readonly from: string; readonly to: string }) {
  const [step, setStep] = useState<Step | null>(null)
  const note = (event: StudioEvent): void => {
    if (event.type === 'transfer') setStep(event)
  }
  useEditorEvents(from, note)
  useEditorEvents(to, note)
  return (
    <div className="flex items-center gap-3 text-xs text-ink-2">
      <ProgressBar label={label} value={step && step.total > 0 ? step.progress : null} max={step?.total || 1} />
      <p role="status" className="min-w-0 grow truncate">
        {step?.message ?? `${label}…`}
      </p>
    </div>
  )
}
