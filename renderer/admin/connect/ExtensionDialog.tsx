// The bridge as an extension file for Claude Desktop, and its key.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { askAgents } from '../../api/agents.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useChanges } from '../../ui/use-records.ts'
import { EMPTY, TargetFields, targetOf } from './TargetFields.tsx'

const archiveOf = (base64: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))])

export function ExtensionDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY)
  const { settled } = useChanges('keys')
  const target = targetOf(draft)
  const made = useMutation({
    mutationFn: async () => {
      if (!target) return null
      const file = await settled(askAgents({ ask: 'extension', name: draft.name, target }))
      saveFile(file.filename, 'application/zip', archiveOf(file.base64))
      return file
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Extension for Claude Desktop')}
      about={t('It includes the bridge and needs no Node.js. Open the file and paste the key when asked.')}
    >
      {made.data ? (
        <div className="flex flex-col gap-4 pt-1">
          <p className="text-sm text-ink-2">
            {t('{filename} is saved. The key is shown this one time; Claude Desktop keeps it in the keyring.', {
              filename: made.data.filename,
            })}
          </p>
          <CodeBlock label={t('Key')} text={made.data.key} />
          <DialogActions>
            <Button look="strong" onClick={onClose}>
              {t('Done')}
            </Button>
          </DialogActions>
        </div>
      ) : (
        <DialogForm
          submit={t('Save the file')}
          busy={made.isPending}
          ready={target !== null && draft.name !== ''}
          error={made.error}
          onSubmit={() => made.mutate()}
          onClose={onClose}
        >
          <TargetFields draft={draft} onChange={setDraft} />
        </DialogForm>
      )}
    </Dialog>
  )
}
