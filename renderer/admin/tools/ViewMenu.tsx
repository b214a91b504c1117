// The menus of saved filters and columns.
import { Columns3 } from 'lucide-react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, MenuCheck } from '../../ui/Menu.tsx'
import { SavedViewsMenu } from '../../ui/SavedViewsMenu.tsx'
import type { UrlParams } from '../../url-params.ts'
import type { ToolFilter } from './tool-filter.ts'
import { showColumn, TOOL_VIEWS, useColumns } from './views.ts'

type Column = { readonly key: string; readonly title: string }

export function ViewMenu({
  filter,
  columns,
  onChange,
}: {
  readonly filter: ToolFilter
  /** Columns that can be hidden. */
  readonly columns: readonly Column[]
  readonly onChange: (change: UrlParams) => void
}) {
  const hidden = useColumns((state) => state.hidden)
  return (
    <>
      <SavedViewsMenu views={TOOL_VIEWS} params={filter} example={t('Writes of the build farm')} onChange={onChange} />
      <Menu
        trigger={
          <Button>
            <Columns3 />
            {t('Columns')}
          </Button>
        }
      >
        {columns.map(({ key, title }) => (
          <MenuCheck key={key} checked={!hidden.includes(key)} onChange={(shown) => showColumn(key, shown)}>
            {title}
          </MenuCheck>
        ))}
      </Menu>
    </>
  )
}
