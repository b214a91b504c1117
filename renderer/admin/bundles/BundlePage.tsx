// A bundle: its builder, and the client's view.
import { Boxes, Copy } from 'lucide-react'
import { useState } from 'react'
import { type BundleDetail, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { DeleteRecord } from '../../ui/DeleteRecord.tsx'
import { notifyError } from '../../ui/notify.ts'
import { OneRecord } from '../../ui/OneRecord.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { ServedAt } from '../../ui/ServedAt.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { turned } from '../../ui/use-records.ts'
import { BundleBuilder } from './BundleBuilder.tsx'
import { CloneBundle } from './BundleDialog.tsx'
import { BundlePreview } from './BundlePreview.tsx'
import { InstallLinks } from './InstallLinks.tsx'
import { useBundleChanges } from './use-bundle-changes.ts'

export function BundlePage() {
  return (
    <OneRecord
      kind="bundles"
      noun={t('bundle')}
      param="name"
      read={(name) => api.bundles.get({ params: { name } })}
      icon={Boxes}
    >
      {(record) => <Loaded key={record.name} bundle={record} />}
    </OneRecord>
  )
}

function Loaded({ bundle }: { readonly bundle: BundleDetail }) {
  const actor = useActor()
  const [cloning, setCloning] = useState(false)
  const { change: changeBundle, remove } = useBundleChanges()
  const administers = mayUse(actor, 'admin')
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={bundle.name}
        badge={!bundle.enabled && <Badge>{t('Disabled')}</Badge>}
        about={
          <span className="flex flex-wrap items-center gap-x-3">
            {bundle.description}
            <ServedAt path={bundle.mcpPath} />
          </span>
        }
        actions={
          administers && (
            <>
              <Switch
                label={t('{name} is served', { name: bundle.name })}
                word={bundle.enabled ? t('Served') : t('Disabled')}
                on={bundle.enabled}
                onChange={(enabled) =>
                  void changeBundle(bundle, { enabled }, turned(bundle.name, enabled)).catch(notifyError)
                }
              />
              <Button onClick={() => setCloning(true)}>
                <Copy />
                {t('Clone')}
              </Button>
              <DeleteRecord
                name={bundle.name}
                noun={t('bundle')}
                about={t(
                  'Connected clients are disconnected, and its install links and their keys are revoked. The tools themselves stay.',
                )}
                list="/bundles"
                run={() => remove(bundle)}
              />
            </>
          )
        }
      />
      <Tabs
        label={t('About {name}', { name: bundle.name })}
        tabs={[
          {
            key: 'tools',
            title: t('Tools'),
            count: bundle.toolsCount + bundle.compositesCount,
            body: <BundleBuilder bundle={bundle} readOnly={!administers} />,
          },
          { key: 'preview', title: t('Client view'), body: <BundlePreview bundle={bundle} readOnly={!administers} /> },
          { key: 'links', title: t('Install links'), body: <InstallLinks bundle={bundle.name} /> },
        ]}
      />
      <CloneBundle from={bundle.name} open={cloning} onClose={() => setCloning(false)} />
    </div>
  )
}
