// Two panes: input on the left, result on the right.

import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNote } from '../../../ui/ErrorState.tsx'
import { submitting } from '../../../ui/submitting.ts'

export function TryPanes({
  submit,
  busy,
  error,
  ready = true,
  onSubmit,
  beside,
  answer,
  awaited,
  below,
  children,
}: {
  readonly submit: string
  readonly busy: boolean
  readonly error: unknown
  readonly ready?: boolean
  readonly onSubmit: () => void
  /** Additional buttons. */
  readonly beside?: ReactNode
  /** Empty until the first run. */
  readonly answer: ReactNode
  readonly awaited: { readonly title: string; readonly about: string }
  readonly below?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className="grid min-h-full xl:grid-cols-2 xl:divide-x xl:divide-line">
      <form
        // Incomplete input may be sent, to see the gateway's answer.
        noValidate
        className="flex min-w-0 flex-col gap-5 px-6 py-5"
        onSubmit={submitting(() => ready && onSubmit())}
      >
        {children}
        {error !== null && <ErrorNote error={error} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="strong" busy={busy} disabled={!ready}>
            <Play />
            {submit}
          </Button>
          {beside}
        </div>
      </form>
      <div className="min-w-0 bg-canvas">
        <div aria-live="polite">{answer ?? <EmptyState icon={Play} {...awaited} />}</div>
        {below}
      </div>
    </div>
  )
}
