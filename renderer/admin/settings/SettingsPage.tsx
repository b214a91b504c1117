// The effective configuration, and what in it weakens security.
import { mayUse } from '#contract'
import { desktopBridge } from '../../api/desktop.ts'
import { useActor } from '../../api/session.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlParams } from '../../url-params.ts'
import { ConfigView } from './ConfigView.tsx'
import { PostureView } from './PostureView.tsx'
import { ThisAppView } from './ThisAppView.tsx'

export function SettingsPage() {
  const actor = useActor()
  const [params, change] = useUrlParams()
  const desktop = desktopBridge()
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title="Settings"
        about="Settings come from the environment or the configuration file and take effect after a restart."
      />
      <Tabs
        label="Settings"
        open={params.view}
        onOpen={(view) => change({ view, q: '', only: '' })}
        tabs={[
          ...(mayUse(actor, 'superadmin')
            ? [{ key: 'config', title: 'Effective configuration', body: <ConfigView /> }]
            : []),
          { key: 'posture', title: 'Security posture', body: <PostureView /> },
          ...(desktop ? [{ key: 'this-app', title: 'This app', body: <ThisAppView desktop={desktop} /> }] : []),
        ]}
      />
    </div>
  )
}
