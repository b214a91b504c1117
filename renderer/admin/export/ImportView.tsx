// Imports a document after a preview.
import { useMutation } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ImportResult } from '#contract'
import { api } from '../../api/api.ts'
import { useChanges } from '../../api/use-records.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { notifyError } from '../../ui/notify.ts'
import { Select } from '../../ui/Select.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { ChangeList } from './ChangeList.tsx'
import { WeakenedList } from './WeakenedList.tsx'

const MODES = [
  { value: 'merge', label: 'Add and change', about: 'Keeps everything that is not in the file' },
  { value: 'replace', label: 'Replace', about: 'Removes everything that is not in the file, except backends' },
] as const
type Mode = (typeof MODES)[number]['value']
type Wish = { readonly raw: string; readonly mode: Mode; readonly registerClients: boolean }

const send = (wish: Wish, dryRun: boolean, confirm = false): Promise<ImportResult> =>
  api.configDocuments.import({ body: { format: 'yaml', ...wish, dryRun, confirm } })

/** Everything that a configuration may contain. */
export const TOUCHED = [
  'clients',
  'tools',
  'bundles',
  'composites',
  'consumers',
  'policies',
  'teams',
  'catalog',
  'config-snapshots',
  'config-export',
] as const

export function ImportView() {
  const { run } = useChanges(...TOUCHED)
  const [wish, setWish] = useState<Wish>({ raw: '', mode: 'merge', registerClients: true })
  const [confirmed, setConfirmed] = useState(false)
  const tried = useMutation({ mutationFn: (asked: Wish) => send(asked, true) })
  const done = useMutation({
    mutationFn: (asked: Wish) =>
      run(send(asked, false, confirmed), ({ changes }) =>
        changes.length === 1 ? 'One thing was changed' : `${changes.length} things were changed`,
      ),
  })
  const change = (next: Partial<Wish>) => {
    setWish({ ...wish, ...next })
    tried.reset()
    done.reset()
    setConfirmed(false)
  }
  const shown = done.data ?? tried.data
  return (
    <div className="flex max-w-4xl flex-col gap-4 p-6">
      <div className="flex flex-wrap items-end gap-3">
        <Select label="Mode" value={wish.mode} options={MODES} onChange={(mode) => change({ mode })} className="w-56" />
        <div className="flex h-8 items-center">
          <Checkbox
            label="Add backends that do not exist yet"
            checked={wish.registerClients}
            onChange={(registerClients) => change({ registerClients })}
          />
        </div>
        <span className="grow" />
        <FileButton onRead={(raw) => change({ raw })} />
      </div>
      <TextArea
        label="Configuration"
        hint="gantry.yaml of such a folder, or any export, as YAML or JSON"
        rows={10}
        value={wish.raw}
        onChange={({ target }) => change({ raw: target.value })}
      />
      <div className="flex justify-end gap-2">
        <Button busy={tried.isPending} disabled={wish.raw.trim() === ''} onClick={() => tried.mutate(wish)}>
          Preview changes
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-4">
        {tried.error && <ErrorNote error={tried.error} />}
        {done.error && <ErrorNote error={done.error} />}
        {shown && (
          <section aria-label={done.data ? 'Changes' : 'Preview'} className="card p-4">
            <h2 className="mb-3 text-sm font-semibold">{done.data ? 'Changes' : 'Preview'}</h2>
            <ChangeList {...shown} />
            <div className="mt-4">
              <WeakenedList
                weakened={shown.weakened}
                confirmed={confirmed}
                {...(done.data ? {} : { onConfirm: setConfirmed })}
              />
            </div>
            {!done.data && shown.changes.length > 0 && (
              <footer className="mt-4 flex justify-end">
                <Button
                  look="strong"
                  busy={done.isPending}
                  disabled={shown.weakened.length > 0 && !confirmed}
                  onClick={() => done.mutate(wish)}
                >
                  Import
                </Button>
              </footer>
            )}
          </section>
        )}
      </div>
    </div>
  )
}

function FileButton({ onRead }: { readonly onRead: (text: string) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={picker}
        type="file"
        aria-label="Configuration file"
        accept=".yaml,.yml,.json"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          void file?.text().then(onRead, notifyError)
          target.value = ''
        }}
      />
      <Button onClick={() => picker.current?.click()}>
        <Upload />
        Choose a file
      </Button>
    </>
  )
}
