// A dialog between this editor and another one; without another one it offers to add it.
import { useMutation } from '@tanstack/react-query'
import { MonitorX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { PcgEditor } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { type Control, textIn } from '../../ui/form/fields.ts'
import { Select } from '../../ui/Select.tsx'
import { useChanges } from '../../ui/use-records.ts'
import { AddEditor } from '../collaboration/AddEditor.tsx'
import { reasonAgainst } from '../editor/capabilities.ts'

export function BetweenEditors({
  title,
  about,
  others,
  none,
  onClose,
  children,
}: {
  readonly title: string
  readonly about: string
  readonly others: readonly PcgEditor[]
  /** What is missing, and what to add. */
  readonly none: { readonly title: string; readonly about: string }
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { refresh } = useChanges('pcg')
  const [adding, setAdding] = useState(false)
  if (adding)
    return (
      <AddEditor
        open
        onClose={() => setAdding(false)}
        onAdded={async () => {
          await refresh()
          setAdding(false)
        }}
      />
    )
  return (
    <Dialog open onClose={onClose} width="max-w-lg" title={title} about={about}>
      {others.length > 0 ? (
        children
      ) : (
        <EmptyState
          icon={MonitorX}
          {...none}
          action={
            <Button look="strong" onClick={() => setAdding(true)}>
              {t('Add an editor…')}
            </Button>
          }
        />
      )}
    </Dialog>
  )
}

export const editorIn = (editors: readonly PcgEditor[], name: unknown): PcgEditor | undefined =>
  editors.find((editor) => editor.name === name)

/** Chooses one of the editors; an editor without a connection is shown with the reason and can be connected. */
export function EditorField({
  label,
  editors,
  value,
  error,
  onChange,
}: Control & { readonly label: string; readonly editors: readonly PcgEditor[] }) {
  const { settled } = useChanges('pcg')
  const connect = useMutation({ mutationFn: (name: string) => settled(api.pcg.connect({ params: { name } })) })
  const chosen = editorIn(editors, value)
  const reason = reasonAgainst(chosen, 'edit')
  return (
    <div className="flex flex-col gap-1.5">
      <Select
        label={label}
        value={textIn(value)}
        options={editors.map(({ name, driver, status, project }) => ({
          value: name,
          label: name,
          about: [driver, status, project].filter(Boolean).join(' · '),
        }))}
        onChange={onChange}
      />
      {chosen && reason !== null && (
        <div className="flex items-center gap-2">
          <p role="alert" className="min-w-0 grow text-xs text-bad">
            {reason}
          </p>
          <Button
            size="sm"
            busy={connect.isPending || chosen.status === 'connecting'}
            onClick={() => connect.mutate(chosen.name)}
          >
            {t('Connect')}
          </Button>
        </div>
      )}
      {reason === null && error !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
      {connect.isError && <ErrorNote error={connect.error} />}
    </div>
  )
}
