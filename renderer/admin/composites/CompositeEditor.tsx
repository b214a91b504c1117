// The editor of a composite: input, steps and output as cards, beside them as a graph.
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Field } from '../../ui/Field.tsx'
import { addedTo, type CompositeDraft, moved, type StepDraft } from './draft.ts'
import { InputFields } from './InputFields.tsx'
import { graphOf, INPUT, OUTPUT, referencesFor, withInputRenamed } from './references.ts'
import { cardOf, StepCard } from './StepCard.tsx'
import { StepGraph } from './StepGraph.tsx'
import { TemplateField } from './TemplateField.tsx'
import { useOutputSchemas } from './use-step-tools.ts'

const MOST_STEPS = 20

type EditorProps = {
  readonly draft: CompositeDraft
  readonly readOnly: boolean
  readonly problem: (path: string) => string | undefined
  readonly onChange: (draft: CompositeDraft) => void
}

export function CompositeEditor(props: EditorProps) {
  const [selected, setSelected] = useState<string>(INPUT)
  const { draft } = props
  const scrollTo = (key: string): void => document.getElementById(cardOf(key))?.scrollIntoView({ block: 'nearest' })
  return (
    <div className="@container">
      <div className="flex flex-col gap-4 @4xl:grid @4xl:grid-cols-[minmax(0,1fr)_19rem] @4xl:items-start">
        <Cards {...props} selected={selected} onSelect={setSelected} />
        <section
          aria-label={t('Graph')}
          className="card max-h-[calc(100dvh-14rem)] min-w-0 overflow-y-auto px-4 py-4 @max-4xl:order-first @max-4xl:max-h-72 @4xl:sticky @4xl:top-5"
        >
          <StepGraph
            graph={graphOf(draft)}
            selected={selected}
            onSelect={(key) => {
              setSelected(key)
              scrollTo(key)
            }}
            onOpen={(key) => document.getElementById(cardOf(key))?.focus()}
          />
        </section>
      </div>
    </div>
  )
}

function Cards({
  draft,
  readOnly,
  problem,
  selected,
  onChange,
  onSelect,
}: EditorProps & { readonly selected: string; readonly onSelect: (key: string) => void }) {
  const { steps } = draft
  const outputOf = useOutputSchemas(steps)
  const set = (change: Partial<CompositeDraft>): void => onChange({ ...draft, ...change })
  const setStep = (at: number, step: StepDraft): void => set({ steps: steps.with(at, step) })
  const card = { selected, onSelect }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <EndCard title="Input" end={INPUT} {...card}>
        <Field
          label={t('Description for models')}
          value={draft.description}
          readOnly={readOnly}
          maxLength={1024}
          onChange={(event) => set({ description: event.target.value })}
          error={problem('description')}
        />
        <InputFields
          schema={draft.inputSchema}
          readOnly={readOnly}
          problem={problem('inputSchema')}
          onChange={(inputSchema, renamed) => {
            const next = { ...draft, inputSchema }
            onChange(renamed ? withInputRenamed(next, renamed.from, renamed.to) : next)
          }}
        />
      </EndCard>
      <ol aria-label={t('Steps')} className="flex flex-col gap-3">
        {steps.map((step, at) => (
          <StepCard
            key={step.key}
            step={step}
            at={at}
            count={steps.length}
            references={referencesFor(draft, at, outputOf)}
            selected={selected === step.key}
            readOnly={readOnly}
            problem={(path) => problem(`steps.${at}.${path}`)}
            onChange={(next) => setStep(at, next)}
            onMove={(by) => set({ steps: moved(steps, at, by) })}
            onRemove={() => set({ steps: steps.toSpliced(at, 1) })}
            onSelect={() => onSelect(step.key)}
          />
        ))}
      </ol>
      {!readOnly && (
        <div>
          <Button disabled={steps.length >= MOST_STEPS} onClick={() => set({ steps: [...steps, addedTo(steps)] })}>
            <Plus />
            {steps.length >= MOST_STEPS ? t('At most {MOST_STEPS} steps', { MOST_STEPS }) : t('Add a step')}
          </Button>
        </div>
      )}
      <EndCard title={t('Output')} end={OUTPUT} {...card}>
        <TemplateField
          label={t('Output')}
          template={draft.output}
          none={t('Result of the last step')}
          references={referencesFor(draft, steps.length, outputOf)}
          readOnly={readOnly}
          error={problem('output')}
          onChange={(output) => set({ output })}
        />
      </EndCard>
    </div>
  )
}

function EndCard({
  title,
  end,
  selected,
  onSelect,
  children,
}: {
  readonly title: string
  readonly end: string
  readonly selected: string
  readonly onSelect: (key: string) => void
  readonly children: ReactNode
}) {
  return (
    <section
      id={cardOf(end)}
      aria-label={title}
      tabIndex={-1}
      className={cx('card flex scroll-my-4 flex-col gap-4 px-5 py-4', selected === end && 'border-ring!')}
      onFocus={() => onSelect(end)}
    >
      {children}
    </section>
  )
}
