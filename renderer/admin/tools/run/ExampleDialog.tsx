// The dialog of an example: label and arguments, even if the tool would refuse them.
import { useState } from 'react'
import { API, type ToolExample } from '#contract'
import { t } from '../../../language/language.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { faultOf } from '../../../ui/fault.ts'
import { formOf, textIn } from '../../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../../ui/form/RecordForm.tsx'
import type { Arguments } from '../../../ui/without-secrets.ts'
import { argumentsIn } from './use-arguments.ts'
import type { ExampleDraft } from './use-example-changes.ts'

const FORM = formOf(API.toolExamples.create.body, {
  label: { label: t('Label'), placeholder: t('A pet that exists') },
  args: {
    label: t('Arguments'),
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
      title={dialog.record ? t('Change {label}', { label: dialog.record.label }) : t('Save as example')}
      about={t('Stored on the gateway for all users who can see this tool. Do not include secrets.')}
      width="max-w-lg"
      form={FORM}
      fresh={{ args }}
      submit={dialog.record ? t('Save') : t('Keep')}
      onSubmit={({ label, args: given }) => onSubmit({ label, args: given, force })}
    >
      {(error) =>
        !dialog.record &&
        (force || (error !== null && faultOf(error).code === 'INVALID_ARGS')) && (
          <Checkbox
            label={t('Save although the tool would refuse these arguments')}
            checked={force}
            onChange={setForce}
          />
        )
      }
    </RecordDialog>
  )
}
