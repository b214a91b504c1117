// A step: tool, arguments, condition and failure handling.
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { findTools } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Finder } from '../../ui/Finder.tsx'
import { type Option, Select } from '../../ui/Select.tsx'
import { NOTHING, type StepDraft } from './draft.ts'
import { propertiesOf, type Reference, wordsOf } from './references.ts'
import { TemplateField } from './TemplateField.tsx'
import { type StepTool, useStepTool } from './use-step-tools.ts'

const ON_ERROR = [
  { value: 'stop', label: t('Stop'), about: t('The composite fails with this step’s error') },
  { value: 'continue', label: t('Continue'), about: t('Later steps can check isError') },
] as const

/** `client__tool` splits at the first `__`. */
export const splitTool = (value: string): { readonly client: string; readonly tool: string } => {
  const at = value.indexOf('__')
  return { client: value.slice(0, at), tool: value.slice(at + 2) }
}

export const optionOf = ({ client, tool }: { readonly client: string; readonly tool: string }): Option<string> => ({
  value: `${client}__${tool}`,
  label: `${client} · ${tool}`,
})

/** The element id of a card, which the graph leads to. */
export const cardOf = (key: string): string => `composite-${key}`

type StepProps = {
  readonly step: StepDraft
  readonly at: number
  readonly count: number
  readonly references: readonly Reference[]
  /** Marked in the graph as well. */
  readonly selected: boolean
  readonly readOnly: boolean
  /** The problem of a field, or of one below it. */
  readonly problem: (path: string) => string | undefined
  readonly onChange: (step: StepDraft) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
  readonly onSelect: () => void
}

export function StepCard(props: StepProps) {
  const { step, at, references, selected, readOnly, problem, onChange, onSelect } = props
  const name = t('Step {at}', { at: at + 1 })
  return (
    <li
      id={cardOf(step.key)}
      aria-label={name}
      tabIndex={-1}
      className={cx('card min-w-0 scroll-my-4', selected && 'border-ring!')}
      onFocus={onSelect}
    >
      <StepHead {...props} name={name} />
      <div className="flex flex-col gap-3 px-5 py-4">
        <Arguments step={step} references={references} readOnly={readOnly} problem={problem} onChange={onChange} />
        <div className="flex flex-col gap-3 border-t border-line pt-3">
          <TemplateField
            label={t('Run only if')}
            template={step.when}
            none={t('Always')}
            references={references}
            readOnly={readOnly}
            error={problem('when')}
            onChange={(when) => onChange({ ...step, when })}
          />
          <div className="grid grid-cols-[minmax(8rem,1fr)_10rem_2fr] items-center gap-x-3">
            <span className="text-sm">{t('On failure')}</span>
            {readOnly ? (
              <span className="text-sm text-ink-2">{ON_ERROR.find(({ value }) => value === step.onError)?.label}</span>
            ) : (
              <Select
                label={t('On failure')}
                hideLabel
                value={step.onError}
                options={ON_ERROR}
                onChange={(onError) => onChange({ ...step, onError })}
              />
            )}
          </div>
        </div>
      </div>
    </li>
  )
}

function StepHead({
  name,
  step,
  at,
  count,
  readOnly,
  problem,
  onChange,
  onMove,
  onRemove,
}: StepProps & { readonly name: string }) {
  return (
    <header className="flex flex-wrap items-end gap-3 border-b border-line px-5 py-3">
      <span className="grid size-8 shrink-0 place-items-center rounded-full bg-pressed text-sm font-semibold">
        {at + 1}
      </span>
      <Finder
        label={t('Tool')}
        className="min-w-48 grow"
        value={step.tool === '' ? null : optionOf(step)}
        placeholder={t('Choose the tool to call')}
        none={t('No tools yet.')}
        queryKey={['tools']}
        find={async (q) => {
          const { items, more } = await findTools(q)
          const there = items.filter(({ missing }) => !missing)
          return { more, items: there.map((row) => ({ ...optionOf(row), about: row.description.slice(0, 120) })) }
        }}
        disabled={readOnly}
        error={problem('targetTool')}
        onPick={({ value }) => onChange({ ...step, ...splitTool(value) })}
      />
      <div className="w-40">
        <Field
          label={t('Name in later steps')}
          value={step.id}
          readOnly={readOnly}
          spellCheck={false}
          maxLength={32}
          placeholder={`${at}`}
          onChange={(event) => onChange({ ...step, id: event.target.value.trim() })}
          error={problem('id')}
        />
      </div>
      {!readOnly && (
        <div className="flex gap-0.5">
          <IconButton
            label={t('Move {name} up', { name: name.toLowerCase() })}
            disabled={at === 0}
            onClick={() => onMove(-1)}
          >
            <ArrowUp />
          </IconButton>
          <IconButton
            label={t('Move {name} down', { name: name.toLowerCase() })}
            disabled={at === count - 1}
            onClick={() => onMove(1)}
          >
            <ArrowDown />
          </IconButton>
          <IconButton
            label={t('Remove {name}', { name: name.toLowerCase() })}
            disabled={count === 1}
            onClick={onRemove}
          >
            <Trash2 />
          </IconButton>
        </div>
      )}
    </header>
  )
}

type ArgumentsProps = Pick<StepProps, 'step' | 'references' | 'readOnly' | 'problem' | 'onChange'>

/** The tool's arguments, and additional ones of the step. */
function Arguments({ step, references, readOnly, problem, onChange }: ArgumentsProps) {
  const detail = useStepTool(step)
  if (step.tool === '') return <p className="text-sm text-ink-3">{t('Choose a tool to see its arguments.')}</p>
  const known = parametersOf(detail.data)
  const names = [...new Set([...known.keys(), ...Object.keys(step.args)])]
  return (
    <>
      {detail.error && <ErrorNote error={detail.error} />}
      {detail.data && names.length === 0 && <p className="text-sm text-ink-3">{t('This tool takes no arguments.')}</p>}
      {names.map((name) => {
        const parameter = known.get(name)
        return (
          <TemplateField
            key={name}
            label={parameter?.required ? `${name} *` : name}
            note={parameter?.about ?? (detail.data ? t('Not in the tool’s schema') : undefined)}
            template={step.args[name] ?? NOTHING}
            none={t('Left out')}
            references={references}
            schema={parameter?.schema}
            root={detail.data?.inputSchema}
            readOnly={readOnly}
            error={problem(`argsTemplate.${name}`)}
            onChange={(template) => onChange({ ...step, args: { ...step.args, [name]: template } })}
          />
        )
      })}
    </>
  )
}

type Parameter = { readonly schema: unknown; readonly required: boolean; readonly about: string }

function parametersOf(tool: StepTool | undefined): ReadonlyMap<string, Parameter> {
  const required = tool?.inputSchema.required
  return new Map(
    propertiesOf(tool?.inputSchema).map(([name, schema]) => [
      name,
      { schema, required: Array.isArray(required) && required.includes(name), about: wordsOf(schema) },
    ]),
  )
}
