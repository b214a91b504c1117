// The filters of the log, kept in the URL after a debounce.
import { Combobox } from '@base-ui/react/combobox'
import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, X } from 'lucide-react'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { inputClass } from '../../ui/Field.tsx'
import { formatForInput } from '../../ui/format.ts'
import { Select } from '../../ui/Select.tsx'
import { useDebouncedInput } from '../../ui/use-debounced-input.ts'
import { type AuditFilters, FILTERS, SPANS } from './filters.ts'

type Change = (change: AuditFilters) => void

export function AuditFilterBar({ filters, onChange }: { readonly filters: AuditFilters; readonly onChange: Change }) {
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-6 pb-3">
      <ActionFilter value={filters.action ?? ''} onChange={(action) => onChange({ action })} />
      <TextFilter label={t('Actor')} value={filters.actor ?? ''} onChange={(actor) => onChange({ actor })} />
      <TextFilter label={t('Target')} value={filters.target ?? ''} onChange={(target) => onChange({ target })} />
      <TimeFilter filters={filters} onChange={onChange} />
      {Object.keys(filters).length > 0 && (
        <Button look="quiet" size="sm" onClick={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, ''])))}>
          <X />
          {t('Clear')}
        </Button>
      )}
    </search>
  )
}

type TextProps = { readonly value: string; readonly onChange: (value: string) => void }

function TextFilter({ label, value, onChange }: TextProps & { readonly label: string }) {
  const [draft, setDraft] = useDebouncedInput(value, onChange)
  return (
    <input
      aria-label={label}
      placeholder={label}
      value={draft}
      maxLength={256}
      spellCheck={false}
      onChange={(event) => setDraft(event.target.value)}
      className={cx(inputClass, 'w-44!')}
    />
  )
}

const ANY = ''

/** One action, or all of a noun by prefix. */
function ActionFilter({ value, onChange }: TextProps) {
  const { data } = useQuery({
    queryKey: ['audit-actions'],
    queryFn: () => api.auditLog.actions(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const actions = data?.actions ?? []
  const records = [...new Set(actions.map((action) => `${action.split('.')[0]}.`))]
  return (
    <Combobox.Root
      items={[ANY, ...records, ...actions]}
      itemToStringLabel={labelOf}
      value={value}
      onValueChange={(next) => onChange(next ?? ANY)}
    >
      <Combobox.Trigger
        aria-label={t('Action: {label}', { label: labelOf(value) })}
        className={cx(
          inputClass,
          'flex w-60! items-center justify-between gap-2 text-left data-popup-open:border-ring',
        )}
      >
        <span className={cx('truncate', value === ANY && 'text-ink-3')}>{labelOf(value)}</span>
        <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-60">
          <Combobox.Popup aria-label={t('Actions')} className="pop float w-72">
            <Combobox.Input
              aria-label={t('Find an action')}
              placeholder={t('Find an action')}
              spellCheck={false}
              className="h-9 w-full border-b border-line bg-transparent px-3 text-sm outline-none"
            />
            <Combobox.Empty className="px-3 py-2 text-sm text-ink-3 empty:hidden">
              {t('No action matches this search.')}
            </Combobox.Empty>
            <Combobox.List className="max-h-72 overflow-y-auto p-1 empty:hidden">
              {(action: string) => (
                <Combobox.Item
                  key={action}
                  value={action}
                  className="flex h-7 items-center rounded-md px-2 text-sm outline-none data-highlighted:bg-hover data-selected:font-semibold"
                >
                  {labelOf(action)}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

function labelOf(action: string): string {
  if (action === ANY) return t('Any action')
  return action.endsWith('.') ? t('All of {action}', { action: action.slice(0, -1) }) : action
}

function TimeFilter({ filters, onChange }: { readonly filters: AuditFilters; readonly onChange: Change }) {
  const own = filters.from !== undefined || filters.to !== undefined
  const options = own ? [{ value: 'own', label: t('Between…') } as const, ...SPANS] : SPANS
  return (
    <>
      <Select
        label={t('Time')}
        hideLabel
        className="w-40"
        value={own ? 'own' : 'all'}
        options={options}
        onChange={(value) => {
          const span = SPANS.find((each) => each.value === value)
          if (!span) return
          onChange({ from: span.ms === 0 ? '' : new Date(Date.now() - span.ms).toISOString(), to: '' })
        }}
      />
      {own && (
        <>
          <MomentInput label={t('From')} value={filters.from} onChange={(from) => onChange({ from })} />
          <span className="text-xs text-ink-3">{t('to')}</span>
          <MomentInput label={t('To')} value={filters.to} onChange={(to) => onChange({ to })} />
        </>
      )}
    </>
  )
}

function MomentInput({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (iso: string) => void
}) {
  return (
    <input
      type="datetime-local"
      aria-label={label}
      value={value ? formatForInput(value) : ''}
      onChange={(event) => onChange(event.target.value && new Date(event.target.value).toISOString())}
      className={cx(inputClass, 'w-48!')}
    />
  )
}
