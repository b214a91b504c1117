// What can be done with a parameter as a whole: rename, category, order, removal.
import { ArrowDown, ArrowUp, Ellipsis, FolderInput, Pencil, Trash2 } from 'lucide-react'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import type { Gesture } from '../editor/gestures.ts'
import { categorised, type Listed, listedIn, moved, renamed, without } from '../model/parameters.ts'
import { useGestures } from '../use-gestures.ts'

export type Asked = 'rename' | 'category'
type Given = ReturnType<typeof renamed>

/** Changes of the list as gestures; `readers` are removed with the parameter that they read. */
export function useParameterList(graph: string, list: readonly Listed[] | undefined) {
  const { perform } = useGestures()
  const at = { pcg_graph_path: graph }
  /** The list is one setting: it is changed from what it is when the turn of the change comes. */
  const put = (label: string, change: (now: readonly Listed[]) => Given | undefined, edit?: Gesture['edit']) =>
    perform({
      label,
      async edit(call, patch) {
        const input = { ...at, node_name: 'Input' }
        await edit?.(call, patch)
        const { properties } = await call('get_pcg_node_properties', input)
        const Parameters = change(listedIn(properties) ?? [])
        if (Parameters) await call('set_pcg_node_properties', { ...input, properties: { Parameters } })
        return undefined
      },
    })
  return (
    list && {
      list,
      rename: (name: string, to: string) =>
        put(t('Rename {name} to {to}', { name, to }), (now) => renamed(now, name, to)),
      categorise: (name: string, category: string) =>
        put(t('Set the category of {name}', { name }), (now) => categorised(now, name, category)),
      move: (name: string, by: -1 | 1) =>
        put(by < 0 ? t('Move {name} up', { name }) : t('Move {name} down', { name }), (now) => moved(now, name, by)),
      remove: (name: string, readers: readonly string[]) =>
        put(
          t('Remove the parameter {name}', { name }),
          (now) => without(now, name),
          async (call) => {
            for (const node_name of readers) await call('remove_pcg_node', { ...at, node_name })
            return undefined
          },
        ),
    }
  )
}
export type ParameterList = NonNullable<ReturnType<typeof useParameterList>>

export function ParameterMenu({
  name,
  readers,
  parameters,
  onAsk,
}: {
  readonly name: string
  readonly readers: readonly string[]
  /** Undefined where the editor cannot do it. */
  readonly parameters: ParameterList | undefined
  readonly onAsk: (what: Asked) => void
}) {
  const trigger = (
    <IconButton
      label={t('Actions for {name}', { name })}
      title={
        parameters ? undefined : t('Rename, order and remove parameters in the Unreal Editor: it has no remote call')
      }
      disabled={!parameters}
      size="sm"
      className="size-5! shrink-0 [&_svg]:size-3!"
    >
      <Ellipsis />
    </IconButton>
  )
  if (!parameters) return trigger
  const { list, move, remove } = parameters
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={<Pencil />} onSelect={() => onAsk('rename')}>
        {t('Rename…')}
      </MenuItem>
      <MenuItem icon={<FolderInput />} onSelect={() => onAsk('category')}>
        {t('Category…')}
      </MenuItem>
      <MenuItem icon={<ArrowUp />} disabled={!moved(list, name, -1)} onSelect={() => void move(name, -1)}>
        {t('Move up')}
      </MenuItem>
      <MenuItem icon={<ArrowDown />} disabled={!moved(list, name, 1)} onSelect={() => void move(name, 1)}>
        {t('Move down')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} danger onSelect={() => void remove(name, readers)}>
        {readers.length === 0
          ? t('Remove')
          : t('Remove with {value}', {
              value:
                readers.length === 1
                  ? t('the node that reads it')
                  : t('{count} nodes that read it', { count: readers.length }),
            })}
      </MenuItem>
    </Menu>
  )
}
