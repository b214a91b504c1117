// Maps roles or groups of the provider to roles.
import { Plus, X } from 'lucide-react'
import { ROLES } from '#contract'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { inputClass } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { wireWord } from '../../ui/wire-words.ts'
import type { Mapped } from './settings-fields.tsx'

const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: wireWord(role) }))

export function RoleMap({
  roles,
  twice,
  readOnly,
  onChange,
}: {
  readonly roles: readonly Mapped[]
  readonly twice: readonly string[]
  readonly readOnly: boolean
  readonly onChange: (roles: readonly Mapped[]) => void
}) {
  const change = (at: number, next: Partial<Mapped>): void =>
    onChange(roles.map((each, index) => (index === at ? { ...each, ...next } : each)))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-xs font-medium text-ink-2">
        {t('Groups of the provider and their roles here')}
      </legend>
      {roles.map(({ group, role }, at) => (
        // Keyed by position: two lines may have the same text while typing.
        <div key={`${at}`} className="flex items-center gap-2">
          <input
            aria-label={t('Group {at}', { at: at + 1 })}
            aria-invalid={twice.includes(group) || undefined}
            placeholder={t('Group or role at the provider')}
            value={group}
            maxLength={256}
            spellCheck={false}
            onChange={(event) => change(at, { group: event.target.value })}
            className={cx(inputClass, 'grow')}
          />
          <Select
            label={t('Role of group {at}', { at: at + 1 })}
            hideLabel
            className="w-36 shrink-0"
            value={role}
            options={ROLE_OPTIONS}
            onChange={(next) => change(at, { role: next })}
          />
          {!readOnly && (
            <IconButton
              label={t('Remove group {at}', { at: at + 1 })}
              onClick={() => onChange(roles.filter((_, index) => index !== at))}
            >
              <X />
            </IconButton>
          )}
        </div>
      ))}
      {twice.length > 0 && (
        <p role="alert" className="text-xs text-bad">
          {t('{value} appears more than once. Remove the duplicates.', { value: twice.join(', ') })}
        </p>
      )}
      {roles.length === 0 && <p className="text-xs text-ink-3">{t('None: all users get the role below.')}</p>}
      {!readOnly && (
        <div>
          <Button size="sm" onClick={() => onChange([...roles, { group: '', role: 'viewer' }])}>
            <Plus />
            {t('Add a group')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
