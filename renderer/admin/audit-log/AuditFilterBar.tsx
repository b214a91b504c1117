// The filters above the log. Each is in the address a moment after it is typed.
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { api } from '../../api/api.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { inputClass } from '../../ui/Field.tsx'
import { formatForInput } from '../../ui/format.ts'
import { Select } from '../../ui/Select.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { type AuditFilters, FILTERS, SPANS } from './filters.ts'

type Change = (change: AuditFilters) => void

export function AuditFilterBar({ filters, onChange }: { readonly filters: AuditFilters; readonly onChange: Change }) {
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-6 pb-3">
      <ActionFilter value={filters.action ?? ''} onChange={(action) => onChange({ action })} />
      <TextFilter label="Actor" value={filters.actor ?? ''} onChange={(actor) => onChange({ actor })} />
      <TextFilter label="Target" value={filters.target ?? ''} onChange={(target) => onChange({ target })} />
      <TimeFilter filters={filters} onChange={onChange} />
      {Object.keys(filters).length > 0 && (
        <Button look="quiet" size="sm" onClick={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, ''])))}>
          <X />
          Clear
        </Button>
      )}
    </search>
  )
}

type TextProps = { readonly value: string; readonly onChange: (value: string) => void }

function TextFilter({ label, value, onChange }: TextProps & { readonly label: string }) {
  const [draft, setDraft] = useDraft(value, onChange)
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

/** Half a name finds nothing: the list helps to finish it, and only a whole action or a prefix is asked for. */
function ActionFilter({ value, onChange }: TextProps) {
  const { data } = useQuery({
    queryKey: ['audit-actions'],
    queryFn: () => api.auditLog.actions(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const actions = data?.actions ?? []
  const [draft, setDraft] = useDraft(value, (next) => {
    if (next === '' || next.endsWith('.') || actions.includes(next)) onChange(next)
  })
  const records = [...new Set(actions.map((action) => `${action.split('.')[0]}.`))]
  return (
    <Autocomplete.Root items={[...records, ...actions]} value={draft} onValueChange={setDraft} limit={60}>
      <Autocomplete.Input
        aria-label="Action"
        placeholder="Action, or a prefix such as user."
        spellCheck={false}
        className={cx(inputClass, 'w-64!')}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-60">
          <Autocomplete.Popup className="pop float max-h-80 w-(--anchor-width) overflow-y-auto p-1">
            <Autocomplete.Empty className="px-2 py-1.5 text-sm text-ink-3 empty:hidden">
              No action has that name.
            </Autocomplete.Empty>
            <Autocomplete.List>
              {(action: string) => (
                <Autocomplete.Item
                  key={action}
                  value={action}
                  className="rounded-md px-2 py-1 font-mono text-xs outline-none data-highlighted:bg-hover"
                >
                  {action}
                  {action.endsWith('.') && <span className="font-sans text-ink-3"> all of these</span>}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}

function TimeFilter({ filters, onChange }: { readonly filters: AuditFilters; readonly onChange: Change }) {
  const own = filters.from !== undefined || filters.to !== undefined
  const options = own ? [{ value: 'own', label: 'Between…' } as const, ...SPANS] : SPANS
  return (
    <>
      <Select
        label="Time"
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
          <MomentInput label="From" value={filters.from} onChange={(from) => onChange({ from })} />
          <span className="text-xs text-ink-3">to</span>
          <MomentInput label="To" value={filters.to} onChange={(to) => onChange({ to })} />
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
