// Dialogs, side sheets, and confirmations.

import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useSessionEnd } from '../api/session.ts'
import { t } from '../language/language.ts'
import { Button, IconButton } from './Button.tsx'
import { cx } from './cx.ts'
import { ErrorNote } from './ErrorState.tsx'
import { Field } from './Field.tsx'
import { submitting } from './submitting.ts'
import { useWhileMounted } from './use-mounted.ts'

type Openable = { readonly open: boolean; readonly onClose: () => void }

/**
 * The initial focus of a dialog: its first field. Not `autoFocus`, which moves the focus before the dialog records it,
 * so that it could not be restored.
 */
const firstField = (inside: HTMLElement | null): HTMLElement | true =>
  inside?.querySelector<HTMLElement>('input:not([type=hidden], [type=checkbox]), textarea') ?? true

/** Whether the enclosing dialog must stay open. */
const Staying = createContext<RefObject<boolean> | null>(null)

/**
 * Keeps the enclosing dialog open while `stays` is true: its answer is shown once. Call the returned function in the event
 * that sets `stays`, because a key pressed in the same moment arrives before the next render.
 */
export function useStaying(stays: boolean): () => void {
  const stayingRef = use(Staying)
  useLayoutEffect(() => {
    if (!stayingRef || !stays) return
    stayingRef.current = true
    return () => {
      stayingRef.current = false
    }
  }, [stayingRef, stays])
  return () => {
    if (stayingRef) stayingRef.current = true
  }
}

const centred = 'pop float fixed top-[10vh] left-1/2 z-50 max-h-[82vh] w-full -translate-x-1/2 overflow-y-auto'

export function Dialog({
  open,
  onClose,
  title,
  about,
  width = 'max-w-md',
  children,
}: Openable & {
  readonly title: string
  readonly about?: ReactNode
  readonly width?: string
  readonly children: ReactNode
}) {
  const content = useRef<HTMLDivElement>(null)
  const staying = useRef(false)
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && !staying.current && !useSessionEnd.getState().ended && onClose()}
    >
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup initialFocus={() => firstField(content.current)} className={cx(centred, width)}>
          <div className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 grow">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {about && <Base.Description className="mt-0.5 text-sm text-pretty text-ink-2">{about}</Base.Description>}
            </div>
            <Base.Close render={<IconButton label={t('Close')} size="sm" />}>
              <X />
            </Base.Close>
          </div>
          <div ref={content} className="px-5 pb-5">
            <Staying value={staying}>
              <Asking>{children}</Asking>
            </Staying>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-5 flex justify-end gap-2">{children}</div>
}

/** A side panel that keeps the list visible and usable. */
export function Sheet({
  open,
  onClose,
  title,
  actions,
  onKey,
  children,
}: Openable & {
  readonly title: ReactNode
  readonly actions?: ReactNode
  readonly onKey?: (key: string) => void
  readonly children: ReactNode
}) {
  const content = useRef<HTMLDivElement>(null)
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && !useSessionEnd.getState().ended && onClose()}
      modal={false}
      disablePointerDismissal
    >
      <Base.Portal>
        <Base.Popup
          data-beside
          initialFocus={content}
          onKeyDown={(event) => onKey?.(event.key)}
          className="sheet fixed inset-y-2 right-2 z-30 flex w-[30rem] max-w-[calc(100vw-1rem)] flex-col rounded-lg bg-raised shadow-float outline-none"
        >
          <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4">
            <Base.Title className="grow truncate text-base font-semibold">{title}</Base.Title>
            {actions}
            <Base.Close render={<IconButton label={t('Close')} size="sm" />}>
              <X />
            </Base.Close>
          </div>
          <div ref={content} tabIndex={-1} className="grow overflow-y-auto outline-none">
            <Asking>{children}</Asking>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export type Question = {
  readonly title: string
  readonly about: ReactNode
  readonly confirm: string
  /** A text to type, for irreversible actions. */
  readonly phrase?: string
  readonly run: () => Promise<unknown>
}

const Ask = createContext<(question: Question) => void>(() => undefined)

/** Asks for confirmation over the enclosing page, dialog or sheet. */
export const useAsk = () => use(Ask)

/** Hosts the confirmations of its content; a new `place` cancels them. */
export function Asking({ place, children }: { readonly place?: string; readonly children: ReactNode }) {
  const [asked, setAsked] = useState<{ readonly question: Question; readonly at: string | undefined } | null>(null)
  const ask = useCallback((question: Question) => setAsked({ question, at: place }), [place])
  // Forgotten, so that it is not asked again when the place is shown again.
  if (asked && asked.at !== place) setAsked(null)
  return (
    <Ask value={ask}>
      {children}
      <Confirm question={asked?.at === place ? (asked?.question ?? null) : null} onClose={() => setAsked(null)} />
    </Ask>
  )
}

/** A confirmation; stays open and shows the error if the gateway refuses. */
function Confirm({ question, onClose }: { readonly question: Question | null; readonly onClose: () => void }) {
  return (
    <AlertDialog.Root open={question !== null} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="veil" />
        <AlertDialog.Popup className={cx(centred, 'max-w-md p-5')}>
          {question && <ConfirmBody key={question.title} question={question} onClose={onClose} />}
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

function ConfirmBody({ question, onClose }: { readonly question: Question; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const close = useWhileMounted(onClose)
  const ready = question.phrase === undefined || typed.trim() === question.phrase

  async function run() {
    setBusy(true)
    setError(undefined)
    try {
      await question.run()
      close()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={submitting(() => ready && run())}>
      <AlertDialog.Title className="text-lg font-semibold">{question.title}</AlertDialog.Title>
      <AlertDialog.Description render={<div />} className="mt-1 text-sm text-pretty text-ink-2">
        {question.about}
      </AlertDialog.Description>
      {question.phrase && (
        <div className="mt-4">
          <Field
            label={t('Type {phrase} to confirm', { phrase: question.phrase })}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
      )}
      {error !== undefined && <ErrorNote error={error} className="mt-4" />}
      <DialogActions>
        <AlertDialog.Close render={<Button />}>{t('Cancel')}</AlertDialog.Close>
        <Button type="submit" look="danger" busy={busy} disabled={!ready}>
          {question.confirm}
        </Button>
      </DialogActions>
    </form>
  )
}
