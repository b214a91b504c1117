// The menu of a right click: what can be done with a node, a wire, a comment or the canvas at this place.
import { Menu as Base } from '@base-ui/react/menu'
import { t } from '../../language/language.ts'
import { MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { useBench } from './bench.ts'
import { useHabits } from './choices.ts'
import { commandOf, shownKeys } from './commands.ts'
import { hold, useHand } from './hand.ts'

/** Null is a line between groups. */
const ENTRIES = {
  node: [
    'enter',
    'inspect',
    'display',
    null,
    'enable',
    'debug',
    null,
    'wire',
    'break',
    'collapse',
    null,
    'to-subgraph',
    'from-subgraph',
    'frame',
    null,
    'cut',
    'copy',
    'duplicate',
    'delete',
  ],
  wire: ['add', 'delete'],
  canvas: ['add', 'paste', 'frame', null, 'layout', 'fit', 'find', null, 'undo', 'redo'],
} as const satisfies Readonly<Record<string, readonly (string | null)[]>>

export function ContextMenu() {
  const menu = useHand((state) => state.menu)
  const bench = useBench()
  const habits = useHabits()
  if (!menu) return null
  const { x, y } = menu.screen
  return (
    <Base.Root open onOpenChange={(open) => !open && hold({ menu: null })}>
      <Base.Portal>
        <Base.Positioner
          align="start"
          sideOffset={2}
          className="z-60"
          anchor={{ getBoundingClientRect: () => new DOMRect(x, y, 0, 0) }}
        >
          <Base.Popup aria-label={t('Actions for the {of}', { of: menu.of })} className="pop float min-w-56 p-1">
            {ENTRIES[menu.of].map((id, at) =>
              id === null ? (
                // oxlint-disable-next-line react/no-array-index-key -- lines have no other identity
                <MenuSeparator key={`line ${at}`} />
              ) : (
                <MenuItem
                  key={id}
                  danger={id === 'delete'}
                  onSelect={() => {
                    hold({ menu: null })
                    void commandOf(id).run(bench)
                  }}
                >
                  <span className="grow">{commandOf(id).title}</span>
                  <kbd className="text-2xs text-ink-3">{shownKeys(commandOf(id), habits)}</kbd>
                </MenuItem>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
