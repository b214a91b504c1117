// An editor for TypeScript: a text area over its own text in colours, with line numbers, completions and the lines of problems.
import { Field as Base } from '@base-ui/react/field'
import { type KeyboardEvent, type Ref, useId, useImperativeHandle, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { CodeLines } from './CodeLines.tsx'
import {
  type Completion,
  type CompletionSource,
  type Completions,
  completionsAt,
  type Edit,
  indentAt,
  newLineAt,
} from './code-completion.ts'
import { cx } from './cx.ts'

type Place = { readonly line: number; readonly column: number }
export type CodeEditorHandle = { readonly show: (place: Place) => void }

type CodeEditorProps = {
  readonly label: string
  readonly value: string
  readonly readOnly?: boolean
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly marks?: ReadonlyMap<number, 'error' | 'warning'>
  readonly completions: CompletionSource
  readonly ref?: Ref<CodeEditorHandle>
  readonly onChange: (text: string) => void
}

const NOTHING: CompletionSource = { quoted: [], members: {}, words: [] }
/** The text and its colours lie on each other: every measure is the same. */
const TEXT = 'py-2 pl-12 pr-3 font-mono text-xs leading-5 whitespace-pre [tab-size:2]'

export function CodeEditor(props: CodeEditorProps) {
  const { label, value, readOnly = false, hint, error, marks, completions, ref, onChange } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const help = useCompletions(area, readOnly ? NOTHING : completions)
  useImperativeHandle(ref, () => ({ show: (place) => showIn(area.current, place) }), [])

  const keys = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (readOnly || help.onKey(event)) return
    edit(event, value, help.leaving)
    help.setLeaving(event.key === 'Escape')
  }

  return (
    <Base.Root invalid={Boolean(error)} className="flex min-w-0 flex-col gap-1.5">
      <Base.Label className="text-xs font-medium text-ink-2">{label}</Base.Label>
      <div
        className={cx(
          'relative max-h-[36rem] min-h-64 overflow-auto rounded-md border bg-surface shadow-card',
          'focus-within:border-ring focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-ring',
          error ? 'border-bad-solid' : 'border-line-strong',
        )}
      >
        <div className="relative grid min-h-64 w-max min-w-full">
          <div aria-hidden className={cx(TEXT, 'pointer-events-none col-start-1 row-start-1 text-ink')}>
            <CodeLines text={value} {...(marks && { marks })} />
          </div>
          <LineNumbers count={value.split('\n').length} marks={marks} />
          <Base.Control
            render={
              <textarea
                ref={area}
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
                wrap="off"
                readOnly={readOnly}
                value={value}
                className={cx(
                  TEXT,
                  'col-start-1 row-start-1 h-full w-full resize-none overflow-hidden border-0 bg-transparent text-transparent caret-ink outline-none',
                )}
                aria-autocomplete="list"
                aria-controls={help.open ? listId : undefined}
                aria-activedescendant={help.open ? `${listId}-${help.selected}` : undefined}
                onChange={(event) => {
                  onChange(event.currentTarget.value)
                  help.look(event.currentTarget, false)
                }}
                onKeyDown={keys}
                onBlur={help.close}
                onClick={help.close}
              />
            }
            aria-invalid={error ? true : undefined}
          />
          {help.open && (
            <CompletionList
              id={listId}
              place={help.open}
              text={value}
              selected={help.selected}
              onTake={(completion) => area.current && help.take(area.current, completion)}
            />
          )}
        </div>
      </div>
      <Note hint={hint} error={error} />
    </Base.Root>
  )
}

function Note({ hint, error }: Pick<CodeEditorProps, 'hint' | 'error'>) {
  if (error)
    return (
      <Base.Error match className="text-xs text-bad">
        {error}
      </Base.Error>
    )
  return hint ? <Base.Description className="text-xs text-ink-3">{hint}</Base.Description> : null
}

/** Tab and Enter. After Escape, Tab leaves as everywhere. */
function edit(event: KeyboardEvent<HTMLTextAreaElement>, text: string, leaving: boolean): void {
  const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget: area } = event
  if (ctrlKey || metaKey || altKey || event.nativeEvent.isComposing) return
  const { selectionStart: from, selectionEnd: to } = area
  if (key === 'Tab' && !leaving) {
    event.preventDefault()
    apply(area, indentAt(text, from, to, shiftKey))
  } else if (key === 'Enter' && !shiftKey) {
    event.preventDefault()
    apply(area, newLineAt(text, from, to))
  }
}

