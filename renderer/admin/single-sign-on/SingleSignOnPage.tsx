// Single sign-on: provider, role mapping, test.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { OidcSettings } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageForm } from '../../ui/form/PageForm.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { useChanges } from '../../ui/use-records.ts'
import { PARTS, settingsForm } from './settings-fields.tsx'

function SettingsForm({ settings }: { readonly settings: OidcSettings }) {
  const { run } = useChanges('oidc')
  const form = useMemo(() => settingsForm(settings.clientSecretSet), [settings.clientSecretSet])
  const managed = settings.source === 'env'
  return (
    <PageForm
      form={form}
      record={settings}
      parts={PARTS}
      what={t('the settings')}
      readOnly={managed}
      className="flex flex-col gap-4 px-6"
      above={
        managed && (
          <p role="note" className="rounded-md bg-info-soft px-3 py-2.5 text-sm">
            {t('Configured by the environment (OIDC_*); change it there. These are the current values.')}
          </p>
        )
      }
      onSave={(body) =>
        run(api.oidc.setSettings({ body }), ({ enabled }) =>
          enabled ? t('People may sign in with it now') : t('Saved; single sign-on is off'),
        )
      }
    />
  )
}

export function SingleSignOnPage() {
  const settings = useQuery({ queryKey: ['oidc'], queryFn: () => api.oidc.settings() })
  if (settings.error && !settings.data)
    return <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
  if (!settings.data) return <PageSkeleton />
  return (
    <div className="max-w-4xl pb-10">
      <PageHeader
        title={t('Single sign-on')}
        badge={<State settings={settings.data} />}
        about={t('People sign in here with the account they have at your identity provider (OpenID Connect).')}
      />
      <SettingsForm settings={settings.data} />
    </div>
  )
}

function State({ settings: { source, enabled } }: { readonly settings: OidcSettings }) {
  if (source === 'none') return <Badge>{t('Not set up')}</Badge>
  return (
    <Badge tone={enabled ? 'ok' : 'neutral'} dot>
      {enabled ? t('On') : t('Off')}
    </Badge>
  )
}
