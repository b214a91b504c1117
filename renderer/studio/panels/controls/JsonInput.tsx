// A value of any shape as JSON: it becomes the value once it reads as JSON and is applied.
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { TextArea } from '../../../ui/TextArea.tsx'
import type { Commit } from './use-held.ts'

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
  /** Says why a JSON value cannot be this one. */
  readonly refuse?: (value: unknown) => string | undefined
  readonly onCommit: Commit<unknown>
}) {
  const stored = mixed ? '' : JSON.stringify(value, null, 2)
  const [text, setText] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const parsed = text === null ? undefined : read(text)
  const problem = parsed && ('problem' in parsed ? parsed.problem : refuse?.(parsed.value))
  async function apply(): Promise<void> {
    if (!parsed || 'problem' in parsed || problem !== undefined) return
    setBusy(true)
    await onCommit(parsed.value)
    setBusy(false)
    setText(null)
  }
  return (
    <div className="flex flex-col gap-1.5">
      <TextArea
        label={label}
        hideLabel={hideLabel}
        rows={rows ?? Math.min(10, stored.split('\n').length + 1)}
        className="min-h-0!"
        hint={hint}
        placeholder={mixed ? 'differ' : undefined}
        value={text ?? stored}
        error={problem}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void apply()
        }}
      />
      {text !== null && text !== stored && (
        <div className="flex gap-1.5">
          <Button size="sm" look="strong" busy={busy} disabled={problem !== undefined} onClick={() => void apply()}>
            Apply
          </Button>
          <Button size="sm" look="quiet" onClick={() => setText(null)}>
            Take back
          </Button>
        </div>
      )}
    </div>
  )
}