/** As if typed, so that the browser can undo it. */
function apply(area: HTMLTextAreaElement, { from, to, text, select }: Edit): void {
  area.setSelectionRange(from, to)
  document.execCommand('insertText', false, text)
  area.setSelectionRange(...select)
}

function showIn(area: HTMLTextAreaElement | null, { line, column }: Place): void {
  if (!area) return
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  const at = Math.min(start + column - 1, area.value.length)
  area.focus()
  area.setSelectionRange(at, at)
  const scroller = area.parentElement?.parentElement
  const height = area.clientHeight / Math.max(lines.length, 1)
  scroller?.scrollTo({ top: Math.max(0, (line - 1) * height - scroller.clientHeight / 2) })
}

function LineNumbers({
  count,
  marks,
}: {
  readonly count: number
  readonly marks: ReadonlyMap<number, 'error' | 'warning'> | undefined
}) {
  return (
    <div
      aria-hidden
      className="pointer-events-none sticky left-0 col-start-1 row-start-1 w-10 border-r border-line bg-sunken py-2 pr-2 text-right font-mono text-2xs leading-5 text-ink-3 select-none"
    >
      {Array.from({ length: count }, (_, at) => at + 1).map((number) => (
        <div
          key={number}
          className={cx(
            'min-h-5',
            marks?.get(number) === 'error' && 'font-medium text-bad',
            marks?.get(number) === 'warning' && 'font-medium text-warn',
          )}
        >
          {number}
        </div>
      ))}
    </div>
  )
}

function useCompletions(area: { readonly current: HTMLTextAreaElement | null }, source: CompletionSource) {
  const [open, setOpen] = useState<Completions & { readonly caret: number }>()
  const [selected, setSelected] = useState(0)
  const [leaving, setLeaving] = useState(false)
  const close = (): void => setOpen(undefined)

  function look(element: HTMLTextAreaElement, asked: boolean): void {
    const caret = element.selectionEnd
    const found = completionsAt(element.value, caret, source, asked)
    setSelected(0)
    setOpen(found && { ...found, caret })
  }

  function take(element: HTMLTextAreaElement, { code }: Completion): void {
    if (!open) return
    const caret = open.from + code.length
    element.focus()
    apply(element, { from: open.from, to: open.caret, text: code, select: [caret, caret] })
    close()
  }

  /** Whether the list took the key. */
  function onKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
    const element = area.current
    if (!element) return false
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      look(element, true)
      return true
    }
    if (!open) return false
    const { items } = open
    const chosen = items[selected]
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => setSelected((selected + 1) % items.length),
      ArrowUp: () => setSelected((selected + items.length - 1) % items.length),
      Enter: () => chosen && take(element, chosen),
      Tab: () => chosen && take(element, chosen),
      Escape: close,
    }
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
    if (!act || event.shiftKey) {
      if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') close()
      return false
    }
    event.preventDefault()
    event.stopPropagation()
    act()
    return true
  }
  return { open, selected, leaving, setLeaving, look, take, close, onKey }
}

function CompletionList({
  id,
  place,
  text,
  selected,
  onTake,
}: {
  readonly id: string
  readonly place: Completions
  readonly text: string
  readonly selected: number
  readonly onTake: (completion: Completion) => void
}) {
  const before = text.slice(0, place.from).split('\n')
  // Below its line, where the name begins: all letters are as wide as each other.
  const style = {
    top: `calc(var(--spacing) * ${before.length * 5 + 2})`,
    left: `calc(var(--spacing) * 12 + ${(before.at(-1) ?? '').length}ch)`,
  }
  return (
    <div
      role="listbox"
      id={id}
      aria-label={t('Completions')}
      style={style}
      className="absolute z-10 max-w-md min-w-56 rounded-md bg-raised py-1 font-mono text-xs shadow-float"
    >
      {place.items.map((item, at) => (
        <div
          key={item.code}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === selected}
          // The text area keeps the focus.
          onMouseDown={(event) => {
            event.preventDefault()
            onTake(item)
          }}
          className={cx('flex gap-3 px-3 py-1', at === selected && 'bg-hover')}
        >
          <span className="shrink-0 text-ink">{item.code}</span>
          <span className="truncate font-sans text-ink-3">{item.about}</span>
        </div>
      ))}
    </div>
  )
}
