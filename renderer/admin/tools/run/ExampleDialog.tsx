// An example as it is written: its label and its arguments; those the tool would refuse are kept when one insists.
import { useState } from 'react'
import type { ToolExample } from '#contract'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { DialogForm } from '../../../ui/DialogForm.tsx'
import { Field } from '../../../ui/Field.tsx'
import { faultOf, fieldProblem } from '../../../ui/fault.ts'
import { TextArea } from '../../../ui/TextArea.tsx'
import { useSending } from '../../../ui/use-mounted.ts'
import { useArguments } from './use-arguments.ts'
import type { Arguments } from './without-secrets.ts'

export type ExampleDraft = { readonly label: string; readonly args: Arguments; readonly force: boolean }

type Props = {
  readonly submit: string
  /** What stands there when it opens. */
  readonly first: Pick<ToolExample, 'label' | 'args'> | undefined
  /** Whether it may be kept although the tool would refuse it. */
  readonly forcible?: boolean
  readonly onClose: () => void
  readonly onSubmit: (draft: ExampleDraft) => Promise<void>
}

export function ExampleDialog({ open, title, ...props }: Props & { readonly open: boolean; readonly title: string }) {
  return (
    <Dialog
      open={open}
      onClose={props.onClose}
      title={title}
      about="On the gateway, for everybody who may see this tool: keep no secret in it."
      width="max-w-lg"
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ submit, first, forcible = false, onClose, onSubmit }: Props) {
  const [label, setLabel] = useState(first?.label ?? '')
  const [force, setForce] = useState(false)
  const { args, text, problem, write } = useArguments(() => first?.args ?? {})
  const save = useSending(onSubmit, onClose)
  const refused = save.error !== null && faultOf(save.error).code === 'INVALID_ARGS'
  return (
    <DialogForm
      submit={submit}
      busy={save.isPending}
      ready={label.trim() !== '' && problem === undefined}
      error={save.error}
      onSubmit={() => save.mutate({ label: label.trim(), args, force })}
      onClose={onClose}
    >
      <Field
        label="Label"
        value={label}
        required
        maxLength={100}
        placeholder="A pet that exists"
        onChange={(event) => setLabel(event.target.value)}
        error={fieldProblem(save.error, 'label')}
      />
      <TextArea
        label="Arguments"
        rows={10}
        value={text}
        error={problem ?? fieldProblem(save.error, 'args')}
        onChange={(event) => write(event.target.value)}
      />
      {forcible && (refused || force) && (
        <Checkbox label="Keep them although the tool would refuse them" checked={force} onChange={setForce} />
      )}
    </DialogForm>
  )
}
