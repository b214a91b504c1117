// The form of single sign-on, on its page: checked by the contract's schema before it is sent.
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { OidcSettings, OidcSettingsInput } from '#contract'
import { api } from '../../api/api.ts'
import { useChanges } from '../../api/use-records.ts'
import { Fields } from '../../ui/form/Fields.tsx'
import { isUnready } from '../../ui/form/fields.ts'
import { useRecordForm } from '../../ui/form/use-record-form.ts'
import { SaveBar } from '../../ui/SaveBar.tsx'
import { PARTS, settingsForm } from './settings-fields.tsx'

export function SettingsForm({ settings }: { readonly settings: OidcSettings }) {
  const { run } = useChanges('oidc')
  const form = useMemo(() => settingsForm(settings.clientSecretSet), [settings.clientSecretSet])
  const { edit, fields, changed, checked, tryNow, saving, problemOf } = useRecordForm(form, { record: settings })
  const { draft, before, setDraft } = edit
  const managed = settings.source === 'env'
  const save = useMutation({
    mutationFn: (body: OidcSettingsInput) =>
      saving(
        run(api.oidc.setSettings({ body }), ({ enabled }) =>
          enabled ? 'People may sign in with it now' : 'Saved; single sign-on is off',
        ),
      ),
  })
  const doubled = isUnready(
    form.fields.filter(({ check }) => check),
    draft,
  )
  return (
    <form
      // A missing value is reported below the field, in the contract's words, not by the browser.
      noValidate
      className="flex flex-col gap-4 px-6"
      onSubmit={(event) => {
        event.preventDefault()
        tryNow()
        if (!doubled && !edit.contested && checked.input) save.mutate(checked.input)
      }}
    >
      {managed && (
        <p role="note" className="rounded-md bg-info-soft px-3 py-2.5 text-sm">
          The environment sets this up (OIDC_*): change it there. It is shown here as it is in effect.
        </p>
      )}
      <fieldset disabled={managed} className="flex min-w-0 flex-col gap-4">
        <div ref={fields} className="contents">
          {PARTS.map(({ title, about, paths }) => (
            <Part key={title} title={title} about={about}>
              <Fields
                fields={form.fields.filter(({ path }) => paths.includes(path))}
                isNew={false}
                columns={1}
                draft={draft}
                strict={false}
                disabled={managed}
                problemOf={problemOf(save.error)}
                onChange={setDraft}
              />
            </Part>
          ))}
        </div>
      </fieldset>
      <SaveBar
        kept={edit}
        what="the settings"
        changed={changed}
        busy={save.isPending}
        error={save.error}
        readOnly={managed}
        onDiscard={() => setDraft(before)}
      />
    </form>
  )
}

function Part({
  title,
  about,
  children,
}: {
  readonly title: string
  readonly about: string
  readonly children: ReactNode
}) {
  return (
    <section aria-label={title} className="card px-5 py-4">
      <h2 className="text-sm font-semibold">{title}</h2>
      {about && <p className="mt-0.5 text-xs text-ink-2">{about}</p>}
      <div className="mt-4">{children}</div>
    </section>
  )
}
