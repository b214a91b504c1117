// A form over one record, new or not: checks by the contract's schema, keeps the draft when somebody else saves, sends once.
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { Dialog } from '../Dialog.tsx'
import { fieldProblem } from '../fault.ts'
import { ConflictBanner } from '../SaveBar.tsx'
import { useDraft } from '../use-draft.ts'
import { useSubmit } from '../use-mounted.ts'
import { DialogForm } from './DialogForm.tsx'
import { Fields } from './Fields.tsx'
import { checkedIn, type Draft, draftOf, type Form, isUnready } from './fields.ts'

/** Of a record that has none, nobody hears of changes. */
const revisionOf = (record: object | undefined): number | null =>
  record && 'revision' in record && typeof record.revision === 'number' ? record.revision : null

/** What the draft is a change of: the record as it was read, or none. */
type Base<R> = { readonly record: R | undefined; readonly revision: number | null }

type Props<T, R, A> = {
  readonly form: Form<T>
  /** Absent for a new one. */
  readonly record?: R | undefined
  /** Where the record holds the values of the form, if not in itself. */
  readonly valuesOf?: (record: R) => unknown
  /** What a new one starts with, where that is not the default of the schema. */
  readonly fresh?: Readonly<Record<string, unknown>>
  readonly submit: string
  /** The record in a sentence, for the conflict. */
  readonly what?: string
  /** The answer is shown once: the dialog stays open until it arrives. */
  readonly once?: boolean
  /** Says what is missing after a try, instead of waiting for it. */
  readonly lenient?: boolean
  /** Where the gateway names the fields of this form: `cache.`. */
  readonly prefix?: string
  readonly columns?: 1 | 2
  /** `base` is the record that the input changes; `given` is what was typed, without the defaults of the schema. */
  readonly onSubmit: (input: T, base: R | undefined, given: Readonly<Record<string, unknown>>) => Promise<A>
  /** Receives the answer; without it the dialog closes. */
  readonly onDone?: (answer: A) => void
  readonly onClose: () => void
  /** Below the fields. */
  readonly children?: (error: unknown) => ReactNode
}

export function RecordDialog<T, R extends object, A>({
  open,
  title,
  about,
  width,
  ...form
}: Props<T, R, A> & Pick<ComponentProps<typeof Dialog>, 'open' | 'title' | 'about' | 'width'>) {
  return (
    <Dialog open={open} onClose={form.onClose} title={title} {...(about && { about })} {...(width && { width })}>
      {open && <RecordForm {...form} />}
    </Dialog>
  )
}

export function RecordForm<T, R extends object, A>({
  form,
  record,
  valuesOf = (of) => of,
  fresh,
  submit,
  what = '',
  once = false,
  lenient = false,
  prefix = '',
  columns = 1,
  onSubmit,
  onDone,
  onClose,
  children,
}: Props<T, R, A>) {
  const [tries, setTries] = useState(0)
  const tried = tries > 0
  const drawn = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (tries > 0) drawn.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [tries])
  const valuesIn = (base: Base<R>): unknown => base.record && valuesOf(base.record)
  const edit = useDraft<Base<R>, Draft>({ record, revision: revisionOf(record) }, (base) =>
    draftOf(form.fields, valuesIn(base), fresh),
  )
  const { base, before, draft, setDraft } = edit
  const stored = valuesIn(base)
  const { problems, input, given } = checkedIn(form, draft, stored ?? fresh)
  const save = useSubmit((sent: T) => onSubmit(sent, base.record, given), onDone ?? onClose)
  const contested = edit.contested && !save.isPending
  const unchanged = stored !== undefined && JSON.stringify(draft) === JSON.stringify(before)
  const elsewhere = Object.entries(problems).filter(([path]) => !form.fields.some((field) => field.path === path))
  return (
    <DialogForm
      submit={submit}
      busy={save.isPending}
      ready={!contested && (lenient || !isUnready(form.fields, draft))}
      once={once}
      error={save.error}
      onSubmit={() => {
        setTries(tries + 1)
        if (unchanged) onClose()
        else if (input !== undefined) save.mutate(input)
      }}
      onClose={onClose}
    >
      <Fields
        ref={drawn}
        fields={form.fields}
        isNew={stored === undefined}
        columns={columns}
        draft={draft}
        strict={!lenient}
        problemOf={(path) => (tried ? problems[path] : undefined) ?? fieldProblem(save.error, `${prefix}${path}`)}
        onChange={setDraft}
      />
      {tried &&
        elsewhere.map(([path, problem]) => (
          <p key={path} role="alert" className="text-xs text-bad">
            {path} {problem}
          </p>
        ))}
      {children?.(save.error)}
      <ConflictBanner kept={{ ...edit, contested }} what={what} />
    </DialogForm>
  )
}
