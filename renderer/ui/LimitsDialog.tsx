// The name and the limits of a record, new or not: each limit a whole number, or nothing.
import { Dialog } from './Dialog.tsx'
import { DialogForm } from './DialogForm.tsx'
import { Field } from './Field.tsx'
import { ConflictBanner } from './SaveBar.tsx'
import { digitsOf, type Schema, useChecked, wholeIn } from './use-checked.ts'
import { useDraft } from './use-draft.ts'
import { useSending } from './use-mounted.ts'

type Named = { readonly name: string }
type Limited = Named & { readonly revision: number } & Readonly<Record<string, unknown>>
/** A limit as a field of the form; `key` is its name in the record. */
type LimitField = { readonly key: string; readonly label: string; readonly hint?: string }

type Props<T extends Named, R extends Limited> = {
  /** What it is called: `consumer`. */
  readonly noun: string
  readonly about: string
  readonly schema: Schema<T>
  /** Absent for a new one. */
  readonly record: R | undefined
  readonly example: string
  /** Said in a field that is left empty. */
  readonly unlimited: string
  readonly limits: readonly LimitField[]
  readonly onClose: () => void
  /** `base` is the record that the input is a change of. */
  readonly onSubmit: (input: T, base: R | undefined) => Promise<unknown>
}

export function LimitsDialog<T extends Named, R extends Limited>({
  open,
  ...props
}: Props<T, R> & { readonly open: boolean }) {
  const { record, noun, about, onClose } = props
  return (
    <Dialog open={open} onClose={onClose} title={record ? `Change ${record.name}` : `New ${noun}`} about={about}>
      {open && <Form {...props} />}
    </Dialog>
  )
}

type Base<R> = { readonly record: R | undefined; readonly revision: number | null }

function Form<T extends Named, R extends Limited>({
  noun,
  schema,
  record,
  example,
  unlimited,
  limits,
  onClose,
  onSubmit,
}: Omit<Props<T, R>, 'about'>) {
  const draftOf = ({ record: of }: Base<R>) => ({
    name: of?.name ?? '',
    texts: Object.fromEntries(limits.map(({ key }) => [key, String(of?.[key] ?? '')])),
  })
  const kept = useDraft<Base<R>, ReturnType<typeof draftOf>>({ record, revision: record?.revision ?? null }, draftOf)
  const { draft, setDraft, base } = kept
  const { name, texts } = draft
  const save = useSending((input: T) => onSubmit(input, base.record), onClose)
  const values = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, wholeIn(text)]))
  const { problem, submit } = useChecked(schema, { name, ...values }, save.error)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit={record ? 'Save' : `Create ${noun}`}
      busy={save.isPending}
      ready={name.trim() !== '' && !contested}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        required
        maxLength={128}
        placeholder={example}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        error={problem('name')}
      />
      {limits.map(({ key, label, hint }) => (
        <Field
          key={key}
          label={label}
          value={texts[key] ?? ''}
          inputMode="numeric"
          placeholder={unlimited}
          hint={hint}
          onChange={(event) => setDraft({ ...draft, texts: { ...texts, [key]: digitsOf(event.target.value) } })}
          error={problem(key)}
        />
      ))}
      <ConflictBanner kept={{ ...kept, contested }} what={record?.name ?? ''} />
    </DialogForm>
  )
}
