// The filters of the calls page: text, outcome, kind and time, and one input for each further filter in use.
import { ListFilter, X } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { formatMoment } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { useUrlParams } from '../../url-params.ts'
import { RANGES } from '../overview/range.ts'
import { FIELDS, type FieldKey, isFiltered, KINDS, PARAMS } from './call-filter.ts'
import { OutcomeFilter } from './OutcomeFilter.tsx'

const ANY = { value: 'any', label: t('Any time') } as const
const PART = { value: 'part', label: t('Selected time') } as const

export function CallFilters() {
  const [params, change] = useUrlParams()
  const [added, setAdded] = useState<readonly FieldKey[]>([])
  const used = FIELDS.filter(({ key }) => params[key] || added.includes(key))
  const remove = (key: FieldKey): void => {
    setAdded(added.filter((each) => each !== key))
    change({ [key]: '' })
  }
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-6 pb-3">
      <SearchInput
        label={t('Find a call')}
        placeholder={t('Tool, caller, program, code, message')}
        value={params.q ?? ''}
        onChange={(q) => change({ q })}
        width="w-72!"
      />
      <OutcomeFilter />
      <Select
        label={t('Kind')}
        hideLabel
        className="w-44"
        value={KINDS.find(({ value }) => value === params.kind)?.value ?? 'all'}
        options={KINDS}
        onChange={(kind) => change({ kind: kind === 'all' ? '' : kind })}
      />
      <TimeFilter />
      <Menu
        trigger={
          <Button>
            <ListFilter />
            {t('Filter')}
          </Button>
        }
      >
        {FIELDS.filter((field) => !used.includes(field)).map(({ key, title }) => (
          <MenuItem key={key} onSelect={() => setAdded([...added, key])}>
            {title}
          </MenuItem>
        ))}
      </Menu>
      {used.map(({ key, title }) => (
        <span key={key} className="flex items-center gap-1 rounded-md bg-hover py-0.5 pl-2.5 text-xs text-ink-2">
          {title}
          <SearchInput
            label={title}
            placeholder={t('Exact value')}
            value={params[key] ?? ''}
            onChange={(value) => change({ [key]: value })}
            width="w-40!"
          />
          <IconButton label={t('Remove the filter {title}', { title })} onClick={() => remove(key)}>
            <X />
          </IconButton>
        </span>
      ))}
      {isFiltered(params) && (
        <Button
          look="quiet"
          onClick={() => {
            setAdded([])
            change(Object.fromEntries(PARAMS.map((key) => [key, ''])))
          }}
        >
          {t('Clear filters')}
        </Button>
      )}
    </search>
  )
}

function TimeFilter() {
  const [{ range, from, to }, change] = useUrlParams()
  const part = from || to
  return (
    <>
      <Select
        label={t('Time')}
        hideLabel
        className="w-40"
        value={part ? PART.value : (RANGES.find(({ value }) => value === range)?.value ?? ANY.value)}
        options={part ? [PART, ANY, ...RANGES] : [ANY, ...RANGES]}
        onChange={(next) => next !== 'part' && change({ range: next === 'any' ? '' : next, from: '', to: '' })}
      />
      {part && (
        <span className="text-xs whitespace-nowrap text-ink-2">
          {t('{from} to {moment}', { from: from && momentOf(from), moment: to ? momentOf(to) : t('now') })}
        </span>
      )}
    </>
  )
}

function momentOf(ms: string): string {
  const date = new Date(Number(ms))
  return Number.isNaN(date.getTime()) ? ms : formatMoment(date.toISOString()).slice(0, 16)
}
