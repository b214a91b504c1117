// The fields of single sign-on over the contract's schema, and the parts of the page.
import { OidcSettingsInput, ROLES, type Role } from '#contract'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Field } from '../../ui/Field.tsx'
import { formOf, textIn } from '../../ui/form/fields.ts'
import type { FormPart } from '../../ui/form/PageForm.tsx'
import { isRecord } from '../../ui/form/shape.ts'
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
    issuer: { label: 'Issuer', code: true, placeholder: 'https://login.example.com/realms/studio' },
    clientId: { label: 'Client id', code: true },
    clientSecret: {
      label: 'Client secret',
      secret: true,
      placeholder: secretSet ? 'Stored; type to replace it' : '',
      hint: secretSet
        ? 'Stored encrypted, for this issuer only, and never shown again.'
        : 'Stored encrypted. Leave it empty for a public client.',
    },
    redirectUri: {
      label: 'Redirect address',
      draw: ({ value, error, onChange }) => (
        <Field
          label="Redirect address"
          spellCheck={false}
          value={textIn(value)}
          hint="Add this redirect URI at your identity provider."
          adornment={<CopyButton text={textIn(value)} label="Copy the redirect address" />}
          onChange={(event) => onChange(event.target.value)}
          error={error}
        />
      ),
      write: (value) => textIn(value).trim() || undefined,
    },
    scopes: {
      label: 'Scopes',
      code: true,
      hint: 'Separated by spaces. Must include openid.',
      below: ({ issuer, clientId }) => (
        <DiscoveryTest issuer={textIn(issuer).trim()} clientId={textIn(clientId).trim()} />
      ),
    },
    usernameClaim: { label: 'Claim with the user name', code: true, needed: true },
    roleClaim: {
      label: 'Claim with roles or groups',
      code: true,
      placeholder: 'groups, or a path such as realm_access.roles',
      hint: 'Empty: all users get the role below.',
    },
    roleMap: {
      label: 'Role mapping',
      read: (stored) => (isRecord(stored) ? Object.entries(stored).map(([group, role]) => ({ group, role })) : []),
      // The last of two lines for a group counts, as in the map sent.
      write: (value) =>
        Object.fromEntries(
          mapped(value)
            .filter(({ group }) => group !== '')
            .map(({ group, role }) => [group, role]),
        ),
      check: ({ roleMap }) => (twiceIn(mapped(roleMap)).length > 0 ? 'Each group has one line.' : undefined),
      draw: ({ value, disabled, onChange }) => (
        <RoleMap roles={mapped(value)} twice={twiceIn(mapped(value))} readOnly={disabled} onChange={onChange} />
      ),
    },
    defaultRole: { label: 'Role for other users', options: Object.fromEntries(ROLES.map((role) => [role, role])) },
    allowedDomains: {
      label: 'Allowed e-mail domains',
      list: 'words',
      rows: 3,
      placeholder: 'example.com',
      hint: 'One a line. Empty: all users of the provider.',
    },
    autoProvision: { label: 'Create a user at the first sign-in' },
    enabled: { label: 'Show on the sign-in page' },
  })

export const PARTS: readonly FormPart[] = [
  {
    title: 'The provider',
    about: 'Register this gateway there as a web application, with the address below.',
    paths: ['issuer', 'clientId', 'clientSecret', 'redirectUri', 'scopes'],
  },
  {
    title: 'Role mapping',
    about: 'Read from the token at each sign-in. Changes apply at the next sign-in.',
    paths: ['usernameClaim', 'roleClaim', 'roleMap', 'defaultRole'],
  },
  { title: 'Access', paths: ['allowedDomains', 'autoProvision', 'enabled'] },
]
