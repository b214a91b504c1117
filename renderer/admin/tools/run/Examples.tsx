// The shared examples of a tool: filled into the runner, changed, and removed.
import { Pencil, X } from 'lucide-react'
import { useState } from 'react'
import type { ToolDetail, ToolExample } from '#contract'
import { t } from '../../../language/language.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { ErrorNote } from '../../../ui/ErrorState.tsx'
import { notifyError } from '../../../ui/notify.ts'
import type { Arguments } from '../../../ui/without-secrets.ts'
import { ExampleDialog } from './ExampleDialog.tsx'
import { Saved, SavedList } from './SavedList.tsx'
import { useExampleChanges, useExamples } from './use-example-changes.ts'

export function Examples({ tool, onPick }: { readonly tool: ToolDetail; readonly onPick: (args: Arguments) => void }) {
  const { remove, update } = useExampleChanges(tool)
  const [editing, setEditing] = useState<ToolExample | null>(null)
  const found = useExamples(tool)
  if (found.error) return <ErrorNote error={found.error} />
  const examples = found.data?.items ?? []
  return (
    <>
      {examples.length > 0 && (
        <SavedList label={t('Examples')} title={t('Shared examples')}>
          {examples.map((example) => (
            <Saved
              key={example.id}
              name={example.label}
              brief={
                <code className="min-w-0 grow truncate font-mono text-xs text-ink-2">
                  {JSON.stringify(example.args)}
                </code>
              }
              actions={
                <>
                  <IconButton
                    label={t('Change {label}', { label: example.label })}
                    size="sm"
                    onClick={() => setEditing(example)}
                  >
                    <Pencil />
                  </IconButton>
                  <IconButton
                    label={t('Remove {label}', { label: example.label })}
                    size="sm"
                    onClick={() => void remove(example).catch(notifyError)}
                  >
                    <X />
                  </IconButton>
                </>
              }
              onPick={() => onPick(example.args)}
            />
          ))}
        </SavedList>
      )}
      <ExampleDialog
        open={editing !== null}
        record={editing ?? undefined}
        onClose={() => setEditing(null)}
        onSubmit={async (next) => {
          if (editing) await update(editing, next)
        }}
      />
    </>
  )
}
