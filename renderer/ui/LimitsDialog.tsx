// The name and the limits of a record, new or not: each limit a whole number, or nothing.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from './Dialog.tsx'
import { DialogForm } from './DialogForm.tsx'
import { Field } from './Field.tsx'
import { digitsOf, type Schema, useChecked, wholeIn } from './use-checked.ts'

type Named = { readonly name: string }
/** A limit as a field of the form; `key` is its name in the record. */
export type LimitField = {
  readonly key: string
  readonly label: string
  readonly value: number | null | undefined
  readonly hint?: string
}

type Props<T extends Named> = {
  /** What it is called: `consumer`. */
  readonly noun: string
  readonly about: string
  readonly schema: Schema<T>
  /** Absent for a new one. */
  readonly record: Named | undefined
  readonly example: string
  /** Said in a field that is left empty. */
  readonly unlimited: string
  readonly limits: readonly LimitField[]
  readonly onClose: () => void
  readonly onSubmit: (input: T) => Promise<unknown>
}

export function LimitsDialog<T extends Named>({ open, ...props }: Props<T> & { readonly open: boolean }) {
  const { record, noun, about, onClose } = props
  return (
    <Dialog open={open} onClose={onClose} title={record ? `Change ${record.name}` : `New ${noun}`} about={about}>
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form<T extends Named>({
  noun,
  schema,
  record,
  example,
  unlimited,
  limits,
  onClose,
  onSubmit,
}: Omit<Props<T>, 'about'>) {
  const [name, setName] = useState(record?.name ?? '')
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(limits.map(({ key, value }) => [key, String(value ?? '')])),
  )
  const save = useMutation({ mutationFn: onSubmit, onSuccess: onClose })
  const values = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, wholeIn(text)]))
  const { problem, submit } = useChecked(schema, { name, ...values }, save.error)
  return (
    <DialogForm
      submit={record ? 'Save' : `Create ${noun}`}
      busy={save.isPending}
      ready={name.trim() !== ''}
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
        onChange={(event) => setName(event.target.value)}
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
          onChange={(event) => setTexts({ ...texts, [key]: digitsOf(event.target.value) })}
          error={problem(key)}
        />
      ))}
    </DialogForm>
  )
}
