// The filters of the tools page.
import type { ToolRow } from '#contract'
import { t } from '../../language/language.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import type { UrlParams } from '../../url-params.ts'
import { FLAGS, type FlagName, type ToolFilter } from './tool-filter.ts'

const FLAG_NAMES: Readonly<Record<FlagName, string>> = {
  on: t('Turned on'),
  off: t('Turned off'),
  sensitive: t('Sensitive'),
  missing: t('Missing from the source'),
  guarded: t('Guarded'),
  reads: t('Only reads'),
  writes: t('Writes'),
  approval: t('Needs approval'),
}

const ANY = 'any'
const sorted = (values: Iterable<string>): string[] => [...new Set(values)].toSorted((a, b) => a.localeCompare(b))
const optionsOf = (any: string, values: readonly string[]) => [
  { value: ANY, label: any },
  ...values.map((value) => ({ value, label: value })),
]

export function ToolFilterBar({
  tools,
  filter,
  problem,
  onChange,
  onType,
}: {
  readonly tools: readonly ToolRow[]
  readonly filter: ToolFilter
  readonly problem: string | undefined
  readonly onChange: (change: UrlParams) => void
  readonly onType: (q: string) => void
}) {
  const pick = (key: keyof ToolFilter) => (value: string) => onChange({ [key]: value === ANY ? '' : value })
  const tags = sorted(tools.flatMap((tool) => tool.tags))
  return (
    <search className="flex flex-wrap items-center gap-3 border-b border-line px-6 pb-3">
      <SearchInput
        label={t('Find a tool')}
        placeholder={t('Words, or /a pattern/')}
        value={filter.q}
        onChange={(q) => onChange({ q })}
        onType={onType}
        width="w-72!"
      />
      <Select
        label={t('Backend')}
        hideLabel
        className="w-44"
        value={filter.client || ANY}
        options={optionsOf(t('Any backend'), sorted(tools.map(({ client }) => client)))}
        onChange={pick('client')}
      />
      <Select
        label={t('Method')}
        hideLabel
        className="w-36"
        value={filter.method || ANY}
        options={optionsOf(t('Any method'), sorted(tools.map(({ method, kind }) => method ?? kind)))}
        onChange={pick('method')}
      />
      {tags.length > 0 && (
        <Select
          label={t('Tag')}
          hideLabel
          className="w-36"
          value={filter.tag || ANY}
          options={optionsOf(t('Any tag'), tags)}
          onChange={pick('tag')}
        />
      )}
      <Select
        label={t('Property')}
        hideLabel
        className="w-52"
        value={filter.flag || ANY}
        options={[
          { value: ANY, label: t('Any property') },
          ...FLAGS.map((flag) => ({ value: flag, label: FLAG_NAMES[flag] })),
        ]}
        onChange={pick('flag')}
      />
      {problem && (
        <p role="alert" className="w-full text-xs text-bad">
          {problem}
        </p>
      )}
    </search>
  )
}
