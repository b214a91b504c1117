// The state of a form over one record: its draft, what is wrong with it, and what may be sent.
import { useEffect, useRef, useState } from 'react'
import { fieldProblem } from '../fault.ts'
import { useDraft } from '../use-draft.ts'
import { type Checked, checkedIn, type Draft, draftOf, type Form } from './fields.ts'

/** Changes of a record without a revision are not noticed. */
const revisionOf = (record: object | undefined): number | null =>
  record && 'revision' in record && typeof record.revision === 'number' ? record.revision : null

/** Which record the draft is of, among those that a form of a page changes. */
function identityOf(record: object | undefined): string {
  if (!record) return 'new'
  const names = ['id', 'name', 'username', 'client', 'tool'].flatMap((field) =>
    field in record ? [String(record[field as keyof typeof record])] : [],
  )
  return names.join('/') || 'record'
}

/** What the draft is a change of: the record as it was read, or none. */
type Base<R> = { readonly record: R | undefined; readonly revision: number | null }

export type Of<R> = {
  /** Absent for a new one. */
  readonly record?: R | undefined
  /** Where the record holds the values of the form, if not in itself. */
  readonly valuesOf?: ((record: R) => unknown) | undefined
  /** What a new one starts with, where that is not the default of the schema. */
  readonly fresh?: Readonly<Record<string, unknown>> | undefined
  /** Which draft it is, where a page has the form for several new ones. */
  readonly draftName?: string | undefined
  /** Where the gateway names the fields of this form: `cache.`. */
  readonly prefix?: string | undefined
  /** Says what is wrong while it is being typed, instead of after a try. */
  readonly live?: boolean
}

export function useRecordForm<T, R extends object>(
  form: Form<T>,
  { record, valuesOf = (of) => of, fresh, draftName = '', prefix = '', live = false }: Of<R>,
) {
  const [tries, setTries] = useState(0)
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (tries > 0) fields.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [tries])
  const valuesIn = (base: Base<R>): unknown => base.record && valuesOf(base.record)
  const wrap = (of: R | undefined): Base<R> => ({ record: of, revision: revisionOf(of) })
  const edit = useDraft<Base<R>, Draft>(wrap(record), (base) => draftOf(form.fields, valuesIn(base), fresh), {
    as: [identityOf(record), draftName, prefix, ...form.fields.map(({ path }) => path)].join(' '),
    secrets: form.fields.filter((field) => field.secret || field.stored !== undefined).map(({ path }) => path),
  })
  const stored = valuesIn(edit.base)
  const checked: Checked<T> = checkedIn(form, edit.draft, stored ?? fresh)
  const problems = live || tries > 0 ? checked.problems : {}
  return {
    edit,
    /** The first element that holds the fields: the first wrong one in it is focused after a try. */
    fields,
    isNew: stored === undefined,
    changed: stored === undefined || JSON.stringify(edit.draft) !== JSON.stringify(edit.before),
    checked,
    /** From now on it says what is wrong. */
    tryNow: (): void => setTries(tries + 1),
    /** Keeps what is typed while the work is under way; what is typed next is not wrong before it is tried. */
    saving: async (work: Promise<R>): Promise<R> => {
      await edit.save(work.then(wrap))
      setTries(0)
      return work
    },
    problemOf: (refusal: unknown) => (path: string) => problems[path] ?? fieldProblem(refusal, `${prefix}${path}`),
    /** Problems that no field on screen stands for. */
    elsewhere: Object.entries(problems).filter(
      ([path]) => !form.fields.some((field) => `${path}.`.startsWith(`${field.path}.`)),
    ),
  }
}
