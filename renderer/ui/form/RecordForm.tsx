// A form over one record, new or not: checks by the contract's schema, keeps the draft when another user saves, sends once.
import { type ComponentProps, type ReactNode, useState } from 'react'
import { t } from '../../language/language.ts'
import { Dialog } from '../Dialog.tsx'
import { ConflictBanner, RestoredNote } from '../SaveBar.tsx'
import { useSubmit } from '../use-mounted.ts'
import { DialogForm } from './DialogForm.tsx'
import { Fields } from './Fields.tsx'
import { type Draft, type Form, isUnready } from './fields.ts'
import { type Of, useRecordForm } from './use-record-form.ts'

type Props<T, R, A> = Of<R> & {
  readonly form: Form<T>
  readonly submit: string
  /** The record in a sentence, for the conflict. */
  readonly what?: string
  /** The answer is shown once: the dialog stays open until it arrives. */
  readonly once?: boolean
  /** Says what is missing after a try, instead of waiting for it. */
  readonly lenient?: boolean
  readonly columns?: 1 | 2
  /** `base` is the record that the input changes; `given` is what was typed, without the defaults of the schema. */
  readonly onSubmit: (input: T, base: R | undefined, given: Readonly<Record<string, unknown>>) => Promise<A>
  /** Receives the answer; without it the dialog closes. */
  readonly onDone?: (answer: A) => void
  /** Draws the answer in place of the form; null where there is nothing to show. */
  readonly renderDone?: (answer: A) => ReactNode
  readonly onClose: () => void
  /** Before the fields; what it finds may fill them in. */
  readonly renderAbove?: (fill: (values: Draft) => void, draft: Draft) => ReactNode
  /** Below the fields. */
  readonly children?: (error: unknown) => ReactNode
}

export type DialogProps = { readonly open: boolean; readonly onClose: () => void }
/** Of a dialog that creates a record, or changes the one that it receives. */
export type RecordDialogProps<R> = DialogProps & { readonly record?: R | undefined }

const nameIn = (record: object | undefined): string | undefined =>
  record && 'name' in record && typeof record.name === 'string' ? record.name : undefined

/** `noun`: the kind of record, in the default title. */
export function RecordDialog<T, R extends object, A>({
  open,
  record,
  noun = 'record',
  what = nameIn(record),
  title = record ? t('Change {what}', { what }) : t('New {noun}', { noun }),
  submit = record ? t('Save') : t('Add'),
  about,
  width,
  ...form
}: Omit<Props<T, R, A>, 'submit'> & {
  readonly submit?: string
  readonly noun?: string
  readonly title?: string
} & Pick<ComponentProps<typeof Dialog>, 'open' | 'about' | 'width'>) {
  return (
    <Dialog open={open} onClose={form.onClose} title={title} {...(about && { about })} {...(width && { width })}>
      {open && <RecordForm {...form} record={record} submit={submit} {...(what !== undefined && { what })} />}
    </Dialog>
  )
}

export function RecordForm<T, R extends object, A>({
  form,
  submit,
  what = '',
  once = false,
  lenient = false,
  columns = 1,
  onSubmit,
  onClose,
  onDone = onClose,
  renderDone,
  renderAbove,
  children,
  ...of
}: Props<T, R, A>) {
  const { edit, fields, isNew, changed, checked, tryNow, problemOf, elsewhere } = useRecordForm(form, of)
  const { base, draft, setDraft } = edit
  const [answer, setAnswer] = useState<{ readonly of: A } | null>(null)
  const save = useSubmit(
    (sent: T) => onSubmit(sent, base.record, checked.given),
    (of) => {
      edit.forget()
      if (renderDone?.(of)) setAnswer({ of })
      else onDone(of)
    },
  )
  const contested = edit.contested && !save.isPending
  if (answer && renderDone) return renderDone(answer.of)
  return (
    <DialogForm
      submit={submit}
      busy={save.isPending}
      ready={!contested && (lenient || !isUnready(form.fields, draft))}
      once={once && checked.input !== undefined}
      error={save.error}
      onSubmit={() => {
        tryNow()
        if (!changed) onClose()
        else if (checked.input !== undefined) save.mutate(checked.input)
      }}
      onClose={() => {
        edit.forget()
        onClose()
      }}
    >
      <RestoredNote kept={edit} onDiscard={() => setDraft(edit.before)} />
      {renderAbove?.((values) => setDraft({ ...draft, ...values }), draft)}
      <Fields
        ref={fields}
        fields={form.fields}
        isNew={isNew}
        columns={columns}
        draft={draft}
        strict={!lenient}
        problemOf={problemOf(save.error)}
        onChange={setDraft}
      />
      {elsewhere.map(([path, problem]) => (
        <p key={path} role="alert" className="text-xs text-bad">
          {path} {problem}
        </p>
      ))}
      {children?.(save.error)}
      <ConflictBanner kept={{ ...edit, contested }} what={what} />
    </DialogForm>
  )
}
