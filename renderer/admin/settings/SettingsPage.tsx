// The effective configuration, and what in it weakens security.
import { Tabs } from '@base-ui/react/tabs'
import { mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { useUrlParams } from '../../url-params.ts'
import { ConfigView } from './ConfigView.tsx'
import { PostureView } from './PostureView.tsx'

const tabClass =
  'relative h-9 px-1 text-sm text-ink-2 hover:text-ink data-active:font-medium data-active:text-ink data-active:after:absolute data-active:after:inset-x-0 data-active:after:-bottom-px data-active:after:h-0.5 data-active:after:bg-ink'

export function SettingsPage() {
  const actor = useActor()
  const [params, change] = useUrlParams()
  const all = mayUse(actor, 'superadmin')
  const view = params.view === 'posture' || !all ? 'posture' : 'config'
  return (
    <Tabs.Root
      className="flex h-full flex-col"
      value={view}
      onValueChange={(next) => change({ view: next === 'config' ? '' : String(next), q: '', only: '' })}
    >
      <PageHeader
        title="Settings"
        about="What this gateway runs with. Settings come from the environment or the configuration file, and take effect at a start."
      />
      <Tabs.List className="flex shrink-0 gap-5 border-b border-line px-6">
        {all && (
          <Tabs.Tab value="config" className={tabClass}>
            Effective configuration
          </Tabs.Tab>
        )}
        <Tabs.Tab value="posture" className={tabClass}>
          Security posture
        </Tabs.Tab>
      </Tabs.List>
      {all && (
        <Tabs.Panel value="config" className="min-h-0 grow outline-none">
          <ConfigView />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="posture" className="min-h-0 grow overflow-y-auto outline-none">
        <PostureView />
      </Tabs.Panel>
    </Tabs.Root>
  )
}
