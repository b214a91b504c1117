// What can be done with an editor: connected, let go, added, forgotten; and what is known of it.
import { Ellipsis, Plug, PlugZap, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { PcgEditor } from '#contract'
import { api } from '../../api/api.ts'
import { useChanges } from '../../api/use-records.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Confirm, type Question } from '../../ui/Dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { notifyError } from '../../ui/notify.ts'
import { AddEditor } from './AddEditor.tsx'

export function EditorMenu({
  editor: { name, status },
  onAdded,
}: {
  readonly editor: PcgEditor
  readonly onAdded: (name: string) => void
}) {
  const { settled, refresh } = useChanges('pcg')
  const [adding, setAdding] = useState(false)
  const [question, setQuestion] = useState<Question | null>(null)
  const run = (work: Promise<unknown>): void => void settled(work).catch(notifyError)
  const there = status === 'connected' || status === 'busy' || status === 'connecting'
  return (
    <>
      <Menu
        align="start"
        trigger={
          <IconButton label={`Actions for ${name}`} size="sm">
            <Ellipsis />
          </IconButton>
        }
      >
        {there ? (
          <MenuItem icon={<Plug />} onSelect={() => run(api.pcg.disconnect({ params: { name } }))}>
            Disconnect
          </MenuItem>
        ) : (
          <MenuItem icon={<PlugZap />} onSelect={() => run(api.pcg.connect({ params: { name } }))}>
            Connect
          </MenuItem>
        )}
        <MenuItem icon={<Plus />} onSelect={() => setAdding(true)}>
          Add an editor…
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          danger
          icon={<Trash2 />}
          onSelect={() =>
            setQuestion({
              title: `Remove ${name}`,
              about:
                'Its versions are forgotten, and its tools leave every bundle. The project itself stays where it is.',
              confirm: 'Remove',
              phrase: name,
              run: () => settled(api.pcg.delete({ params: { name } })),
            })
          }
        >
          Remove…
        </MenuItem>
      </Menu>
      <AddEditor
        open={adding}
        onClose={() => setAdding(false)}
        onAdded={async (added) => {
          await refresh()
          onAdded(added)
        }}
      />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </>
  )
}
