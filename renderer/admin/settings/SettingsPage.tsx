// The effective configuration, and what in it weakens security.
import { mayUse } from '#contract'
import { desktopBridge } from '../../api/desktop.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { ConfigView } from './ConfigView.tsx'
import { PostureView } from './PostureView.tsx'
import { ThisAppView } from './ThisAppView.tsx'

export function SettingsPage() {
  const actor = useActor()
  const desktop = desktopBridge()
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Settings')}
        about={t('Settings come from the environment or the configuration file and take effect after a restart.')}
      />
      <Tabs
        label={t('Settings')}
        others={{ q: '', only: '' }}
        tabs={[
          ...(mayUse(actor, 'superadmin')
            ? [{ key: 'config', title: t('Effective configuration'), body: <ConfigView /> }]
            : []),
          { key: 'posture', title: t('Security posture'), body: <PostureView /> },
          ...(desktop ? [{ key: 'this-app', title: t('This app'), body: <ThisAppView desktop={desktop} /> }] : []),
        ]}
      />
    </div>
  )
}
