// The menu of saved filters.
import { BookmarkPlus, Star, X } from 'lucide-react'
import { useState } from 'react'
import { useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
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
            {t('Views')}
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
          {t('Save this filter…')}
        </MenuItem>
        {own.map((view) => (
          <MenuItem
            key={view.name}
            danger
            icon={<X />}
            onSelect={() => {
              const back = removeView(views, view)
              notifyDone(t('“{name}” was deleted', { name: view.name }), async () => back())
            }}
          >
            {t('Delete “{name}”', { name: view.name })}
          </MenuItem>
        ))}
      </Menu>
      <SaveAs
        open={naming}
        title={t('Save this filter')}
        about={t('Saved in this browser only.')}
        example={example}
        onClose={() => setNaming(false)}
        onName={(name) => {
          saveView(views, user, name, params)
          notifyDone(t('“{name}” was saved', { name }))
        }}
      />
    </>
  )
}
