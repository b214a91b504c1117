// A list of names and values.
import type { ReactNode } from 'react'

export type Fact = { readonly name: string; readonly value: ReactNode }

/** Falsy entries are skipped. */
const isNothing = (value: ReactNode): boolean => value === null || value === undefined || value === false

/** Breaks dotted names after dots and underscores. */
const breakable = (name: string): ReactNode =>
  name.split(/(?<=[._])/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={at} />, part]))

export function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <section aria-label={title} className="card">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{title}</h2>
      <dl className="grid grid-cols-[minmax(7rem,2fr)_3fr] gap-x-4 px-5 py-3 text-sm">
        {facts.map(({ name, value }) => (
          <div key={name} className="contents">
            <dt className="min-w-0 py-1 wrap-anywhere text-ink-2">{breakable(name)}</dt>
            <dd className="min-w-0 py-1 break-words">
              {isNothing(value) ? <span className="text-ink-3">–</span> : value}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
