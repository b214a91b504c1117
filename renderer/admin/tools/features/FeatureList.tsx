// The features of a tool besides its limits: what each does, how it is set, and why one cannot be set.

import { useMutation, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { FEATURE_NAMES, FEATURES, type FeatureName, type QuarantinePolicy, type ToolDetail } from '#contract'
import { api } from '../../../api/api.ts'
import { plural, t } from '../../../language/language.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { hasSwitch } from '../../../ui/form/fields.ts'
import { formatCount, formatShare } from '../../../ui/format.ts'
import { notifyDone, notifyError } from '../../../ui/notify.ts'
import { Switch } from '../../../ui/Switch.tsx'
import { FeatureDialog } from './FeatureDialog.tsx'
import { GROUPS, wordsOf } from './labels.ts'
import { isOn, useFeatureChanges } from './use-feature-changes.ts'

type Policy = Pick<QuarantinePolicy, 'consecutiveThreshold' | 'enabled'>

/** In words. Pure. */
function hitsInWords(
  { active, consecutiveHits }: Pick<ToolDetail['quarantine'], 'active' | 'consecutiveHits'>,
  { consecutiveThreshold, enabled }: Policy,
): string {
  const hits = plural(consecutiveHits, '{count} hit', '{count} hits')
  if (active) return t('In quarantine after {hits} in a row.', { hits })
  if (!enabled) return t('Hits are not counted while it is off.')
  const left = Math.max(1, consecutiveThreshold - consecutiveHits)
  return consecutiveHits === 0
    ? plural(left, 'No hit now; the next one begins it.', 'No hit now; {count} in a row begin it.')
    : plural(left, '{hits} in a row now; one more begins it.', '{hits} in a row now; {count} more begin it.', { hits })
}

function QuarantineCount({ tool: { quarantine }, policy }: { readonly tool: ToolDetail; readonly policy: Policy }) {
  return <p className="mt-2 text-xs text-ink-2">{hitsInWords(quarantine, policy)}</p>
}

function CacheUse({ tool, readOnly }: { readonly tool: ToolDetail; readonly readOnly: boolean }) {
  const { client, tool: name } = tool
  const { data } = useQuery({
    queryKey: ['usage', 'cache', client, name],
    queryFn: () => api.usage.summary({ query: { client, tool: name } }),
  })
  const purge = useMutation({
    mutationFn: () => api.tools.purgeCache({ params: { name: client, tool: name } }),
    onSuccess: ({ purged }) => notifyDone(plural(purged, '{count} answer forgotten', '{count} answers forgotten')),
    onError: notifyError,
  })
  return (
    <div className="mt-2 flex items-center gap-3 text-xs text-ink-2">
      <span>
        {data &&
          t('{count} of {count2} calls in 7 days were answered from it, {cacheHits}.', {
            count: formatCount(data.cacheHits),
            count2: formatCount(data.calls),
            cacheHits: formatShare(data.cacheHits, data.calls),
          })}
      </span>
      {!readOnly && (
        <Button size="sm" look="quiet" busy={purge.isPending} onClick={() => purge.mutate()}>
          {t('Clear cache')}
        </Button>
      )}
    </div>
  )
}

type Shown = { readonly tool: ToolDetail; readonly readOnly: boolean }

export function FeatureList({ tool, readOnly }: Shown) {
  const [opened, setOpened] = useState<FeatureName | null>(null)
  return (
    <div className="grid max-w-4xl gap-6 px-6 py-5">
      {GROUPS.map((group) => {
        const names = FEATURE_NAMES.filter((name) => wordsOf(name).group === group)
        return (
          names.length > 0 && (
            <section key={group} aria-label={t(group)}>
              <h2 className="eyebrow mb-2">{t(group)}</h2>
              <ul className="card divide-y divide-line">
                {names.map((name) => (
                  <Row key={name} name={name} tool={tool} readOnly={readOnly} onOpen={() => setOpened(name)} />
                ))}
              </ul>
            </section>
          )
        )
      })}
      <FeatureDialog tool={tool} name={opened} onClose={() => setOpened(null)} />
    </div>
  )
}

function Row({ tool, name, readOnly, onOpen }: Shown & { readonly name: FeatureName; readonly onOpen: () => void }) {
  const { title, about } = wordsOf(name)
  const unfit = tool.unfit?.[name]
  const config = tool.config[name]
  return (
    <li className="px-5 py-3">
      <div className="flex items-center gap-3">
        <div className={cx('min-w-0 grow', unfit && !config && 'text-ink-3')}>
          <p className="flex items-center gap-2 text-sm font-medium">
            {title}
            <State name={name} config={config} />
          </p>
          <p className={cx('mt-0.5 text-xs text-pretty', unfit && !config ? 'text-ink-3' : 'text-ink-2')}>{about}</p>
          {unfit && (
            <p className="mt-0.5 text-xs text-ink-3">
              {title} {unfit}.
            </p>
          )}
        </div>
        {!readOnly && <Actions tool={tool} name={name} onOpen={onOpen} />}
      </div>
      {name === 'cache' && config ? <CacheUse tool={tool} readOnly={readOnly} /> : null}
      {name === 'quarantinePolicy' && config ? (
        <QuarantineCount tool={tool} policy={FEATURES.quarantinePolicy.parse(config)} />
      ) : null}
    </li>
  )
}

function State({ name, config }: { readonly name: FeatureName; readonly config: unknown }) {
  if (!config) return null
  const brief = wordsOf(name).brief({ ...config })
  return (
    <>
      <Badge tone={isOn(config) ? 'ok' : 'neutral'} dot>
        {isOn(config) ? t('On') : t('Off')}
      </Badge>
      <span className="min-w-0 truncate text-xs font-normal text-ink-2">{brief}</span>
    </>
  )
}

function Actions({
  tool,
  name,
  onOpen,
}: {
  readonly tool: ToolDetail
  readonly name: FeatureName
  readonly onOpen: () => void
}) {
  const { turn, remove } = useFeatureChanges()
  const { title } = wordsOf(name)
  const config = tool.config[name]
  if (!config)
    return (
      <Button
        size="sm"
        disabled={tool.unfit?.[name] !== undefined}
        onClick={onOpen}
        aria-label={t('Set: {title}', { title })}
      >
        {t('Set…')}
      </Button>
    )
  return (
    <>
      {hasSwitch(FEATURES[name]) && (
        <Switch
          label={t('{title} is on', { title })}
          on={isOn(config)}
          onChange={(on) => void turn(tool, name, on).catch(notifyError)}
        />
      )}
      <Button size="sm" onClick={onOpen} aria-label={t('Change: {title}', { title })}>
        {t('Change…')}
      </Button>
      <IconButton
        label={t('Remove: {title}', { title })}
        size="sm"
        onClick={() => void remove(tool, name).catch(notifyError)}
      >
        <X />
      </IconButton>
    </>
  )
}
