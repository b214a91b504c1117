// Export, import and snapshots of the configuration.

import { t } from '../../language/language.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlParams } from '../../url-params.ts'
import { HandoffView } from './HandoffView.tsx'
import { ImportView } from './ImportView.tsx'
import { SnapshotsView } from './SnapshotsView.tsx'

export function ExportPage() {
  const [params, change] = useUrlParams()
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Export')}
        about={t('Export the configuration to a server, import one, or restore a snapshot.')}
      />
      <Tabs
        label={t('Export')}
        open={params.view}
        onOpen={(view) => change({ view })}
        tabs={[
          { key: 'server', title: t('To a server'), body: <HandoffView /> },
          { key: 'import', title: t('Import'), body: <ImportView /> },
          { key: 'snapshots', title: t('Snapshots'), body: <SnapshotsView /> },
        ]}
      />
    </div>
  )
}
