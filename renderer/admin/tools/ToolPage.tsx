// A tool: overview, runner, diagnosis, features, listing, limits.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FlaskConical, Wrench } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { FEATURE_NAMES, mayUse, type ToolDetail } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { formatMoment } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { Loaded } from '../../ui/OneRecord.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { DriftNotice } from '../monitors/DriftNotice.tsx'
import { ScheduledNotice } from '../schedules/ScheduledNotice.tsx'
import { About } from './About.tsx'
import { Diagnosis } from './Diagnosis.tsx'
import { LIMITS_FORM, LIMITS_PARTS, limitsOf } from './limits-form.tsx'
import { listingForm, listingOf, listingParts } from './listing-form.tsx'
import { CapturedRunner } from './run/CapturedRunner.tsx'
import { type Drafted, TryDraft } from './run/TryDraft.tsx'
import { ToolFlags, ToolMethod } from './ToolBadges.tsx'
import { type OfTool, ToolForm } from './ToolForm.tsx'
import { asTold } from './tool-arguments.ts'
import { lint } from './tool-lint.ts'
import { useToolChanges } from './use-tool-changes.ts'

type Shown = { readonly tool: ToolDetail; readonly readOnly: boolean }

function Quarantine({ tool, readOnly }: Shown) {
  const { clearQuarantine } = useToolChanges()
  const clear = useMutation({ mutationFn: () => clearQuarantine(tool), onError: notifyError })
  const { active, since, until, reason } = tool.quarantine
  if (!active) return null
  return (
    <div role="status" className="mx-6 mb-3 flex items-center gap-3 rounded-md bg-warn-soft px-3 py-2 text-sm">
      <p className="min-w-0 grow">
        {since ? t('In quarantine since {since}', { since: formatMoment(since) }) : t('In quarantine')}
        {reason && `: ${reason}`}. {until && t('It ends at {until}.', { until: formatMoment(until) })}
      </p>
      {!readOnly && (
        <Button size="sm" busy={clear.isPending} onClick={() => clear.mutate()}>
          {t('End quarantine')}
        </Button>
      )}
    </div>
  )
}

function Listing({ tool, readOnly }: OfTool) {
  const form = useMemo(() => listingForm(tool), [tool])
  return (
    <ToolForm
      tool={tool}
      readOnly={readOnly}
      form={form}
      parts={listingParts(tool)}
      valuesOf={listingOf}
      done={t('{tool}’s listing was changed', { tool: tool.tool })}
      above={
        <p className="text-sm text-ink-2">
          {t(
            'These texts replace those of the source in lists. Leave a field empty to use the source’s text. Calls are not affected.',
          )}
        </p>
      }
    />
  )
}

function Limits({ tool, readOnly }: OfTool) {
  const [trying, setTrying] = useState<Drafted | null>(null)
  return (
    <>
      <ToolForm
        tool={tool}
        readOnly={readOnly}
        form={LIMITS_FORM}
        parts={LIMITS_PARTS}
        valuesOf={limitsOf}
        done={t('{tool} was changed', { tool: tool.tool })}
      >
        {({ redactPaths: _notTried, ...draft }, valid) => (
          <Button disabled={!valid} onClick={() => setTrying({ client: tool.client, tool: tool.tool, draft })}>
            <FlaskConical />
            {t('Try a call…')}
          </Button>
        )}
      </ToolForm>
      {/* Outside the form: submitting a dialog inside would submit the form too. */}
      <TryDraft drafted={trying} onClose={() => setTrying(null)} />
    </>
  )
}

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
        title: t('{client} has no tool called {name}', { client, name }),
        about: t('Its source no longer has it, or the backend was removed.'),
        back: { to: '/tools', label: t('All tools') },
      }}
    >
      {(record) => <Page key={`${client}__${name}`} tool={record} />}
    </Loaded>
  )
}

function Page({ tool }: { readonly tool: ToolDetail }) {
  const actor = useActor()
  const { turn } = useToolChanges()
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
            <>
              <Link to="/calls" search={{ client: tool.client, tool: tool.tool }} className={buttonClass({})}>
                {t('Its calls')}
              </Link>
              <Switch
                label={t('{tool} is enabled', { tool: tool.tool })}
                word={tool.enabled ? t('On') : t('Off')}
                on={tool.enabled}
                onChange={(enabled) => void turn(tool, enabled).catch(notifyError)}
              />
            </>
          )
        }
      />
      <Quarantine tool={tool} readOnly={!operates} />
      <DriftNotice tool={tool} />
      <ScheduledNotice client={tool.client} tool={tool.tool} />
      <Tabs
        label={t('About {tool}', { tool: tool.tool })}
        tabs={[
          {
            key: 'about',
            title: t('What a model sees'),
            ...(findings.length > 0 ? { count: findings.length } : {}),
            body: <About tool={listed} findings={findings} />,
          },
          ...(operates ? [{ key: 'run', title: t('Try it'), body: <CapturedRunner tool={tool} /> }] : []),
          ...(operates ? [{ key: 'diagnosis', title: t('Why refused?'), body: <Diagnosis tool={tool} /> }] : []),
          {
            key: 'features',
            title: t('Features'),
            ...(set > 0 ? { count: set } : {}),
            body: (
              <Suspense fallback={<PageSkeleton />}>
                <FeatureList tool={tool} readOnly={!operates} />
              </Suspense>
            ),
          },
          { key: 'listing', title: t('Listing'), body: <Listing tool={tool} readOnly={!operates} /> },
          { key: 'limits', title: t('Limits'), body: <Limits tool={tool} readOnly={!operates} /> },
        ]}
      />
    </div>
  )
}
