// The form of single sign-on, checked in the contract's words before it is sent.
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type OidcSettings, OidcSettingsInput, ROLES } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Field } from '../../ui/Field.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { SaveBar } from '../../ui/SaveBar.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { useChecked } from '../../ui/use-checked.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { DiscoveryTest } from './DiscoveryTest.tsx'
import { type Draft, draftOf, inputOf, twiceIn } from './draft.ts'
import { RoleMap } from './RoleMap.tsx'

const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: role }))

export function SettingsForm({ settings }: { readonly settings: OidcSettings }) {
  const { settled } = useInvalidate('oidc')
  const kept = useDraft(settings, draftOf)
  const { base, before, draft, setDraft } = kept
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change })
  const managed = settings.source === 'env'
  const save = useMutation({
    mutationFn: async (body: OidcSettingsInput) => {
      const changed = await kept.save(settled(api.oidc.setSettings({ body: { ...body, revision: base.revision } })))
      notifyDone(changed.enabled ? 'People may sign in with it now' : 'Saved; single sign-on is off')
    },
  })
  const { problem, issues, submit } = useChecked(OidcSettingsInput, inputOf(draft), save.error)
  const twice = twiceIn(draft.roles)
  const changed = JSON.stringify(draft) !== JSON.stringify(before)
  const text = (name: 'issuer' | 'clientId' | 'redirectUri' | 'scopes' | 'usernameClaim' | 'roleClaim') => ({
    value: draft[name],
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
    error: problem(name),
  })
  return (
    <form
      // What is missing is said below the field, in the contract's words, not by the browser.
      noValidate
      className="flex flex-col gap-4 px-6"
      onSubmit={(event) => {
        event.preventDefault()
        if (twice.length === 0 && !kept.contested) submit(save.mutate)
      }}
    >
      {managed && (
        <p role="note" className="rounded-md bg-info-soft px-3 py-2.5 text-sm">
          The environment sets this up (OIDC_*): change it there. It is shown here as it is in effect.
        </p>
      )}
      <fieldset disabled={managed} className="flex min-w-0 flex-col gap-4">
        <Part title="The provider" about="Register this gateway there as a web application, with the address below.">
          <Field label="Issuer" required placeholder="https://login.example.com/realms/studio" {...text('issuer')} />
          <Field label="Client id" required {...text('clientId')} />
          <Field
            label="Client secret"
            type="password"
            autoComplete="off"
            value={draft.clientSecret}
            placeholder={settings.clientSecretSet ? 'Set; type to replace it' : ''}
            hint={
              settings.clientSecretSet
                ? 'It is stored sealed, for this issuer only, and never shown again.'
                : 'It is stored sealed. Leave it empty for a public client.'
            }
            onChange={(event) => set({ clientSecret: event.target.value })}
            error={problem('clientSecret')}
          />
          <Field
            label="Redirect address"
            hint="What the provider must know as the place to come back to."
            adornment={<CopyButton text={draft.redirectUri} label="Copy the redirect address" />}
            {...text('redirectUri')}
          />
          <Field label="Scopes" hint="Separated by spaces; openid is needed." {...text('scopes')} />
          <DiscoveryTest issuer={draft.issuer.trim()} clientId={draft.clientId.trim()} />
        </Part>
        <Part
          title="Who becomes what"
          about="Read from the token at each sign-in: what changes there takes effect at the next one."
        >
          <Field label="Claim with the user name" required {...text('usernameClaim')} />
          <Field
            label="Claim with roles or groups"
            placeholder="groups, or a path such as realm_access.roles"
            hint="Empty: everybody gets the role below."
            {...text('roleClaim')}
          />
          <RoleMap roles={draft.roles} twice={twice} readOnly={managed} onChange={(roles) => set({ roles })} />
          <Select
            label="Everybody else is"
            value={draft.defaultRole}
            options={ROLE_OPTIONS}
            onChange={(defaultRole) => set({ defaultRole })}
          />
        </Part>
        <Part title="Who may come in" about="">
          <TextArea
            label="Domains of their e-mail addresses"
            rows={3}
            value={draft.domains}
            placeholder="example.com"
            hint="One a line. Empty: whoever the provider lets in."
            onChange={(event) => set({ domains: event.target.value })}
            error={issues.find(({ path }) => path[0] === 'allowedDomains')?.message ?? problem('allowedDomains')}
          />
          <Checkbox
            label="Make a user here at the first sign-in"
            checked={draft.autoProvision}
            disabled={managed}
            onChange={(autoProvision) => set({ autoProvision })}
          />
          <Checkbox
            label="Offer it on the sign-in page"
            checked={draft.enabled}
            disabled={managed}
            onChange={(enabled) => set({ enabled })}
          />
        </Part>
      </fieldset>
      <SaveBar
        kept={kept}
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
      <div className="mt-4 flex flex-col gap-4">{children}</div>
    </section>
  )
}
