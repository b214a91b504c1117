// Export, import and snapshots of the configuration.
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
      <PageHeader title="Export" about="Export the configuration to a server, import one, or restore a snapshot." />
      <Tabs
        label="Export"
        open={params.view}
        onOpen={(view) => change({ view })}
        tabs={[
          { key: 'server', title: 'To a server', body: <HandoffView /> },
          { key: 'import', title: 'Import', body: <ImportView /> },
          { key: 'snapshots', title: 'Snapshots', body: <SnapshotsView /> },
        ]}
      />
    </div>
  )
}
