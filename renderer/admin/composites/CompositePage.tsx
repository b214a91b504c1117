// A composite: steps, test run, bundles.
import { useMutation } from '@tanstack/react-query'
import { Workflow } from 'lucide-react'
import { type CompositeDetail, type CompositeInput, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { DeleteRecord } from '../../ui/DeleteRecord.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { OneRecord } from '../../ui/OneRecord.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { SaveFooter } from '../../ui/SaveBar.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { turned } from '../../ui/use-records.ts'
import { CompositeBundles } from './CompositeBundles.tsx'
import { CompositeEditor } from './CompositeEditor.tsx'
import { draftOf } from './draft.ts'
import { ScriptTab } from './ScriptTab.tsx'
import { TryComposite } from './TryComposite.tsx'
import { useCheckedComposite } from './use-checked-composite.ts'
import { useCompositeChanges } from './use-composite-changes.ts'

export function CompositePage() {
  return (
    <OneRecord
      kind="composites"
      noun={t('composite')}
      param="name"
      read={(name) => api.composites.get({ params: { name } })}
      icon={Workflow}
    >
      {(record) => <Loaded key={record.name} composite={record} />}
    </OneRecord>
  )
}

function Loaded({ composite }: { readonly composite: CompositeDetail }) {
  const actor = useActor()
  const { update } = useCompositeChanges()
  const administers = mayUse(actor, 'admin')
  // Kept above the tabs, so that switching tabs loses nothing.
  const kept = useDraft(composite, draftOf, { as: t('composite {name}', { name: composite.name }) })
  const { base, before, draft, setDraft } = kept
  const save = useMutation({
    mutationFn: async ({ description, inputSchema, steps, output, script }: CompositeInput) => {
      await kept.save(update(base, { description, inputSchema, steps, output, script }))
      checked.taken()
      notifyDone(t('{name} was changed; clients of its bundles are notified', { name: composite.name }))
    },
  })
  const checked = useCheckedComposite(draft, composite.name, save.error)
  const changed = JSON.stringify(draft) !== JSON.stringify(before)
  const editor = { draft, readOnly: !administers, problem: checked.problem, onChange: setDraft }
  // A script lists its tools separately.
  const stepsTab = {
    key: 'steps',
    title: t('Steps'),
    count: composite.stepsCount,
    body: (
      <div className="max-w-7xl px-6 py-5">
        <CompositeEditor {...editor} />
      </div>
    ),
  }
  return (
    <div className="flex h-full flex-col">
      <Head composite={composite} administers={administers} />
      <Tabs
        label={t('About {name}', { name: composite.name })}
        tabs={[
          ...(draft.script === null ? [stepsTab] : []),
          {
            key: 'script',
            title: t('Script'),
            body: <ScriptTab composite={composite} unsaved={changed} {...editor} />,
          },
          ...(mayUse(actor, 'operator')
            ? [{ key: 'try', title: t('Try it'), body: <TryComposite composite={composite} unsaved={changed} /> }]
            : []),
          {
            key: 'bundles',
            title: t('Bundles'),
            count: composite.bundles.length,
            body: <CompositeBundles composite={composite} />,
          },
        ]}
      />
      {changed && (
        <SaveFooter
          kept={kept}
          what={composite.name}
          busy={save.isPending}
          error={save.error}
          onSave={() => checked.submit(save.mutate)}
          onDiscard={() => setDraft(before)}
        />
      )}
    </div>
  )
}

function Head({ composite, administers }: { readonly composite: CompositeDetail; readonly administers: boolean }) {
  const { change: changeComposite, remove } = useCompositeChanges()
  return (
    <PageHeader
      title={composite.name}
      badge={
        composite.enabled ? (
          composite.approved === false && <Badge tone="warn">{t('waits for an approval')}</Badge>
        ) : (
          <Badge>{t('Disabled')}</Badge>
        )
      }
      about={composite.description ?? undefined}
      actions={
        administers && (
          <>
            <Switch
              label={t('{name} is enabled', { name: composite.name })}
              word={composite.enabled ? t('On') : t('Off')}
              on={composite.enabled}
              onChange={(enabled) =>
                void changeComposite(composite, { enabled }, turned(composite.name, enabled)).catch(notifyError)
              }
            />
            <DeleteRecord
              name={composite.name}
              noun={t('composite')}
              about={t('It is removed from its bundles. Clients that call it get “unknown tool”.')}
              list="/composites"
              run={() => remove(composite)}
            />
          </>
        )
      }
    />
  )
}
