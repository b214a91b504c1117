// The control for a property's kind.

import { t } from '../../../language/language.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Select } from '../../../ui/Select.tsx'
import { isRecord, type PropertyRow } from '../../model/properties.ts'
import { JsonInput } from './JsonInput.tsx'
import { ListInput, MapInput } from './ListInput.tsx'
import { MeshInput } from './MeshInput.tsx'
import { NumberInput } from './NumberInput.tsx'
import { type Suggestion, useSuggested } from './suggestions.ts'
import { TextInput } from './TextInput.tsx'
import { type Commit, useHeld } from './use-held.ts'
import { numbersOf, VectorInput } from './VectorInput.tsx'

/** Attributes of every point, and the alias of the last written one. */
const SELECTORS: readonly Suggestion[] =
  '@Last @Source $Density $Position $Rotation $Scale $Seed $Color $Steepness $BoundsMin $BoundsMax'
    .split(' ')
    .map((value) => ({ value }))
const TRANSFORM = ['location', 'rotation', 'scale'] as const

/** A text is the path of an instanced object in an editor that does not read inside it. */
export const isMeshes = ({ path, value }: Pick<PropertyRow, 'path' | 'value'>): boolean =>
  path === 'MeshSelectorParameters' && typeof value !== 'string'

type Props = {
  readonly row: PropertyRow
  readonly onCommit: Commit<unknown>
  /** Shows what a value would make, while it is dragged. */
  readonly onPreview?: ((value: unknown) => void) | undefined
}

export function PropertyControl({ row, onCommit, onPreview }: Props) {
  const { property, label, value, mixed } = row
  switch (property.kind) {
    case 'bool':
      return <Tick row={row} onCommit={onCommit} />
    case 'int':
    case 'float':
      return (
        <NumberInput
          label={label}
          value={Number(value)}
          mixed={mixed}
          whole={property.kind === 'int'}
          min={property.min}
          max={property.max}
          onCommit={onCommit}
          onPreview={onPreview}
        />
      )
    case 'text':
      return <Named row={row} onCommit={onCommit} />
    case 'selector':
      return <TextInput label={label} value={String(value)} mixed={mixed} suggestions={SELECTORS} onCommit={onCommit} />
    case 'choice':
      return <Choice row={row} values={property.values} onCommit={onCommit} />
    case 'vector':
      return (
        <VectorInput
          label={label}
          value={numbersOf(value)}
          mixed={mixed}
          min={property.min}
          max={property.max}
          onCommit={onCommit}
          onPreview={onPreview}
        />
      )
    case 'transform':
      return <Transform row={row} onCommit={onCommit} />
    case 'list':
      return property.of === 'any' || mixed ? (
        <JsonInput label={label} hideLabel value={value} mixed={mixed} onCommit={onCommit} />
      ) : (
        <ListInput label={label} of={property.of} value={Array.isArray(value) ? value : []} onCommit={onCommit} />
      )
    case 'map':
      return mixed ? (
        <JsonInput label={label} hideLabel value={value} mixed onCommit={onCommit} />
      ) : (
        <MapInput label={label} value={isRecord(value) ? value : {}} onCommit={onCommit} />
      )
    case 'struct':
      return null
    case 'object':
      if (isMeshes(row) && !mixed) return <MeshInput label={label} value={value} onCommit={onCommit} />
      return typeof value === 'string' || value === null ? (
        <Reference row={row} onCommit={onCommit} />
      ) : (
        <JsonInput label={label} hideLabel value={value} mixed={mixed} onCommit={onCommit} />
      )
  }
}

/** A text, with the known values to pick from. */
function Named({ row: { path, label, value, mixed }, onCommit }: Props) {
  const suggestions = useSuggested(path)
  return <TextInput label={label} value={String(value)} mixed={mixed} suggestions={suggestions} onCommit={onCommit} />
}

function Tick({ row: { label, value, mixed }, onCommit }: Props) {
  const { shown, commit } = useHeld(value === true, onCommit)
  return (
    <span className="flex h-7 items-center">
      <Checkbox label={label} hideLabel checked={shown} mixed={mixed} onChange={(on) => void commit(on)} />
    </span>
  )
}

const DIFFER = '(differ)'

function Choice({ row: { label, value, mixed }, values, onCommit }: Props & { readonly values: readonly string[] }) {
  const { shown, commit } = useHeld(mixed ? DIFFER : String(value), onCommit)
  // Shows a value that the catalogue does not list.
  const all = values.includes(shown) ? values : [shown, ...values]
  return (
    <Select
      label={label}
      hideLabel
      className="[&_button]:h-7! [&_button]:px-2! [&_button]:text-xs!"
      value={shown}
      options={all.map((each) => ({ value: each, label: each }))}
      onChange={(next) => void (next === DIFFER ? undefined : commit(next))}
    />
  )
}

function Transform({ row: { label, value, mixed }, onCommit }: Props) {
  const held = isRecord(value) ? value : {}
  return (
    <div className="flex flex-col gap-1">
      {TRANSFORM.map((part) => (
        <VectorInput
          key={part}
          label={`${label} ${part}`}
          value={numbersOf(held[part])}
          mixed={mixed}
          onCommit={(next) => onCommit({ [part]: next })}
        />
      ))}
    </div>
  )
}

/** A path or name as text; text that starts like JSON is parsed, empty text is null. */
function Reference({ row: { path, label, value, mixed }, onCommit }: Props) {
  const suggestions = useSuggested(path)
  const isJson = (text: string) => /^\s*[[{]/.test(text)
  return (
    <TextInput
      label={label}
      value={typeof value === 'string' ? value : ''}
      mixed={mixed}
      suggestions={suggestions}
      wrong={(text) => {
        if (!isJson(text)) return undefined
        try {
          JSON.parse(text)
          return undefined
        } catch {
          return t('This is not JSON yet.')
        }
      }}
      onCommit={(text) => onCommit(text === '' ? null : isJson(text) ? JSON.parse(text) : text)}
    />
  )
}
