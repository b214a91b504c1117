// A collapsible JSON tree with copy.
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { t } from '../language/language.ts'
import { CopyButton } from './CopyButton.tsx'
import { cx } from './cx.ts'

/** Deeper levels start collapsed, so that large values open quickly. */
const OPEN_DEPTH = 3

export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <section aria-label={label} className="relative rounded-md border border-line bg-sunken">
      <div className="absolute top-1 right-1">
        <CopyButton text={JSON.stringify(value, null, 2)} label={t('Copy {label}', { label })} />
      </div>
      <div className="overflow-x-auto py-2 pr-8 pl-2 font-mono text-xs leading-5">
        <Node value={value} depth={0} />
      </div>
    </section>
  )
}

function Node({ name, value, depth }: { readonly name?: string; readonly value: unknown; readonly depth: number }) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH)
  const entries = childrenOf(value)
  const tag = name === undefined ? null : <span className="mr-1 text-ink-2">{name}:</span>
  if (!entries || entries.length === 0)
    return (
      <div className="pl-4 break-words whitespace-pre-wrap">
        {tag}
        <Leaf value={value} />
      </div>
    )
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return (
    <div className={depth === 0 ? '' : 'pl-4'}>
      <button
        type="button"
        aria-expanded={open}
        className="-ml-0.5 flex h-5 items-center rounded hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <ChevronRight aria-hidden className={cx('size-3.5 text-ink-3 transition-transform', open && 'rotate-90')} />
        {tag}
        <span className="text-ink-3">
          {left}
          {!open && ` ${entries.length} ${right}`}
        </span>
      </button>
      {open && (
        <>
          {entries.map(([key, child]) => (
            <Node key={key} name={key} value={child} depth={depth + 1} />
          ))}
          <div className="pl-3 text-ink-3">{right}</div>
        </>
      )}
    </div>
  )
}

function childrenOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value)
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <span className="text-ok">{JSON.stringify(value)}</span>
  if (typeof value === 'number') return <span className="text-info">{value}</span>
  if (typeof value === 'boolean') return <span className="text-warn">{String(value)}</span>
  if (value === null || value === undefined) return <span className="text-ink-3">null</span>
  return <span className="text-ink-3">{Array.isArray(value) ? '[]' : '{}'}</span>
}
