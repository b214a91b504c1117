// The menus of saved filters and columns.
import { BookmarkPlus, Columns3, Star, X } from 'lucide-react'
import { useState } from 'react'
import { useActor } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, MenuCheck, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { notifyDone } from '../../ui/notify.ts'
import type { UrlParams } from '../../url-params.ts'
import { SaveAs } from './SaveAs.tsx'
import type { ToolFilter } from './tool-filter.ts'
import { paramsOf, removeView, saveView, showColumn, useViews } from './views.ts'

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
  const user = useActor().name
  const { views, hidden } = useViews()
  const own = views.filter((view) => view.user === user)
  const [naming, setNaming] = useState(false)
  return (
    <>
      <Menu
        trigger={
          <Button>
            <Star />
            Views
          </Button>
        }
      >
        {own.map((view) => (
          <MenuItem key={view.name} icon={<Star />} onSelect={() => onChange(paramsOf(view))}>
            {view.name}
          </MenuItem>
        ))}
        {own.length > 0 && <MenuSeparator />}
        <MenuItem
          icon={<BookmarkPlus />}
          disabled={Object.values(filter).every((value) => value === '')}
          onSelect={() => setNaming(true)}
        >
          Save this filter…
        </MenuItem>
        {own.map((view) => (
          <MenuItem
            key={view.name}
            danger
            icon={<X />}
            onSelect={() => {
              const back = removeView(view)
              notifyDone(`“${view.name}” was deleted`, async () => back())
            }}
          >
            Delete “{view.name}”
          </MenuItem>
        ))}
      </Menu>
      <Menu
        trigger={
          <Button>
            <Columns3 />
            Columns
          </Button>
        }
      >
        {columns.map(({ key, title }) => (
          <MenuCheck key={key} checked={!hidden.includes(key)} onChange={(shown) => showColumn(key, shown)}>
            {title}
          </MenuCheck>
        ))}
      </Menu>
      <SaveAs
        open={naming}
        title="Save this filter"
        about="Saved in this browser only."
        example="Writes of the build farm"
        onClose={() => setNaming(false)}
        onName={(name) => {
          saveView(user, name, filter)
          notifyDone(`“${name}” was saved`)
        }}
      />
    </>
  )
}
