// Adds a bundle (.mcpb) to this computer. The person chooses the file and agrees to its command in dialogs of the main process; this page shows what the bundle says and takes its settings.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChosenBundle } from '#contract'
import { askPrograms } from '../../api/servers.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Sheet } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatBytes } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { submitting } from '../../ui/submitting.ts'
import { BundleSettings, type Given, settingsOf } from './BundleSettings.tsx'
import { HostsField, hostsIn } from './HostsField.tsx'

export function AddBundle() {
  const [bundle, setBundle] = useState<ChosenBundle>()
  const choosing = useMutation({
    mutationFn: () => askPrograms({ ask: 'choose' }),
    onSuccess: (answer) => answer?.answer === 'chosen' && setBundle(answer.bundle),
    onError: notifyError,
  })
  return (
    <>
      <Button busy={choosing.isPending} onClick={() => choosing.mutate()}>
        {t('Add a .mcpb file…')}
      </Button>
      <Sheet open={bundle !== undefined} onClose={() => setBundle(undefined)} title={bundle?.title ?? ''}>
        {bundle && <Bundle key={bundle.sha256} bundle={bundle} onAdded={() => setBundle(undefined)} />}
      </Sheet>
    </>
  )
}

function signatureText({ signature }: ChosenBundle): string {
  if (signature.state === 'unsigned') return t('Not signed')
  const { by, issuer, isSelfSigned } = signature
  return isSelfSigned
    ? t('Signed by {by}, with a self-signed certificate. The content fits; who that is was not checked.', { by })
    : t('Signed by {by}, with a certificate of {issuer}. The content fits; who that is was not checked.', {
        by,
        issuer,
      })
}

const mono = (text: string) => <code className="font-mono text-xs break-all">{text}</code>

function Bundle({ bundle, onAdded }: { readonly bundle: ChosenBundle; readonly onAdded: () => void }) {
  const { tools, fileCount, bytes } = bundle
  return (
    <div className="flex flex-col gap-4 p-4">
      {bundle.description !== '' && <p className="text-sm break-words text-pretty">{bundle.description}</p>}
      <Facts
        title={t('Bundle file')}
        facts={[
          { name: t('File'), value: mono(bundle.file) },
          { name: t('Version'), value: bundle.version },
          { name: t('Author, as it says'), value: bundle.author },
          { name: t('Signature'), value: signatureText(bundle) },
          { name: 'SHA-256', value: mono(bundle.sha256) },
          { name: t('Tools, as it says'), value: tools.length > 0 && tools.join(', ') },
        ]}
      />
      <details className="card">
        <summary className="cursor-pointer px-5 py-2.5 text-sm font-semibold">
          {t('Files: {count}, {size}', { count: fileCount, size: formatBytes(bytes) })}
        </summary>
        <ul className="max-h-64 overflow-auto border-t border-line px-5 py-2 text-xs">
          {bundle.files.map((file) => (
            <li key={file.path} className="flex justify-between gap-3 py-0.5">
              <code className="min-w-0 font-mono break-all">{file.path}</code>
              <span className="shrink-0 text-ink-3">{formatBytes(file.bytes)}</span>
            </li>
          ))}
          {fileCount > bundle.files.length && (
            <li className="py-1 text-ink-3">{t('and {count} more', { count: fileCount - bundle.files.length })}</li>
          )}
        </ul>
      </details>
      <Adding bundle={bundle} onAdded={onAdded} />
    </div>
  )
}

function Adding({ bundle, onAdded }: { readonly bundle: ChosenBundle; readonly onAdded: () => void }) {
  const [name, setName] = useState(bundle.name)
  const [given, setGiven] = useState<Given>({})
  const [hosts, setHosts] = useState('')
  const [folders, setFolders] = useState('')
  const client = useQueryClient()
  const adding = useMutation({
    mutationFn: () =>
      askPrograms({
        ask: 'import',
        sha256: bundle.sha256,
        name,
        settings: settingsOf(bundle.settings, given),
        hosts: hostsIn(hosts),
        folders: folders
          .split(',')
          .map((folder) => folder.trim())
          .filter(Boolean),
      }),
    async onSuccess(answer) {
      if (answer === null) return
      notifyDone(t('{name} was added to this computer', { name }))
      onAdded()
      await client.invalidateQueries({ queryKey: ['clients'] })
    },
  })
  return (
    <form
      aria-label={t('Add to this computer')}
      className="flex flex-col gap-3"
      onSubmit={submitting(() => adding.mutate())}
    >
      <Field label={t('Name')} value={name} spellCheck={false} onChange={({ target }) => setName(target.value)} />
      <BundleSettings settings={bundle.settings} given={given} onChange={setGiven} />
      <HostsField value={hosts} onChange={setHosts} />
      <Field
        label={t('Other folders it may use')}
        hint={t('Absolute paths, separated by commas. It has a folder of its own, and those of its settings.')}
        value={folders}
        spellCheck={false}
        onChange={({ target }) => setFolders(target.value)}
      />
      <p className="text-sm text-pretty text-ink-2">
        {t('It runs in the sandbox of the operating system: its own folder, and the hosts that you name.')}
      </p>
      {adding.error && <ErrorNote error={adding.error} />}
      <Button type="submit" look="strong" busy={adding.isPending} disabled={name === ''} className="self-start">
        {t('Add to this computer…')}
      </Button>
    </form>
  )
}
