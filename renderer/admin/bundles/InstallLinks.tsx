// Install links of a bundle: each gives a client its own key; shown once, revocable.
import { useQuery } from '@tanstack/react-query'
import { Link2, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { z } from 'zod'
import { API, type InstallLink, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { buttonColumn, countColumn, Named, timeColumn } from '../../ui/columns.tsx'
import { DialogActions, useAsk } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { expiryOf, LIFETIMES } from '../../ui/form/lifetime.tsx'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { useChanges } from '../../ui/use-records.ts'

const QrCode = lazy(async () => ({ default: (await import('./QrCode.tsx')).QrCode }))

export function InstallLinks({ bundle }: { readonly bundle: string }) {
  const actor = useActor()
  const { settled } = useChanges('bundles')
  const [making, setMaking] = useState(false)
  const ask = useAsk()
  const list = useQuery({
    queryKey: ['bundles', 'links', bundle],
    queryFn: () => api.installLinks.list({ params: { name: bundle }, query: { limit: '200' } }),
  })
  const administers = mayUse(actor, 'admin')
  const add = administers && (
    <Button look="strong" onClick={() => setMaking(true)}>
      <Plus />
      {t('New link')}
    </Button>
  )
  const end = (link: InstallLink): void =>
    ask({
      title: t('End {value}?', { value: link.label ? `“${link.label}”` : t('this link') }),
      about: t('The link stops working, and clients set up with it lose access.'),
      confirm: t('End link'),
      run: () => settled(api.installLinks.delete({ params: { name: bundle, id: String(link.id) } })),
    })
  return (
    <div className="flex h-full flex-col">
      <div className="flex items-center justify-between gap-4 border-b border-line px-6 py-3">
        <p className="text-sm text-ink-2">
          {t('Anyone who opens a link gets access to this bundle with a new key. Treat it like a password.')}
        </p>
        {add}
      </div>
      <Table
        className="min-h-0 grow"
        label={t('Install links, newest first')}
        columns={columnsFor(administers ? end : undefined)}
        rows={list.data?.items ?? []}
        rowKey={({ id }) => id}
        {...queried(list)}
        empty={
          <EmptyState
            icon={Link2}
            title={t('No link yet')}
            about={t('Create one link per person so you can revoke them separately.')}
            action={add}
          />
        }
      />
      <NewLink bundle={bundle} open={making} onClose={() => setMaking(false)} />
    </div>
  )
}

function columnsFor(end: ((link: InstallLink) => void) | undefined): readonly Column<InstallLink>[] {
  return [
    {
      key: 'label',
      title: t('Link'),
      grow: true,
      cell: ({ label, tokenPrefix }) => (
        <Named name={label ?? t('Without a label')} about={<code className="font-mono">{tokenPrefix}…</code>} />
      ),
    },
    {
      key: 'state',
      title: t('State'),
      width: 'w-32',
      cell: ({ revokedAt, expiresAt }) =>
        revokedAt ? (
          <Badge tone="bad">{t('Ended')}</Badge>
        ) : expiresAt && Date.parse(expiresAt) <= Date.now() ? (
          <Badge tone="warn">{t('Expired')}</Badge>
        ) : (
          <Badge tone="ok" dot>
            {t('Open')}
          </Badge>
        ),
    },
    countColumn('used', t('Opened'), ({ useCount }) => useCount),
    timeColumn('last', t('Last opened'), ({ lastUsedAt }) => lastUsedAt),
    timeColumn('expires', t('Expires'), ({ expiresAt }) => expiresAt),
    ...(end
      ? [
          buttonColumn<InstallLink>({
            text: () => t('End…'),
            onClick: end,
            isShown: ({ revokedAt }) => revokedAt === null,
          }),
        ]
      : []),
  ]
}

const { label } = API.installLinks.create.body.shape
const { '1': day, '7': week, '30': month, '90': quarter, never } = LIFETIMES
const LinkChoice = z.object({
  label,
  lifetime: z.enum(['1', '7', '30', 'never']).default('7'),
  keyLifetime: z.enum(['7', '30', '90', 'never']).default('90'),
})
const FORM = formOf(LinkChoice, {
  label: { label: t('Recipient (optional)') },
  lifetime: { label: t('Link expires after'), options: { '1': day, '7': week, '30': month, never } },
  keyLifetime: {
    label: t('Key expires after'),
    options: { '7': week, '30': month, '90': quarter, never },
    hint: t('Clients that were set up by the link lose access then.'),
  },
})

function NewLink({ bundle, ...dialog }: DialogProps & { readonly bundle: string }) {
  const { settled } = useChanges('bundles')
  return (
    <RecordDialog
      {...dialog}
      title={t('New install link')}
      width="max-w-lg"
      form={FORM}
      submit={t('Create link')}
      once
      onSubmit={({ lifetime, keyLifetime, ...named }) =>
        settled(
          api.installLinks.create({
            params: { name: bundle },
            body: {
              ...named,
              expiresAt: expiryOf(lifetime, Date.now()),
              keyExpiresAt: expiryOf(keyLifetime, Date.now()),
            },
          }),
        )
      }
      renderDone={({ url }) => (
        <div className="flex flex-col gap-4 pt-1">
          <p className="text-sm text-ink-2">{t('Copy the link now. It is not shown again.')}</p>
          <CodeBlock label={t('Link')} text={url} />
          <Suspense fallback={<div className="size-44 self-center" />}>
            <QrCode text={url} label={t('The link as a QR code, for another device')} />
          </Suspense>
          <DialogActions>
            <Button look="strong" onClick={dialog.onClose}>
              {t('Done')}
            </Button>
          </DialogActions>
        </div>
      )}
    />
  )
}
