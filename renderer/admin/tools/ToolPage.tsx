// A tool: overview, runner, diagnosis, features, listing, limits.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { FEATURE_NAMES, mayUse, type ToolDetail } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { notifyError } from '../../ui/notify.ts'
import { Loaded } from '../../ui/OneRecord.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlParams } from '../../url-params.ts'
import { DriftNotice } from '../monitors/DriftNotice.tsx'
import { ScheduledNotice } from '../schedules/ScheduledNotice.tsx'
import { About } from './About.tsx'
import { Diagnosis } from './Diagnosis.tsx'
import { Limits } from './Limits.tsx'
import { Listing } from './Listing.tsx'
import { Quarantine } from './Quarantine.tsx'
import { CapturedRunner } from './run/CapturedRunner.tsx'
import { ToolFlags, ToolMethod } from './ToolBadges.tsx'
import { asTold } from './tool-arguments.ts'
import { lint } from './tool-lint.ts'
import { useToolChanges } from './use-tool-changes.ts'

const FeatureList = lazy(async () => ({ default: (await import('./features/FeatureList.tsx')).FeatureList }))

export function ToolPage() {
  const { client = '', tool: name = '' } = useParams({ strict: false })
  const tool = useQuery({
    queryKey: ['tools', 'one', client, name],
    queryFn: () => api.tools.get({ params: { name: client, tool: name } }),
  })
  return (
    <Loaded
      query={tool}
      missing={{
        icon: Wrench,
        title: `${client} has no tool called ${name}`,
        about: 'Its source no longer has it, or the backend was removed.',
        back: { to: '/tools', label: 'All tools' },
      }}
    >
      {(record) => <Page key={`${client}__${name}`} tool={record} />}
    </Loaded>
  )
}

function Page({ tool }: { readonly tool: ToolDetail }) {
  const actor = useActor()
  const [params, change] = useUrlParams()
  const { setEnabledWithUndo } = useToolChanges()
  const operates = mayUse(actor, 'operator')
  const listed = asTold(tool)
  const findings = lint(listed)
  const set = FEATURE_NAMES.filter((name) => tool.config[name]).length
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={tool.alias ?? tool.tool}
        badge={
          <span className="flex items-center gap-2">
            <ToolMethod tool={tool} />
            <ToolFlags tool={tool} />
          </span>
        }
        about={
          <>
            {tool.title} ·{' '}
            <Link to={`/backends/${tool.client}`} className="rounded text-link underline">
              {tool.client}
            </Link>
            {tool.endpoint && <code className="ml-2 font-mono text-xs text-ink-3">{tool.endpoint}</code>}
          </>
        }
        actions={
          operates && (
            <Switch
              label={`${tool.tool} is enabled`}
              word={tool.enabled ? 'On' : 'Off'}
              on={tool.enabled}
              onChange={(enabled) => void setEnabledWithUndo([tool], enabled).catch(notifyError)}
            />
          )
        }
      />
      <Quarantine tool={tool} readOnly={!operates} />
      <DriftNotice tool={tool} />
      <ScheduledNotice client={tool.client} tool={tool.tool} />
      <Tabs
        label={`About ${tool.tool}`}
        open={params.view}
        onOpen={(view) => change({ view })}
        tabs={[
          {
            key: 'about',
            title: 'What a model sees',
            ...(findings.length > 0 ? { count: findings.length } : {}),
            body: <About tool={listed} findings={findings} />,
          },
          ...(operates ? [{ key: 'run', title: 'Try it', body: <CapturedRunner tool={tool} /> }] : []),
          ...(operates ? [{ key: 'diagnosis', title: 'Why refused?', body: <Diagnosis tool={tool} /> }] : []),
          {
            key: 'features',
            title: 'Features',
            ...(set > 0 ? { count: set } : {}),
            body: (
              <Suspense fallback={<PageSkeleton />}>
                <FeatureList tool={tool} readOnly={!operates} />
              </Suspense>
            ),
          },
          { key: 'listing', title: 'Listing', body: <Listing tool={tool} readOnly={!operates} /> },
          { key: 'limits', title: 'Limits', body: <Limits tool={tool} readOnly={!operates} /> },
        ]}
      />
    </div>
  )
}
