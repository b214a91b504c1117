// The fields of single sign-on over the contract's schema, and the parts of the page.
import { OidcSettingsInput, ROLES, type Role } from '#contract'
import { t } from '../../language/language.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Field } from '../../ui/Field.tsx'
import { formOf, textIn } from '../../ui/form/fields.ts'
import type { FormPart } from '../../ui/form/PageForm.tsx'
import { isRecord } from '../../ui/form/shape.ts'
import { wireWord } from '../../ui/wire-words.ts'
import { DiscoveryTest } from './DiscoveryTest.tsx'
import { RoleMap } from './RoleMap.tsx'

export type Mapped = { readonly group: string; readonly role: Role }

const mapped = (value: unknown) => (Array.isArray(value) ? (value as readonly Mapped[]) : []) // as `read` made it

/** Duplicate groups. */
export function twiceIn(roles: readonly Mapped[]): readonly string[] {
  const groups = roles.map(({ group }) => group).filter((group) => group !== '')
  return [...new Set(groups.filter((group, at) => groups.indexOf(group) !== at))]
}

/** `secretSet`: a client secret is stored; it is never shown. */
export const settingsForm = (secretSet: boolean) =>
  formOf(OidcSettingsInput, {
    issuer: { label: t('Issuer'), code: true, placeholder: t('https://login.example.com/realms/studio') },
    clientId: { label: t('Client id'), code: true },
    clientSecret: {
      label: t('Client secret'),
      secret: true,
      placeholder: secretSet ? t('Stored; type to replace it') : '',
      hint: secretSet
        ? t('Stored encrypted, for this issuer only, and never shown again.')
        : t('Stored encrypted. Leave it empty for a public client.'),
    },
    redirectUri: {
      label: t('Redirect address'),
      draw: ({ value, error, onChange }) => (
        <Field
          label={t('Redirect address')}
          spellCheck={false}
          value={textIn(value)}
          hint={t('Add this redirect URI at your identity provider.')}
          adornment={<CopyButton text={textIn(value)} label={t('Copy the redirect address')} />}
          onChange={(event) => onChange(event.target.value)}
          error={error}
        />
      ),
      write: (value) => textIn(value).trim() || undefined,
    },
    scopes: {
      label: t('Scopes'),
      code: true,
      hint: t('Separated by spaces. Must include openid.'),
      below: ({ issuer, clientId }) => (
        <DiscoveryTest issuer={textIn(issuer).trim()} clientId={textIn(clientId).trim()} />
      ),
    },
    usernameClaim: { label: t('Claim with the user name'), code: true, needed: true },
    roleClaim: {
      label: t('Claim with roles or groups'),
      code: true,
      placeholder: t('groups, or a path such as realm_access.roles'),
      hint: t('Empty: all users get the role below.'),
    },
    roleMap: {
      label: t('Role mapping'),
      read: (stored) => (isRecord(stored) ? Object.entries(stored).map(([group, role]) => ({ group, role })) : []),
      // The last of two lines for a group counts, as in the map sent.
      write: (value) =>
        Object.fromEntries(
          mapped(value)
            .filter(({ group }) => group !== '')
            .map(({ group, role }) => [group, role]),
        ),
      check: ({ roleMap }) => (twiceIn(mapped(roleMap)).length > 0 ? t('Each group has one line.') : undefined),
      draw: ({ value, disabled, onChange }) => (
        <RoleMap roles={mapped(value)} twice={twiceIn(mapped(value))} readOnly={disabled} onChange={onChange} />
      ),
    },
    defaultRole: {
      label: t('Role for other users'),
      options: Object.fromEntries(ROLES.map((role) => [role, wireWord(role)])),
    },
    allowedDomains: {
      label: t('Allowed e-mail domains'),
      list: 'words',
      rows: 3,
      placeholder: t('example.com'),
      hint: t('One a line. Empty: all users of the provider.'),
    },
    autoProvision: { label: t('Create a user at the first sign-in') },
    enabled: { label: t('Show on the sign-in page') },
  })

export const PARTS: readonly FormPart[] = [
  {
    title: t('The provider'),
    about: t('Register this gateway there as a web application, with the address below.'),
    paths: ['issuer', 'clientId', 'clientSecret', 'redirectUri', 'scopes'],
  },
  {
    title: t('Role mapping'),
    about: t('Read from the token at each sign-in. Changes apply at the next sign-in.'),
    paths: ['usernameClaim', 'roleClaim', 'roleMap', 'defaultRole'],
  },
  { title: t('Access'), paths: ['allowedDomains', 'autoProvision', 'enabled'] },
]
