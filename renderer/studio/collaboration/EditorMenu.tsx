// The menu of an editor: connect, disconnect, read a level, add, remove.
import { Mountain, Plug, PlugZap, Plus } from 'lucide-react'
import { useState } from 'react'
import type { PcgEditor } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { RecordMenu } from '../../ui/Menu.tsx'
import { useChanges } from '../../ui/use-records.ts'
import { ReadLevel } from '../transfer/ReadLevel.tsx'
import { AddEditor } from './AddEditor.tsx'

export function EditorMenu({
  editor: { name, driver, status },
  onAdded,
}: {
  readonly editor: PcgEditor
  readonly onAdded: (name: string) => void
}) {
  const { settled, refresh } = useChanges('pcg')
  const [adding, setAdding] = useState(false)
  const [reading, setReading] = useState(false)
  const there = status === 'connected' || status === 'busy' || status === 'connecting'
  return (
    <>
      <RecordMenu
        align="start"
        name={name}
        entries={[
          there
            ? { label: t('Disconnect'), icon: Plug, run: () => settled(api.pcg.disconnect({ params: { name } })) }
            : { label: t('Connect'), icon: PlugZap, run: () => settled(api.pcg.connect({ params: { name } })) },
          driver === 'embedded' && { label: t('Read a level from…'), icon: Mountain, run: () => setReading(true) },
          { label: t('Add an editor…'), icon: Plus, run: () => setAdding(true) },
        ]}
        deletion={{
          noun: t('editor'),
          removes: true,
          about: t('Its versions are deleted, and its tools are removed from bundles. The project itself stays.'),
          phrase: name,
          run: () => settled(api.pcg.delete({ params: { name } })),
        }}
      />
      {reading && <ReadLevel editor={name} onClose={() => setReading(false)} />}
      <AddEditor
        open={adding}
        onClose={() => setAdding(false)}
        onAdded={async (added) => {
          await refresh()
          onAdded(added)
        }}
      />
    </>
  )
}
