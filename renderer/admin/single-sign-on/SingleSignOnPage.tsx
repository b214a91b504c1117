// Single sign-on: provider, role mapping, test.
import { useQuery } from '@tanstack/react-query'
import type { OidcSettings } from '#contract'
import { api } from '../../api/api.ts'
import { Badge } from '../../ui/Badge.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { SettingsForm } from './SettingsForm.tsx'

export function SingleSignOnPage() {
  const settings = useQuery({ queryKey: ['oidc'], queryFn: () => api.oidc.settings() })
  if (settings.error && !settings.data)
    return <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
  if (!settings.data) return <PageSkeleton />
  return (
    <div className="max-w-4xl pb-10">
      <PageHeader
        title="Single sign-on"
        badge={<State settings={settings.data} />}
        about="People sign in here with the account they have at your identity provider (OpenID Connect)."
      />
      <SettingsForm settings={settings.data} />
    </div>
  )
}

function State({ settings: { source, enabled } }: { readonly settings: OidcSettings }) {
  if (source === 'none') return <Badge>Not set up</Badge>
  return (
    <Badge tone={enabled ? 'ok' : 'neutral'} dot>
      {enabled ? 'On' : 'Off'}
    </Badge>
  )
}
