// One parameter: control, drag range, changed mark, and the nodes that use it.
import { Ruler } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Output } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { useOverlay } from '../canvas/overlay.ts'
import { canPreview, preview } from '../inspect/preview.ts'
import { useGestures } from '../use-gestures.ts'
import { NumberInput } from './controls/NumberInput.tsx'
import { onEscape } from './controls/on-escape.ts'
import { TextInput } from './controls/TextInput.tsx'
import { type Commit, useHeld } from './controls/use-held.ts'
import { type Asked, type ParameterList, ParameterMenu } from './ParameterMenu.tsx'
import { type RangeHint, useRanges } from './ranges.ts'

export type Parameter = Output<'get_pcg_graph_parameters'>['parameters'][number]
type Value = Parameter['value']
const NO_RANGE: RangeHint = {}

export function ParameterRow({
  graph,
  parameter,
  readers,
  changed,
  parameters,
}: {
  readonly graph: string
  readonly parameter: Parameter
  readonly readers: readonly string[]
  /** Changed since the current generation. */
  readonly changed: boolean
  readonly parameters: ParameterList | undefined
}) {
  const { name, type, value } = parameter
  const { perform } = useGestures()
  const key = `${graph}#${name}`
  const range = useRanges((state) => state.byKey[key] ?? NO_RANGE)
  const [ranging, setRanging] = useState(false)
  const [asked, setAsked] = useState<Asked | null>(null)
  const set: Commit<Value> = (next) =>
    perform({
      label: t('Set {name}', { name }),
      async edit(call) {
        await call('set_pcg_graph_parameter', { pcg_graph_path: graph, name, value: String(next) })
        return undefined
      },
    })
  const show = (next: number): void => preview({ pcg_graph_path: graph, values: { [name]: next } })
  const numeric = type !== 'bool' && type !== 'string'
  return (
    <li aria-label={name} className="border-b border-line/60 py-1.5 last:border-0">
      <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,6fr)] items-center gap-x-2">
        <span className="flex min-w-0 items-center gap-1.5 text-xs">
          {changed && (
            <span
              role="img"
              aria-label={t('Changed since the last generation')}
              title={t('Changed since the last generation')}
            >
              <span className="block size-1.5 rounded-full bg-warn-solid" />
            </span>
          )}
          <span className="flex min-w-0 grow flex-col leading-tight" title={name}>
            <span className="truncate font-medium">{name}</span>
            <span className="text-2xs text-ink-3">{type}</span>
          </span>
          {numeric && (
            <IconButton
              label={t('Range of {name}', { name })}
              title={t('Drag range')}
              aria-expanded={ranging}
              size="sm"
              className="size-5! shrink-0 [&_svg]:size-3!"
              onClick={() => setRanging(!ranging)}
            >
              <Ruler />
            </IconButton>
          )}
          <ParameterMenu name={name} readers={readers} parameters={parameters} onAsk={setAsked} />
        </span>
        <Control parameter={parameter} range={range} onCommit={set} onPreview={show} />
      </div>
      {asked && parameters && (
        <Naming asked={asked} name={name} parameters={parameters} onClose={() => setAsked(null)} />
      )}
      {ranging && <Range name={name} hintKey={key} range={range} value={Number(value)} />}
      {readers.length > 0 && <Readers names={readers} />}
    </li>
  )
}

function Readers({ names }: { readonly names: readonly string[] }) {
  const focus = useOverlay((state) => state.focus)
  return (
    <p className="flex flex-wrap items-center gap-1 pt-1 text-2xs text-ink-3">
      {t('used by')}
      {names.map((node) => (
        <button
          key={node}
          type="button"
          className="rounded px-1 font-mono text-link hover:bg-hover"
          onClick={() => focus(node)}
        >
          {node}
        </button>
      ))}
    </p>
  )
}

/** A new name or category; Enter applies, Escape and leaving the field close it. */
function Naming({
  asked,
  name,
  parameters: { list, rename, categorise },
  onClose,
}: {
  readonly asked: Asked
  readonly name: string
  readonly parameters: ParameterList
  readonly onClose: () => void
}) {
  const now = asked === 'rename' ? name : (list.find((each) => each.name === name)?.category ?? '')
  const taken = (text: string): string | undefined =>
    asked === 'rename' && list.some((each) => each.name !== name && each.name.toLowerCase() === text.toLowerCase())
      ? t('This graph already has it.')
      : undefined
  return (
    <div
      className="pt-1"
      ref={(box) => box?.querySelector('input')?.focus()}
      onBlur={onClose}
      onKeyDown={({ key }) => (key === 'Enter' || key === 'Escape') && onClose()}
    >
      <TextInput
        label={asked === 'rename' ? t('New name of {name}', { name }) : t('Category of {name}', { name })}
        value={now}
        placeholder={asked === 'rename' ? undefined : t('No category')}
        suggestions={
          asked === 'rename'
            ? []
            : [...new Set(list.map(({ category }) => category))]
                .filter(Boolean)
                .map((category) => ({ value: category }))
        }
        wrong={taken}
        onCommit={(text) => (asked === 'rename' ? rename(name, text.trim()) : categorise(name, text.trim()))}
      />
    </div>
  )
}

