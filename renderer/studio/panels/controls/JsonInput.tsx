// A JSON value: applied once it is valid JSON.

import { useState } from 'react'
import { t } from '../../../language/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextArea } from '../../../ui/Field.tsx'

function read(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

export function JsonInput({
  label,
  value,
  hideLabel = false,
  mixed = false,
  rows,
  hint,
  refuse,
  onCommit,
}: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: unknown
  readonly mixed?: boolean
  readonly rows?: number
  readonly hint?: string
  /** Returns why a JSON value is not allowed. */
  readonly refuse?: (value: unknown) => string | undefined
  /** `of` is the value when typing began; returning false keeps the text. */
  readonly onCommit: (value: unknown, of: unknown) => Promise<unknown>
}) {
  const stored = mixed ? '' : JSON.stringify(value, null, 2)
  const [typed, setTyped] = useState<{ readonly text: string; readonly of: unknown } | null>(null)
  const text = typed?.text ?? null
  const [busy, setBusy] = useState(false)
  const parsed = text === null ? undefined : read(text)
  const problem = parsed && ('problem' in parsed ? parsed.problem : refuse?.(parsed.value))
  async function apply(): Promise<void> {
    if (!parsed || 'problem' in parsed || problem !== undefined) return
    setBusy(true)
    const kept = await onCommit(parsed.value, typed?.of)
    setBusy(false)
    // Keeps text that the user typed in the meantime.
    setTyped((now) => (kept === false || now?.text !== typed?.text ? now : null))
  }
  return (
    <div className="flex flex-col gap-1.5">
      <TextArea
        label={label}
        hideLabel={hideLabel}
        rows={rows ?? Math.min(10, stored.split('\n').length + 1)}
        className="min-h-0!"
        hint={hint}
        placeholder={mixed ? t('differ') : undefined}
        value={text ?? stored}
        error={problem}
        onChange={(event) => setTyped({ text: event.target.value, of: typed ? typed.of : value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void apply()
        }}
      />
      {text !== null && text !== stored && (
        <div className="flex gap-1.5">
          <Button size="sm" look="strong" busy={busy} disabled={problem !== undefined} onClick={() => void apply()}>
            {t('Apply')}
          </Button>
          <Button size="sm" look="quiet" onClick={() => setTyped(null)}>
            {t('Revert')}
          </Button>
        </div>
      )}
    </div>
  )
}
