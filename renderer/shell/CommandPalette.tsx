// Everything that can be reached or done, by its name.
import { Dialog } from '@base-ui/react/dialog'
import { Command } from 'cmdk'
import { Search } from 'lucide-react'
import { Kbd } from '../ui/Kbd.tsx'
import { type Action, useOverlay } from './actions.ts'
import { keyCaps } from './key-caps.ts'

const close = (): void => useOverlay.setState({ open: null })

export function CommandPalette({ open, actions }: { readonly open: boolean; readonly actions: readonly Action[] }) {
  const pages = actions.filter((action) => action.keys?.startsWith('g '))
  const others = actions.filter((action) => !pages.includes(action) && action.keys !== 'mod+k')
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup
          aria-label="Command palette"
          className="pop float fixed top-[14vh] left-1/2 z-50 w-full max-w-xl -translate-x-1/2 overflow-hidden"
        >
          <Command label="Command palette" loop>
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search aria-hidden className="size-4 text-ink-3" />
              <Command.Input
                autoFocus
                placeholder="Go to a page or do something…"
                className="h-12 grow bg-transparent text-base outline-none"
              />
              <Kbd keys={['Esc']} />
            </div>
            <Command.List className="max-h-[22rem] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-8 text-center text-sm text-ink-2">
                Nothing here goes by that name.
              </Command.Empty>
              <Group heading="Go to" actions={pages} />
              <Group heading="Do" actions={others} />
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Group({ heading, actions }: { readonly heading: string; readonly actions: readonly Action[] }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:tracking-[0.04em] [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:uppercase"
    >
      {actions.map(({ title, icon: Icon, keys, run }) => (
        <Command.Item
          key={title}
          value={title}
          onSelect={() => {
            close()
            run()
          }}
          className="flex h-9 items-center gap-3 rounded-md px-3 text-sm data-[selected=true]:bg-pressed"
        >
          <Icon aria-hidden className="size-4 text-ink-3" />
          <span className="grow">{title}</span>
          {keys && <Kbd keys={keyCaps(keys)} />}
        </Command.Item>
      ))}
    </Command.Group>
  )
}
