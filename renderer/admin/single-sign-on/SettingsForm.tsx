// The form of single sign-on, on its page: checked by the contract's schema before it is sent.
import { useMemo } from 'react'
import type { OidcSettings } from '#contract'
import { api } from '../../api/api.ts'
import { useChanges } from '../../api/use-records.ts'
import { PageForm } from '../../ui/form/PageForm.tsx'
import { PARTS, settingsForm } from './settings-fields.tsx'

export function SettingsForm({ settings }: { readonly settings: OidcSettings }) {
  const { run } = useChanges('oidc')
  const form = useMemo(() => settingsForm(settings.clientSecretSet), [settings.clientSecretSet])
  const managed = settings.source === 'env'
  return (
    <PageForm
      form={form}
      record={settings}
      parts={PARTS}
      what="the settings"
      readOnly={managed}
      className="flex flex-col gap-4 px-6"
      above={
        managed && (
          <p role="note" className="rounded-md bg-info-soft px-3 py-2.5 text-sm">
            Configured by the environment (OIDC_*); change it there. These are the current values.
          </p>
        )
      }
      onSave={(body) =>
        run(api.oidc.setSettings({ body }), ({ enabled }) =>
          enabled ? 'People may sign in with it now' : 'Saved; single sign-on is off',
        )
      }
    />
  )
}
