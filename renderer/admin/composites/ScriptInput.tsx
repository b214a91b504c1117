// What a script is for, and what it takes: the same fields as in the editor of steps.
import { t } from '../../language/language.ts'
import { Field } from '../../ui/Field.tsx'
import type { CompositeDraft } from './draft.ts'
import { InputFields } from './InputFields.tsx'

export function ScriptInput({
  draft,
  readOnly,
  problem,
  onChange,
}: {
  readonly draft: CompositeDraft
  readonly readOnly: boolean
  readonly problem: (path: string) => string | undefined
  readonly onChange: (draft: CompositeDraft) => void
}) {
  return (
    <section aria-label={t('Input')} className="card flex flex-col gap-4 px-5 py-4">
      <Field
        label={t('Description for models')}
        value={draft.description}
        readOnly={readOnly}
        maxLength={1024}
        onChange={(event) => onChange({ ...draft, description: event.target.value })}
        error={problem('description')}
      />
      <InputFields
        schema={draft.inputSchema}
        readOnly={readOnly}
        problem={problem('inputSchema')}
        onChange={(inputSchema) => onChange({ ...draft, inputSchema })}
      />
    </section>
  )
}
