// Tabs of a page; the open one is in the URL.
import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { type UrlParams, useUrlParams } from '../url-params.ts'

export type Tab = { readonly key: string; readonly title: string; readonly count?: number; readonly body: ReactNode }

export function Tabs({
  label,
  tabs,
  param = 'view',
  others = {},
}: {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** The parameter of the address that names the open tab. */
  readonly param?: string
  /** Parameters of the tab that is left, and their values for the other tabs. */
  readonly others?: UrlParams
}) {
  const [params, change] = useUrlParams()
  const current = tabs.find(({ key }) => key === params[param]) ?? tabs[0]
  return (
    <Base.Root
      value={current?.key ?? null}
      onValueChange={(key) => change({ ...others, [param]: String(key) })}
      className="flex min-h-0 grow flex-col"
    >
      <Base.List
        aria-label={label}
        className="flex shrink-0 flex-wrap gap-x-5 px-6 shadow-[inset_0_-1px_0_var(--color-line)]"
      >
        {tabs.map(({ key, title, count }) => (
          <Base.Tab
            key={key}
            value={key}
            className="flex h-9 shrink-0 items-center whitespace-nowrap gap-1.5 border-b-2 border-transparent text-sm text-ink-2 hover:text-ink data-active:border-brand data-active:font-medium data-active:text-ink"
          >
            {title}
            {count !== undefined && <span className="text-2xs text-ink-3">{count}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ key, body }) => (
        <Base.Panel key={key} value={key} className="min-h-0 grow overflow-y-auto outline-none">
          {body}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
