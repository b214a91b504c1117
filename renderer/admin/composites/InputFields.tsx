// The input of a composite: one row for each value, and the JSON Schema behind a disclosure.
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { SchemaForm } from '../../ui/form/SchemaForm.tsx'
import { type Option, Select } from '../../ui/Select.tsx'
import {
  type InputKind,
  type InputRow,
  nameProblem,
  newRow,
  ofKind,
  rowsOf,
  withKeyword,
  withRows,
} from './input-rows.ts'

const KINDS: readonly Option<Exclude<InputKind, 'other'>>[] = [
  { value: 'text', label: t('Text') },
  { value: 'whole', label: t('Whole number') },
  { value: 'number', label: t('Number') },
  { value: 'flag', label: t('Yes or no') },
  { value: 'choice', label: t('Choice') },
  { value: 'texts', label: t('List of texts') },
]

type InputProps = {
  readonly schema: string
  readonly readOnly: boolean
  readonly problem: string | undefined
  /** With a rename, references to the old name follow. */
  readonly onChange: (schema: string, renamed?: { readonly from: string; readonly to: string }) => void
}

export function InputFields({ schema, readOnly, problem, onChange }: InputProps) {
  const rows = rowsOf(schema)
  const set = (next: readonly InputRow[]): void => onChange(withRows(schema, next))
  return (
    <div className="flex flex-col gap-3">
      {rows?.length === 0 && <p className="text-sm text-ink-3">{t('The composite takes no input.')}</p>}
      {rows && rows.length > 0 && (
        <ul aria-label={t('Input values')} className="flex flex-col divide-y divide-line">
          {rows.map((row, at) => (
            <Row
              // Not the name: the click that leaves its field must find the row it was made on.
              key={`${at}`}
              row={row}
              others={rows.map(({ name }) => name).toSpliced(at, 1)}
              readOnly={readOnly}
              onChange={(next) =>
                next.name === row.name
                  ? set(rows.with(at, next))
                  : onChange(withRows(schema, rows.with(at, next)), { from: row.name, to: next.name })
              }
              onRemove={() => set(rows.toSpliced(at, 1))}
            />
          ))}
        </ul>
      )}
      {!rows && <p className="text-sm text-ink-2">{t('This schema has no rows. Edit it as JSON.')}</p>}
      {rows && !readOnly && (
        <div>
          <Button size="sm" onClick={() => set([...rows, newRow(rows)])}>
            <Plus />
            {t('Add input')}
          </Button>
        </div>
      )}
      <details open={!rows || problem !== undefined ? true : undefined}>
        <summary className="w-fit rounded text-xs text-ink-3 hover:text-ink">{t('JSON Schema')}</summary>
        <div className="mt-2">
          <TextArea
            label={t('Input as a JSON Schema')}
            hideLabel
            value={schema}
            readOnly={readOnly}
            rows={Math.min(16, Math.max(5, schema.split('\n').length))}
            onChange={(event) => onChange(event.target.value)}
            error={problem}
          />
        </div>
      </details>
    </div>
  )
}

type RowProps = {
  readonly row: InputRow
  readonly others: readonly string[]
  readonly readOnly: boolean
  readonly onChange: (row: InputRow) => void
  readonly onRemove: () => void
}

function Row({ row, others, readOnly, onChange, onRemove }: RowProps) {
  const { name, kind, required, property } = row
  const { description } = property
  return (
    <li aria-label={name} className="flex flex-col gap-2.5 py-3 first:pt-0">
      <div className="flex flex-wrap items-start gap-3">
        <NameField row={row} others={others} readOnly={readOnly} onChange={onChange} />
        <div className="w-40">
          {readOnly || kind === 'other' ? (
            <Field label={t('Type')} value={labelOf(row)} readOnly />
          ) : (
            <Select
              label={t('Type')}
              value={kind}
              options={KINDS}
              onChange={(next) => next !== kind && onChange(ofKind(row, next))}
            />
          )}
        </div>
        <div className="pt-7.5">
          <Checkbox
            label={t('Required')}
            checked={required}
            disabled={readOnly}
            onChange={(next) => onChange({ ...row, required: next })}
          />
        </div>
        {!readOnly && (
          <IconButton label={t('Remove {name}', { name })} className="mt-6 ml-auto" onClick={onRemove}>
            <Trash2 />
          </IconButton>
        )}
      </div>
      <div className="grid grid-cols-[2fr_1fr] gap-3">
        <Field
          label={t('Description')}
          value={typeof description === 'string' ? description : ''}
          readOnly={readOnly}
          onChange={(event) => onChange(withKeyword(row, 'description', event.target.value))}
        />
        {kind !== 'other' && !readOnly && (
          <SchemaForm
            key={kind}
            name={t('Default')}
            schema={{ ...property, title: undefined, description: undefined, default: undefined }}
            value={property.default}
            onChange={(value) => onChange(withKeyword(row, 'default', value))}
          />
        )}
        {kind === 'choice' && (
          <Choices
            options={Array.isArray(property.enum) ? property.enum.map(String) : []}
            readOnly={readOnly}
            onChange={(options) => onChange(withKeyword(row, 'enum', options))}
          />
        )}
      </div>
      {row.others.length > 0 && (
        <p className="text-2xs text-ink-3">{t('Also in the JSON: {value}', { value: row.others.join(', ') })}</p>
      )}
    </li>
  )
}

const labelOf = ({ kind, property }: InputRow): string =>
  KINDS.find(({ value }) => value === kind)?.label ??
  (typeof property.type === 'string' ? property.type : t('As in the JSON'))

/** Applied when the field is left: half a name must not rename references. */
function NameField({ row, others, readOnly, onChange }: Omit<RowProps, 'onRemove'>) {
  const [typed, setTyped] = useState<string>()
  const problem = typed === undefined ? undefined : nameProblem(typed, others)
  const apply = (): void => {
    if (typed === undefined || problem !== undefined) return
    setTyped(undefined)
    if (typed !== row.name) onChange({ ...row, name: typed })
  }
  return (
    <div className="min-w-32 grow basis-40">
      <Field
        label={t('Input name')}
        value={typed ?? row.name}
        readOnly={readOnly}
        spellCheck={false}
        className="font-mono text-xs!"
        error={problem}
        onChange={(event) => setTyped(event.target.value.trim())}
        onBlur={apply}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
      />
    </div>
  )
}

const choicesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  ),
]

/** The text as it is typed, so that a comma can be. */
function Choices({
  options,
  readOnly,
  onChange,
}: {
  readonly options: readonly string[]
  readonly readOnly: boolean
  readonly onChange: (options: readonly string[]) => void
}) {
  const [typed, setTyped] = useState('')
  const shown = `${choicesIn(typed)}` === `${options}` ? typed : options.join(', ')
  return (
    <div className="col-span-2">
      <Field
        label={t('Choices')}
        hint={t('Between commas.')}
        value={shown}
        readOnly={readOnly}
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.target.value)
          onChange(choicesIn(event.target.value))
        }}
      />
    </div>
  )
}
