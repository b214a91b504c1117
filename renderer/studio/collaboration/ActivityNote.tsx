// The notice of what a real editor does while it does not answer; a window that waits there is answered from here.
import { useMutation } from '@tanstack/react-query'
import { Hourglass, MessageSquareWarning, OctagonX, Play } from 'lucide-react'
import { useState } from 'react'
import type { PcgEditor } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useChanges } from '../../ui/use-records.ts'

type Activity = NonNullable<PcgEditor['activity']>
type Shown = Exclude<Activity['is'], 'ready'>
type Open = NonNullable<Activity['dialog']>

const LOOKS: Readonly<Record<Shown, { readonly icon: typeof Play; readonly tone: string; readonly text: string }>> = {
  starting: { icon: Hourglass, tone: 'bg-info-soft text-info', text: t('The editor is starting. Calls wait.') },
  busy: { icon: Hourglass, tone: 'bg-info-soft text-info', text: t('The editor is busy. Calls wait in order.') },
  compiling: {
    icon: Hourglass,
    tone: 'bg-info-soft text-info',
    text: t('The editor compiles. Calls may take longer.'),
  },
  dialog: {
    icon: MessageSquareWarning,
    tone: 'bg-warn-soft text-warn',
    text: t('A window in the editor waits for an answer. Calls are refused until then.'),
  },
  playing: {
    icon: Play,
    tone: 'bg-warn-soft text-warn',
    text: t('The editor is in Play. Edits are refused until it ends.'),
  },
  crashed: {
    icon: OctagonX,
    tone: 'bg-bad-soft text-bad',
    text: t('The editor crashed. Check its last edits when it is back.'),
  },
}

export function ActivityNote({ editor }: { readonly editor: PcgEditor }) {
  const [asked, setAsked] = useState<Open | null>(null)
  const { activity } = editor
  if (activity === null || activity.is === 'ready') return null
  const { icon: Icon, tone, text } = LOOKS[activity.is]
  const { what, progress, since, dialog } = activity
  return (
    <div
      role="status"
      aria-label={t('State of the editor')}
      className={cx('flex shrink-0 items-center gap-3 border-b border-line px-4 py-1.5 text-xs', tone)}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 grow text-ink">
        {text}
        {what !== null && what !== '' && (
          <span title={what} className="ml-1.5 inline-block max-w-[60ch] truncate align-bottom text-ink-2">
            {what}
          </span>
        )}
      </p>
      {progress !== null && (
        <>
          <ProgressBar label={t('How far the editor is')} value={progress} />
          <span className="shrink-0 text-ink-2 tabular-nums">{Math.round(progress * 100)} %</span>
        </>
      )}
      <RelativeTime at={since} className="shrink-0 text-ink-3" />
      {dialog && dialog.answers.length > 0 && (
        <Button size="sm" onClick={() => setAsked(dialog)}>
          {t('Answer…')}
        </Button>
      )}
      {dialog && dialog.answers.length === 0 && (
        <span className="shrink-0 text-ink-2">{t('Answer it in the editor.')}</span>
      )}
      {asked && (
        <AnswerDialog
          editor={editor.name}
          dialog={asked}
          gone={dialog?.id !== asked.id}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}

const KEYS: Readonly<Record<string, string>> = { confirm: t('Confirm (Enter)'), cancel: t('Cancel (Escape)') }

/** The person sees the window first: only the one that is shown is answered. */
function AnswerDialog({
  editor,
  dialog: { id, title, text, answers },
  gone,
  onClose,
}: {
  readonly editor: string
  readonly dialog: Open
  readonly gone: boolean
  readonly onClose: () => void
}) {
  const { refresh } = useChanges('pcg')
  const answer = useMutation({
    mutationFn: (chosen: string) => api.pcg.answerDialog({ params: { name: editor }, body: { id, answer: chosen } }),
    onSuccess: ({ answered }) => {
      if (answered) notifyDone(t('The window was answered'))
      else notifyError(new Error(t('The window was closed before, or it did not take the answer. Look in the editor.')))
      onClose()
      void refresh()
    },
    onError: notifyError,
  })
  return (
    <Dialog open onClose={onClose} title={t('A window in the editor waits')} about={title}>
      {text !== null && <p className="text-sm whitespace-pre-wrap">{text}</p>}
      {text === null && (
        <p className="text-sm text-ink-2">
          {t(
            'Its text is not visible from here: Unreal draws it itself. Look at the editor if you are not sure what it asks.',
          )}
        </p>
      )}
      <p className="pt-3 text-xs text-ink-2">
        {t('Your answer is given in the editor and recorded in the audit log. A call that waits continues after it.')}
      </p>
      {gone && (
        <p role="alert" className="pt-3 text-sm text-warn">
          {t('This window is closed already.')}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('Not now')}</Button>
        {answers.map((one) => (
          <Button key={one.id} disabled={gone || answer.isPending} onClick={() => answer.mutate(one.id)}>
            {KEYS[one.id] ?? one.label}
          </Button>
        ))}
      </DialogActions>
    </Dialog>
  )
}
