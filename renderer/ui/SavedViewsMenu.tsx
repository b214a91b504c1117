// The menu of saved filters.
import { BookmarkPlus, Star, X } from 'lucide-react'
import { useState } from 'react'
import { useActor } from '../api/session.ts'
import type { UrlParams } from '../url-params.ts'
import { Button } from './Button.tsx'
import { Menu, MenuItem, MenuSeparator } from './Menu.tsx'
import { notifyDone } from './notify.ts'
import { SaveAs } from './SaveAs.tsx'
import { paramsOf, removeView, type SavedViews, saveView } from './saved-views.ts'

export function SavedViewsMenu({
  views,
  params,
  example,
  onChange,
}: {
  readonly views: SavedViews
  readonly params: UrlParams
  readonly example: string
  readonly onChange: (params: UrlParams) => void
}) {
  const user = useActor().name
  const own = views.use().views.filter((view) => view.user === user)
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
          <MenuItem key={view.name} icon={<Star />} onSelect={() => onChange(paramsOf(views, view))}>
            {view.name}
          </MenuItem>
        ))}
        {own.length > 0 && <MenuSeparator />}
        <MenuItem
          icon={<BookmarkPlus />}
          disabled={views.keys.every((key) => !params[key])}
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
              const back = removeView(views, view)
              notifyDone(`“${view.name}” was deleted`, async () => back())
            }}
          >
            Delete “{view.name}”
          </MenuItem>
        ))}
      </Menu>
      <SaveAs
        open={naming}
        title="Save this filter"
        about="Saved in this browser only."
        example={example}
        onClose={() => setNaming(false)}
        onName={(name) => {
          saveView(views, user, name, params)
          notifyDone(`“${name}” was saved`)
        }}
      />
    </>
  )
}