type ControlProps = {
  readonly parameter: Parameter
  readonly range: RangeHint
  readonly onCommit: Commit<Value>
  readonly onPreview: (value: number) => void
}

function Control({ parameter: { name, type, value }, range, onCommit, onPreview }: ControlProps) {
  switch (type) {
    case 'bool':
      return <Toggle name={name} on={value === true} onCommit={onCommit} />
    case 'string':
      return <TextInput label={name} value={String(value)} onCommit={onCommit} />
    case 'int':
    case 'float':
    case 'double':
      return (
        <Turn
          name={name}
          value={Number(value)}
          whole={type === 'int'}
          range={range}
          onCommit={onCommit}
          onPreview={onPreview}
        />
      )
  }
}

function Toggle({
  name,
  on,
  onCommit,
}: {
  readonly name: string
  readonly on: boolean
  readonly onCommit: Commit<boolean>
}) {
  const { shown, commit } = useHeld(on, onCommit)
  return (
    <span className="flex h-7 items-center">
      <Switch label={name} on={shown} onChange={(next) => void commit(next)} />
    </span>
  )
}

/** Shows a slider if both limits are known. */
function Turn({
  name,
  value,
  whole,
  range,
  onCommit,
  onPreview,
}: {
  readonly name: string
  readonly value: number
  readonly whole: boolean
  readonly range: RangeHint
  readonly onCommit: Commit<number>
  readonly onPreview: (value: number) => void
}) {
  const { shown, hold, release, commit } = useHeld(value, onCommit)
  const { min, max } = range
  const endDrag = useRef<() => void>(() => undefined)
  const escaped = useRef(false)
  useEffect(() => () => endDrag.current(), [])
  const sliding = min !== undefined && max !== undefined && max > min
  function take(): void {
    escaped.current = false
    endDrag.current = onEscape(() => {
      escaped.current = true
      release()
      preview(null)
    })
  }
  function settle(): void {
    endDrag.current()
    if (!escaped.current && shown !== value) void commit(shown)
  }
  return (
    <span className="flex items-center gap-2">
      {sliding && (
        <input
          type="range"
          aria-label={t('Slide {name}', { name })}
          className="w-full min-w-0 accent-(--g-ring)"
          min={min}
          max={max}
          step={whole ? 1 : (max - min) / 200}
          value={shown}
          onChange={(event) => {
            // After Escape the value stays, even if the drag continues.
            if (escaped.current) return
            hold(Number(event.target.value))
            if (canPreview()) onPreview(Number(event.target.value))
          }}
          onPointerDown={take}
          onPointerUp={settle}
          onPointerCancel={settle}
          onKeyDown={() => {
            escaped.current = false
          }}
          onKeyUp={settle}
        />
      )}
      {/* The range limits dragging only; typed values may exceed it. */}
      <NumberInput
        label={name}
        value={shown}
        whole={whole}
        onCommit={commit}
        onPreview={onPreview}
        className={sliding ? 'w-16! shrink-0' : ''}
      />
    </span>
  )
}

function Range({
  name,
  hintKey,
  range,
  value,
}: {
  readonly name: string
  readonly hintKey: string
  readonly range: RangeHint
  readonly value: number
}) {
  const put = useRanges((state) => state.put)
  const keep = (hint: RangeHint) => Promise.resolve(put(hintKey, { ...range, ...hint }))
  return (
    <div className="flex items-center gap-2 pt-1 text-2xs text-ink-3">
      {t('from')}
      <NumberInput
        label={t('Least {name}', { name })}
        value={range.min ?? Math.min(0, value)}
        onCommit={(min) => keep({ min })}
      />
      {t('to')}
      <NumberInput
        label={t('Most {name}', { name })}
        value={range.max ?? Math.max(1, value * 2)}
        onCommit={(max) => keep({ min: range.min ?? Math.min(0, value), max })}
      />
    </div>
  )
}
