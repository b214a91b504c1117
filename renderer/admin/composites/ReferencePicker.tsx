// The menu of values that a template may read: the input and the results of earlier steps.
import { Braces } from 'lucide-react'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Menu, MenuGroup, MenuItem } from '../../ui/Menu.tsx'
import type { Reference } from './references.ts'

export function ReferencePicker({
  label,
  references,
  onPick,
}: {
  readonly label: string
  readonly references: readonly Reference[]
  readonly onPick: (path: string) => void
}) {
  const groups = [...Map.groupBy(references, ({ group }) => group)]
  return (
    <Menu
      trigger={
        <IconButton label={t('Insert a reference into {label}', { label })} disabled={references.length === 0}>
          <Braces />
        </IconButton>
      }
    >
      <div className="max-h-80 max-w-96 overflow-y-auto">
        {groups.map(([title, own]) => (
          <MenuGroup key={title} title={title}>
            {own.map(({ path, about }) => (
              <MenuItem key={path} onSelect={() => onPick(path)}>
                <span className="min-w-0">
                  <code className="block truncate font-mono text-xs">{path}</code>
                  {about && <span className="block truncate text-2xs text-ink-3">{about}</span>}
                </span>
              </MenuItem>
            ))}
          </MenuGroup>
        ))}
      </div>
    </Menu>
  )
}
