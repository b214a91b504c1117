// A form for any JSON Schema: each value in the control that suits it, JSON where none does.
import { Plus, X } from 'lucide-react'
import { createContext, type ReactNode, useContext, useId, useMemo, useState } from 'react'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../Button.tsx'
import { Checkbox } from '../Checkbox.tsx'
import { Field, TextArea } from '../Field.tsx'
import { Select } from '../Select.tsx'
import { branchOf, isRecord, type Shape, shapeOf } from './shape.ts'

type Value = { readonly value: unknown; readonly onChange: (value: unknown) => void }
type FieldProps = Value & { readonly shape: Shape; readonly name: string; readonly required: boolean }

/** Replaces a fixed value, such as a reference to another value. */
type Substitute = {
  /** Undefined for a fixed value. */
  readonly textOf: (value: unknown) => string | undefined
  readonly valueOf: (text: string) => unknown
  readonly renderPicker: (name: string, onPick: (value: unknown) => void) => ReactNode
}
const Substitutes = createContext<Substitute | undefined>(undefined)

export function SchemaForm({
  schema,
  root = schema,
  name = '',
  substitute,
  value,
  onChange,
}: Value & {
  readonly schema: unknown
  /** The schema that references are looked up in. */
  readonly root?: unknown
  /** The label of a schema that is one property of another. */
  readonly name?: string
  readonly substitute?: Substitute
}) {
  const shape = useMemo(() => shapeOf(schema, root), [schema, root])
  if (shape.kind === 'record' && shape.fields.length === 0)
    return <p className="text-sm text-ink-2">{t('This tool takes no arguments.')}</p>
  return (
    <Substitutes value={substitute}>
      <Control shape={shape} name={name} required={name === ''} value={value} onChange={onChange} />
    </Substitutes>
  )
}

const isNested = ({ kind }: Shape): boolean => kind === 'record' || kind === 'list' || kind === 'union'

function Control(props: FieldProps) {
  const { shape, name, value, onChange } = props
  const substitute = useContext(Substitutes)
  if (!substitute || isNested(shape)) return <Fixed {...props} />
  const text = substitute.textOf(value)
  return (
    <div className="flex items-start gap-1.5">
      <div className="min-w-0 grow">
        {text === undefined ? (
          <Fixed {...props} />
        ) : (
          <Field
            label={labelOf(props)}
            value={text}
            spellCheck={false}
            className="font-mono text-xs!"
            onChange={(event) => onChange(substitute.valueOf(event.target.value))}
          />
        )}
      </div>
      <div className="mt-6 flex">
        {text !== undefined && (
          <IconButton label={t('Enter {name} instead', { name })} onClick={() => onChange(undefined)}>
            <X />
          </IconButton>
        )}
        {substitute.renderPicker(name, onChange)}
      </div>
    </div>
  )
}

function Fixed(props: FieldProps) {
  const { shape } = props
  switch (shape.kind) {
    case 'text':
    case 'number':
      return <Line {...props} />
    case 'flag':
      return <Flag {...props} />
    case 'choice':
      return <Choice {...props} options={shape.options} />
    case 'list':
      return <List {...props} item={shape.item} />
    case 'record':
      return <Fields {...props} fields={shape.fields} />
    case 'union':
      return <Union {...props} branches={shape.branches} />
    case 'json':
      return <Json {...props} />
  }
}

const labelOf = ({ name, required, shape }: FieldProps): string =>
  `${name || shape.title || t('Value')}${required ? ' *' : ''}`

function hintOf({ shape }: FieldProps): string | undefined {
  const preset = shape.preset === undefined ? '' : t('Default {preset}.', { preset: JSON.stringify(shape.preset) })
  return [shape.description?.slice(0, 300), preset].filter(Boolean).join(' ') || undefined
}

function Line(props: FieldProps) {
  const { shape, value, onChange, required } = props
  const text = value === undefined || value === null ? '' : String(value)
  const common = { label: labelOf(props), hint: hintOf(props), required, spellCheck: false }
  if (shape.kind === 'text' && (shape.long || text.length > 120))
    return <TextArea {...common} value={text} onChange={(event) => onChange(event.target.value || undefined)} />
  const numeric = shape.kind === 'number'
  return (
    <Field
      {...common}
      value={text}
      inputMode={numeric ? (shape.whole ? 'numeric' : 'decimal') : 'text'}
      placeholder={shape.kind === 'text' ? shape.format : rangeOf(shape)}
      onChange={(event) => onChange(numeric ? numberOf(event.target.value) : event.target.value || undefined)}
    />
  )
}

/** What is no number yet stays as it was typed; the gateway says what is wrong with it. */
function numberOf(text: string): unknown {
  if (text.trim() === '') return undefined
  const number = Number(text)
  return Number.isFinite(number) && String(number) === text ? number : text
}

function rangeOf(shape: Shape): string | undefined {
  if (shape.kind !== 'number' || (shape.min === undefined && shape.max === undefined)) return undefined
  return `${shape.min ?? '…'} to ${shape.max ?? '…'}`
}

