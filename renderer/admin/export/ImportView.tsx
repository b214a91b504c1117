// Imports a document after a preview.

import { useMutation } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { type ImportResult, itemOf } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { notifyError } from '../../ui/notify.ts'
import { Select } from '../../ui/Select.tsx'
import { useChanges } from '../../ui/use-records.ts'
import { ChangeList, ChangeNotes } from './ChangeList.tsx'
import { changedItems } from './changed-items.ts'
import { ItemList } from './ItemList.tsx'
import { WeakenedList } from './WeakenedList.tsx'

const MODES = [
  { value: 'merge', label: t('Add and change'), about: t('Keeps everything that is not in the file') },
  { value: 'replace', label: t('Replace'), about: t('Removes everything that is not in the file, except backends') },
] as const
type Mode = (typeof MODES)[number]['value']
type Wish = { readonly raw: string; readonly mode: Mode; readonly registerClients: boolean }

const NONE: ReadonlySet<string> = new Set()

const send = (wish: Wish & { leaveOut?: string[]; confirm?: boolean }, dryRun: boolean): Promise<ImportResult> =>
  api.configDocuments.import({ body: { format: 'yaml', ...wish, dryRun } })

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
  const tried = useMutation({ mutationFn: (asked: Wish) => send(asked, true) })
  const done = useMutation({
    mutationFn: (asked: Parameters<typeof send>[0]) =>
      run(send(asked, false), ({ changes }) =>
        changes.length === 1 ? t('One thing was changed') : t('{count} things were changed', { count: changes.length }),
      ),
  })
  const change = (next: Partial<Wish>) => {
    setWish({ ...wish, ...next })
    tried.reset()
    done.reset()
  }
  return (
    <div className="flex max-w-4xl flex-col gap-4 p-6">
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label={t('Mode')}
          value={wish.mode}
          options={MODES}
          onChange={(mode) => change({ mode })}
          className="w-56"
        />
        <div className="flex h-8 items-center">
          <Checkbox
            label={t('Add backends that do not exist yet')}
            checked={wish.registerClients}
            onChange={(registerClients) => change({ registerClients })}
          />
        </div>
        <span className="grow" />
        <FileButton onRead={(raw) => change({ raw })} />
      </div>
      <TextArea
        label={t('Configuration')}
        hint={t('gantry.yaml of such a folder, or any export, as YAML or JSON')}
        rows={10}
        value={wish.raw}
        onChange={({ target }) => change({ raw: target.value })}
      />
      <div className="flex justify-end gap-2">
        <Button busy={tried.isPending} disabled={wish.raw.trim() === ''} onClick={() => tried.mutate(wish)}>
          {t('Preview changes')}
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-4">
        {tried.error && <ErrorNote error={tried.error} />}
        {done.error && <ErrorNote error={done.error} />}
        {done.data ? (
          <section aria-label={t('Changes')} className="card p-4">
            <h2 className="mb-3 text-sm font-semibold">{t('Changes')}</h2>
            <ChangeList {...done.data} />
            <WeakenedList weakened={done.data.weakened} confirmed={false} />
          </section>
        ) : (
          tried.data && (
            <Preview
              key={tried.submittedAt}
              found={tried.data}
              busy={done.isPending}
              onImport={(leaveOut, confirm) => done.mutate({ ...wish, leaveOut, confirm })}
            />
          )
        )}
      </div>
    </div>
  )
}

/** What the import would do: items are left out here, and weaker settings confirmed. */
function Preview({
  found,
  busy,
  onImport,
}: {
  readonly found: ImportResult
  readonly busy: boolean
  readonly onImport: (leaveOut: string[], confirm: boolean) => void
}) {
  const [left, setLeft] = useState(NONE)
  const [confirmed, setConfirmed] = useState(false)
  const items = changedItems(found.changes)
  const wanted = items.filter(({ pointer }) => !left.has(pointer))
  const weakened = found.weakened.filter(({ path }) => !left.has(itemOf(path)))
  const leave = (next: ReadonlySet<string>): void => {
    setLeft(next)
    setConfirmed(false)
  }
  return (
    <section aria-label={t('Preview')} className="card flex flex-col gap-4 p-4">
      <h2 className="text-sm font-semibold">{t('Preview')}</h2>
      {items.length > 0 && <ItemList items={items} left={left} onLeave={leave} />}
      <ChangeNotes {...found} />
      <WeakenedList weakened={weakened} confirmed={confirmed} onConfirm={setConfirmed} />
      {wanted.length > 0 && (
        <footer className="flex justify-end">
          <Button
            look="strong"
            busy={busy}
            disabled={weakened.length > 0 && !confirmed}
            onClick={() => onImport([...left], confirmed)}
          >
            {wanted.length === items.length
              ? t('Import')
              : t('Import {count} of {count2}', { count: wanted.length, count2: items.length })}
          </Button>
        </footer>
      )}
    </section>
  )
}

function FileButton({ onRead }: { readonly onRead: (text: string) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={picker}
        type="file"
        aria-label={t('Configuration file')}
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
        {t('Choose a file')}
      </Button>
    </>
  )
}
