// The dialog of an example: label and arguments, even if the tool would refuse them.
import { useState } from 'react'
import { API, type ToolExample } from '#contract'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { faultOf } from '../../../ui/fault.ts'
import { formOf, textIn } from '../../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../../ui/form/RecordForm.tsx'
import type { Arguments } from '../../../ui/without-secrets.ts'
import { argumentsIn } from './use-arguments.ts'
import type { ExampleDraft } from './use-example-changes.ts'

const FORM = formOf(API.toolExamples.create.body, {
  label: { label: 'Label', placeholder: 'A pet that exists' },
  args: {
    label: 'Arguments',
    json: true,
    check: ({ args }) => {
      const found = argumentsIn(textIn(args))
      return 'problem' in found ? found.problem : undefined
    },
  },
})

export function ExampleDialog({
  args,
  onSubmit,
  ...dialog
}: RecordDialogProps<ToolExample> & {
  /** The initial values of a new example. */
  readonly args?: Arguments
  readonly onSubmit: (draft: ExampleDraft) => Promise<unknown>
}) {
  const [force, setForce] = useState(false)
  return (
    <RecordDialog
      {...dialog}
      title={dialog.record ? `Change ${dialog.record.label}` : 'Save as example'}
      about="Stored on the gateway for all users who can see this tool. Do not include secrets."
      width="max-w-lg"
      form={FORM}
      fresh={{ args }}
      submit={dialog.record ? 'Save' : 'Keep'}
      onSubmit={({ label, args: given }) => onSubmit({ label, args: given, force })}
    >
      {(error) =>
        !dialog.record &&
        (force || (error !== null && faultOf(error).code === 'INVALID_ARGS')) && (
          <Checkbox label="Save although the tool would refuse these arguments" checked={force} onChange={setForce} />
        )
      }
    </RecordDialog>
  )
}