function Flag(props: FieldProps) {
  const { required, value, onChange } = props
  if (required || value !== undefined)
    return (
      <div className="flex flex-col gap-1">
        <Checkbox label={labelOf(props)} checked={value === true} onChange={onChange} />
        <Hint text={hintOf(props)} />
      </div>
    )
  return <Choice {...props} options={[true, false]} />
}

const UNSET = 'unset'

function Choice(props: FieldProps & { readonly options: readonly unknown[] }) {
  const { options, required, value, onChange, shape } = props
  const at = options.findIndex((option) => option === value)
  return (
    <div className="flex flex-col gap-1">
      <Select
        label={labelOf(props)}
        value={at >= 0 ? String(at) : UNSET}
        options={[
          ...(required && !shape.nullable ? [] : [{ value: UNSET, label: '–' }]),
          ...options.map((option, index) => ({ value: String(index), label: String(option) })),
        ]}
        onChange={(next) => onChange(next === UNSET ? undefined : options[Number(next)])}
      />
      <Hint text={hintOf(props)} />
    </div>
  )
}

function List(props: FieldProps & { readonly item: Shape }) {
  const { item, value, onChange } = props
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    <Group legend={labelOf(props)} hint={hintOf(props)}>
      {items.map((each, index) => (
        <div key={`${index}`} className="flex items-start gap-1.5">
          <div className="min-w-0 grow">
            <Control
              shape={item}
              name={String(index + 1)}
              required={false}
              value={each}
              onChange={(next) => onChange(items.with(index, next))}
            />
          </div>
          <IconButton
            label={t('Remove {index}', { index: index + 1 })}
            size="sm"
            className="mt-6"
            onClick={() => onChange(items.length === 1 ? undefined : items.toSpliced(index, 1))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      <div>
        <Button size="sm" onClick={() => onChange([...items, item.preset])}>
          <Plus />
          {t('Add')}
        </Button>
      </div>
    </Group>
  )
}

function Fields(props: FieldProps & { readonly fields: Extract<Shape, { kind: 'record' }>['fields'] }) {
  const { fields, name, value, onChange } = props
  const record = isRecord(value) ? value : {}
  const controls = fields.map(({ name: key, required, shape }) => (
    <Control
      key={key}
      shape={shape}
      name={key}
      required={required}
      value={Object.getOwnPropertyDescriptor(record, key)?.value}
      onChange={(next) => {
        const rest = Object.entries(record).filter(([other]) => other !== key)
        const all = next === undefined ? rest : [...rest, [key, next] as const]
        onChange(all.length === 0 && name !== '' ? undefined : Object.fromEntries(all))
      }}
    />
  ))
  return name === '' ? (
    <div className="grid gap-4">{controls}</div>
  ) : (
    <Group legend={labelOf(props)} hint={hintOf(props)}>
      {controls}
    </Group>
  )
}

function Union(props: FieldProps & { readonly branches: readonly Shape[] }) {
  const { branches, value, onChange, name, required } = props
  const [chosen, setChosen] = useState(() => branchOf(branches, value))
  const branch = branches[chosen]
  return (
    <Group legend={labelOf(props)} hint={hintOf(props)}>
      <Select
        label={t('One of')}
        value={String(chosen)}
        options={branches.map((each, index) => ({
          value: String(index),
          label: each.title ?? `${index + 1}: ${each.kind}`,
        }))}
        onChange={(next) => {
          setChosen(Number(next))
          onChange(undefined)
        }}
      />
      {branch && (
        <Control key={chosen} shape={branch} name={name} required={required} value={value} onChange={onChange} />
      )}
    </Group>
  )
}

function Json(props: FieldProps) {
  const { value, onChange } = props
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  const [wrong, setWrong] = useState(false)
  return (
    <TextArea
      label={t('{label} (JSON)', { label: labelOf(props) })}
      hint={hintOf(props)}
      error={wrong && t('This is not JSON yet')}
      value={text}
      onChange={(event) => {
        const next = event.target.value
        setText(next)
        if (next.trim() === '') {
          setWrong(false)
          onChange(undefined)
          return
        }
        try {
          onChange(JSON.parse(next))
          setWrong(false)
        } catch {
          setWrong(true)
        }
      }}
    />
  )
}

function Group({
  legend,
  hint,
  children,
}: {
  readonly legend: string
  readonly hint: string | undefined
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <fieldset aria-describedby={hint ? id : undefined} className="grid min-w-0 gap-3 border-l-2 border-line pl-4">
      <legend className="float-left mb-2 w-full text-xs font-medium text-ink-2">{legend}</legend>
      <Hint text={hint} id={id} />
      {children}
    </fieldset>
  )
}

function Hint({ text, id }: { readonly text: string | undefined; readonly id?: string }) {
  return text ? (
    <p id={id} className="text-xs text-ink-3">
      {text}
    </p>
  ) : null
}
