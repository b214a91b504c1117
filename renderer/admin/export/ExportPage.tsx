// Export, import and snapshots of the configuration.

import { t } from '../../language/language.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { HandoffView } from './HandoffView.tsx'
import { ImportView } from './ImportView.tsx'
import { SnapshotsView } from './SnapshotsView.tsx'

export function ExportPage() {
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Export')}
        about={t('Export the configuration to a server, import one, or restore a snapshot.')}
      />
      <Tabs
        label={t('Export')}
        tabs={[
          { key: 'server', title: t('To a server'), body: <HandoffView /> },
          { key: 'import', title: t('Import'), body: <ImportView /> },
          { key: 'snapshots', title: t('Snapshots'), body: <SnapshotsView /> },
        ]}
      />
    </div>
  )
}
