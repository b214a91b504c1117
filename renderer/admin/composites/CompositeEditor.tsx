// The editor of a composite: input, steps, output.
import { Plus } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { type CompositeDraft, moved, newStep, pathsFor, type StepDraft } from './draft.ts'
import { StepCard } from './StepCard.tsx'
import { TemplateField } from './TemplateField.tsx'

const MOST_STEPS = 20

export function CompositeEditor({
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
  const added = useRef(0)
  const { steps } = draft
  const set = (change: Partial<CompositeDraft>): void => onChange({ ...draft, ...change })
  const setStep = (at: number, step: StepDraft): void =>
    set({ steps: steps.map((each, index) => (index === at ? step : each)) })
  return (
    <div className="flex flex-col gap-4">
      <section aria-label="Input" className="card flex flex-col gap-4 px-5 py-4">
        <Field
          label="Description for models"
          value={draft.description}
          readOnly={readOnly}
          maxLength={1024}
          onChange={(event) => set({ description: event.target.value })}
          error={problem('description')}
        />
        <TextArea
          label="Input as a JSON Schema"
          value={draft.inputSchema}
          readOnly={readOnly}
          rows={Math.min(16, Math.max(5, draft.inputSchema.split('\n').length))}
          onChange={(event) => set({ inputSchema: event.target.value })}
          error={problem('inputSchema')}
        />
      </section>
      <ol aria-label="Steps" className="flex flex-col gap-3">
        {steps.map((step, at) => (
          <StepCard
            key={step.key}
            step={step}
            at={at}
            count={steps.length}
            paths={pathsFor(draft, at)}
            readOnly={readOnly}
            problem={(path) => problem(`steps.${at}.${path}`)}
            onChange={(next) => setStep(at, next)}
            onMove={(by) => set({ steps: moved(steps, at, by) })}
            onRemove={() => set({ steps: steps.filter((_, index) => index !== at) })}
          />
        ))}
      </ol>
      {!readOnly && (
        <div>
          <Button
            disabled={steps.length >= MOST_STEPS}
            onClick={() => {
              added.current += 1
              set({ steps: [...steps, newStep(`added-${added.current}`)] })
            }}
          >
            <Plus />
            {steps.length >= MOST_STEPS ? `At most ${MOST_STEPS} steps` : 'Add a step'}
          </Button>
        </div>
      )}
      <section aria-label="Output" className="card px-5 py-4">
        <TemplateField
          label="Output"
          template={draft.output}
          none="Result of the last step"
          paths={pathsFor(draft, steps.length)}
          readOnly={readOnly}
          error={problem('output')}
          onChange={(output) => set({ output })}
        />
      </section>
    </div>
  )
}
