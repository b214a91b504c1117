// Sets one feature of a tool, or changes it; what is typed stays when somebody else saves.
import { useMemo, useState } from 'react'
import { FEATURES, type FeatureName, type ToolDetail } from '#contract'
import { Dialog } from '../../../ui/Dialog.tsx'
import { DialogForm } from '../../../ui/DialogForm.tsx'
import { fieldProblem } from '../../../ui/fault.ts'
import { ConflictBanner } from '../../../ui/SaveBar.tsx'
import { useDraft } from '../../../ui/use-draft.ts'
import { useSending } from '../../../ui/use-mounted.ts'
import { useExamples } from '../run/use-example-changes.ts'
import { draftOf, fieldsOf, inputOf, problemsOf } from './draft.ts'
import { FeatureFields } from './FeatureFields.tsx'
import { wordsOf } from './labels.ts'
import { useFeatureChanges } from './use-feature-changes.ts'

type Props = { readonly tool: ToolDetail; readonly name: FeatureName; readonly onClose: () => void }

export function FeatureDialog({ tool, name, onClose }: Omit<Props, 'name'> & { readonly name: FeatureName | null }) {
  const words = wordsOf(name ?? '')
  return (
    <Dialog open={name !== null} onClose={onClose} title={words.title} about={words.about} width="max-w-2xl">
      {name && <Form key={name} tool={tool} name={name} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ tool, name, onClose }: Props) {
  const schema = FEATURES[name]
  const fields = useMemo(() => fieldsOf(schema, wordsOf(name)), [schema, name])
  const kept = useDraft(tool, ({ config }) => draftOf(fields, config[name]))
  const { put } = useFeatureChanges()
  const examples = useExamples(
    tool,
    fields.some(({ example }) => example),
  )
  const [tried, setTried] = useState(false)
  const made = inputOf(fields, kept.draft)
  const problems = problemsOf(schema, fields, made)
  const elsewhere = Object.entries(problems).filter(([path]) => !fields.some((field) => field.path === path))
  const save = useSending(() => put(kept.base, name, made.input), onClose)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit={tool.config[name] ? 'Save' : 'Set'}
      busy={save.isPending}
      ready={!contested}
      error={save.error}
      onSubmit={() => {
        setTried(true)
        if (Object.keys(problems).length === 0) save.mutate(undefined)
      }}
      onClose={onClose}
    >
      <FeatureFields
        fields={fields}
        draft={kept.draft}
        examples={examples.data?.items ?? []}
        problemOf={(path) => (tried ? problems[path] : undefined) ?? fieldProblem(save.error, `${name}.${path}`)}
        onChange={kept.setDraft}
      />
      {tried &&
        elsewhere.map(([path, problem]) => (
          <p key={path} role="alert" className="text-xs text-bad">
            {path} {problem}
          </p>
        ))}
      <ConflictBanner kept={{ ...kept, contested }} what={tool.tool} />
    </DialogForm>
  )
}
