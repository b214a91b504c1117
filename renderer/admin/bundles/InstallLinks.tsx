// Links that set a client up with a bundle and a key of its own; shown once, ended at will.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { type InstallLink, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { countColumn, Named, timeColumn } from '../../ui/columns.tsx'
import { Confirm, Dialog, DialogActions, type Question } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { type Column, Table } from '../../ui/Table.tsx'

const QrCode = lazy(async () => ({ default: (await import('./QrCode.tsx')).QrCode }))

const LIVES = [
  { value: '1', label: 'One day' },
  { value: '7', label: 'One week' },
  { value: '30', label: '30 days' },
  { value: 'never', label: 'No end' },
] as const
const DAY_MS = 86_400_000

export function InstallLinks({ bundle }: { readonly bundle: string }) {
  const actor = useActor()
  const queries = useQueryClient()
  const [making, setMaking] = useState(false)
  const [question, setQuestion] = useState<Question | null>(null)
  const queryKey = ['bundles', 'links', bundle]
  const list = useQuery({
    queryKey,
    queryFn: () => api.installLinks.list({ params: { name: bundle }, query: { limit: '200' } }),
  })
  const refresh = () => queries.invalidateQueries({ queryKey })
  const administers = mayUse(actor, 'admin')
  const add = administers && (
    <Button look="strong" onClick={() => setMaking(true)}>
      <Plus />
      New link
    </Button>
  )
  const end = (link: InstallLink): void =>
    setQuestion({
      title: `End ${link.label ? `“${link.label}”` : 'this link'}?`,
      about: 'The link answers as if it had never been, and the client that was set up with it is cut off.',
      confirm: 'End link',
      run: async () => {
        await api.installLinks.delete({ params: { name: bundle, id: String(link.id) } })
        await refresh()
      },
    })
  return (
    <div className="flex h-full flex-col">
      <div className="flex items-center justify-between gap-4 border-b border-line px-6 py-3">
        <p className="text-sm text-ink-2">
          Whoever opens a link gets this bundle with a key of its own. Send it as you would send a password.
        </p>
        {add}
      </div>
      <Table
        className="min-h-0 grow"
        label="Install links, newest first"
        columns={columnsFor(administers ? end : undefined)}
        rows={list.data?.items ?? []}
        rowKey={({ id }) => id}
        loading={list.isPending}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={
          <EmptyState
            icon={Link2}
            title="No link yet"
            about="One link a person: then each can be ended alone."
            action={add}
          />
        }
      />
      <Dialog open={making} onClose={() => setMaking(false)} title="New install link" width="max-w-lg">
        {making && <Form bundle={bundle} onMade={refresh} onClose={() => setMaking(false)} />}
      </Dialog>
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </div>
  )
}

function columnsFor(end: ((link: InstallLink) => void) | undefined): readonly Column<InstallLink>[] {
  return [
    {
      key: 'label',
      title: 'Link',
      grow: true,
      cell: ({ label, tokenPrefix }) => (
        <Named name={label ?? 'Without a label'} about={<code className="font-mono">{tokenPrefix}…</code>} />
      ),
    },
    {
      key: 'state',
      title: 'State',
      width: 'w-32',
      cell: ({ revokedAt, expiresAt }) =>
        revokedAt ? (
          <Badge tone="bad">Ended</Badge>
        ) : expiresAt && Date.parse(expiresAt) <= Date.now() ? (
          <Badge tone="warn">Expired</Badge>
        ) : (
          <Badge tone="ok" dot>
            Open
          </Badge>
        ),
    },
    countColumn('used', 'Opened', ({ useCount }) => useCount),
    timeColumn('last', 'Last opened', ({ lastUsedAt }) => lastUsedAt),
    timeColumn('expires', 'Expires', ({ expiresAt }) => expiresAt),
    ...(end
      ? [
          {
            key: 'end',
            title: '',
            width: 'w-24',
            align: 'right' as const,
            cell: (link: InstallLink) =>
              link.revokedAt === null && (
                <Button size="sm" look="quiet-danger" className="-my-1.5" onClick={() => end(link)}>
                  End…
                </Button>
              ),
          },
        ]
      : []),
  ]
}

function Form({
  bundle,
  onMade,
  onClose,
}: {
  readonly bundle: string
  readonly onMade: () => Promise<void>
  readonly onClose: () => void
}) {
  const [label, setLabel] = useState('')
  const [life, setLife] = useState<(typeof LIVES)[number]['value']>('7')
  const save = useMutation({
    mutationFn: () =>
      api.installLinks.create({
        params: { name: bundle },
        body: {
          ...(label.trim() ? { label } : {}),
          expiresAt: life === 'never' ? null : new Date(Date.now() + Number(life) * DAY_MS).toISOString(),
        },
      }),
    onSettled: onMade,
  })
  if (save.data)
    return (
      <div className="flex flex-col gap-4 pt-1">
        <p className="text-sm text-ink-2">Copy it now; it cannot be shown again.</p>
        <CodeBlock label="Link" text={save.data.url} />
        <Suspense fallback={<div className="size-44 self-center" />}>
          <QrCode text={save.data.url} label="The link as a QR code, for another device" />
        </Suspense>
        <DialogActions>
          <Button look="strong" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </div>
    )
  return (
    <DialogForm
      submit="Make link"
      busy={save.isPending}
      once
      error={save.error}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <Field
        label="Whom it is for (optional)"
        value={label}
        maxLength={128}
        onChange={(event) => setLabel(event.target.value)}
      />
      <Select label="It can be opened for" value={life} options={LIVES} onChange={setLife} />
    </DialogForm>
  )
}
