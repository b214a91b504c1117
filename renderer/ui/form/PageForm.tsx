// A form over one record on its page: its parts, the save bar, and the draft beside changes of other users.
import { useMutation } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { RestoredNote, SaveBar } from '../SaveBar.tsx'
import { Fields } from './Fields.tsx'
import { type Draft, type Form, isUnready } from './fields.ts'
import { type Of, useRecordForm } from './use-record-form.ts'

export type FormPart = {
  /** A part without one is drawn without a frame. */
  readonly title?: string
  readonly about?: string | ((draft: Draft) => string)
  readonly paths: readonly string[]
}

export type Drafts<R> = { readonly base: R; readonly before: Draft; readonly draft: Draft }

export function PageForm<T, R extends object>({
  form,
  parts,
  what,
  readOnly,
  above,
  className,
  onSave,
  children,
  ...of
}: Of<R> & {
  readonly record: R
  readonly form: Form<T>
  readonly parts: readonly FormPart[]
  /** The record in a sentence, for the conflict. */
  readonly what: string
  readonly readOnly: boolean
  readonly above?: ReactNode
  readonly className?: string
  readonly onSave: (input: T, drafts: Drafts<R>) => Promise<R>
  /** Beside the buttons; what else may be done with a draft that has no problem. */
  readonly children?: (drafts: Drafts<R>, valid: boolean) => ReactNode
}) {
  const { edit, fields, changed, checked, tryNow, saving, problemOf } = useRecordForm(form, of)
  const { before, draft, setDraft } = edit
  const drafts = { base: edit.base.record ?? of.record, before, draft }
  const save = useMutation({ mutationFn: (input: T) => saving(onSave(input, drafts)) })
  const valid = checked.input !== undefined
  const blocked = isUnready(
    form.fields.filter(({ check }) => check),
    draft,
  )
  return (
    <form
      // A missing value is reported below the field, in the contract's words, not by the browser.
      noValidate
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        tryNow()
        if (changed && !blocked && !edit.contested && checked.input !== undefined) save.mutate(checked.input)
      }}
    >
      {above}
      <RestoredNote kept={edit} onDiscard={() => setDraft(before)} />
      <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-4">
        <div ref={fields} className="contents">
          {parts.map((part) => (
            <Part
              key={part.paths[0]}
              {...part}
              fields={form.fields.filter(({ path }) => part.paths.includes(path))}
              isNew={false}
              columns={1}
              draft={draft}
              strict={false}
              disabled={readOnly}
              problemOf={problemOf(save.error)}
              onChange={setDraft}
            />
          ))}
        </div>
      </fieldset>
      <SaveBar
        kept={edit}
        what={what}
        changed={changed}
        ready={changed && (valid || !of.live)}
        busy={save.isPending}
        error={save.error}
        readOnly={readOnly}
        onDiscard={() => setDraft(before)}
      >
        {children?.(drafts, valid)}
      </SaveBar>
    </form>
  )
}

function Part({ title, about, paths: _paths, ...fields }: FormPart & ComponentProps<typeof Fields>) {
  if (fields.fields.length === 0) return null
  if (title === undefined) return <Fields {...fields} />
  return (
    <section aria-label={title} className="card px-5 py-4">
      <h2 className="text-sm font-semibold">{title}</h2>
      {about && <p className="mt-0.5 text-xs text-ink-2">{typeof about === 'string' ? about : about(fields.draft)}</p>}
      <div className="mt-4">
        <Fields {...fields} />
      </div>
    </section>
  )
}
